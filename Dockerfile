# The image of every service: `guard serve` unless told otherwise.
#   docker build --tag evenguard .
# Where it runs it writes only to /var/lib/evenguard and /tmp, as user 10001.
FROM python:3.13-slim-bookworm AS build
ARG EXTRAS=gateway,otel,redis,review
WORKDIR /source
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY guard guard
COPY models/pyproject.toml models/README.md models/LICENSE models/
COPY models/guard_models models/guard_models
RUN python -m venv /opt/evenguard
# Wheels only: a dependency that would have to be compiled is an error here, not a compiler there.
RUN /opt/evenguard/bin/pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . ./models
RUN /opt/evenguard/bin/pip install --no-cache-dir --only-binary :all: "$(ls /wheels/evenguard-*.whl)[${EXTRAS}]" /wheels/evenguard_models-*.whl
RUN /opt/evenguard/bin/guard models check
RUN /opt/evenguard/bin/pip uninstall --yes pip

FROM python:3.13-slim-bookworm
ENV PATH=/opt/evenguard/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
COPY --from=build /opt/evenguard /opt/evenguard
RUN mkdir /var/lib/evenguard && chown 10001:10001 /var/lib/evenguard
WORKDIR /var/lib/evenguard
USER 10001:10001
EXPOSE 8080 9464 9465 9466
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8080/readyz', timeout=2)"]
CMD ["guard", "serve", "--settings", "/etc/evenguard/guard.yaml"]
