"""compose.yaml: what can be known of it without a container engine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from guard.settings import Settings, load_settings
from scripts.observe import grafana_variables
from tests.integration.test_prometheus_rules import promtool
from tests.services import COMPOSE, FOLDER, Service, check_command, compose, composed

SERVICES = compose()["services"]
EXAMPLE = (FOLDER / "compose/example.env").read_text(encoding="utf-8")
EACH = pytest.mark.parametrize("service", composed(), ids=lambda service: service.name)


def bound(service: str) -> dict[str, str]:
    """Path in the container to path beside compose.yaml."""
    mounts = (mount.split(":") for mount in SERVICES[service].get("volumes", ()))
    return {mount[1]: mount[0] for mount in mounts if mount[0].startswith(".")}


def settings() -> Settings:
    return load_settings(FOLDER / "compose/guard.yaml")


def prometheus(path: Path) -> dict[str, object]:
    """Its configuration without what differs: addresses of targets, and Alertmanager."""
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    found.pop("alerting", None)
    for job in found["scrape_configs"]:
        job["static_configs"] = len(job["static_configs"][0]["targets"])
    return found


def test_it_fits_the_schema_of_the_specification() -> None:
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*check, COMPOSE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@EACH
def test_commands_exist(service: Service) -> None:
    context = check_command(service.command)
    assert str(context.params["file"]) in bound(service.name)


@EACH
def test_a_port_is_published_where_the_command_listens(service: Service) -> None:
    assert service.ports <= {service.port}
    if service.health:
        assert str(service.port) in service.health[-1]


@EACH
def test_a_service_writes_nowhere_but_where_it_may(service: Service) -> None:
    one = SERVICES[service.name]
    assert one["read_only"]
    assert one["cap_drop"] == ["ALL"]
    assert one["security_opt"] == ["no-new-privileges:true"]
    if service.name in {"gateway", "shadow"}:
        assert Path(settings().store.spool).parent == Path("/var/lib/evenguard")
        assert f"{service.name}-spool:/var/lib/evenguard" in one["volumes"]


def test_files_that_are_bound_exist() -> None:
    missing = {
        path for name in SERVICES for path in bound(name).values() if not (FOLDER / path).exists()
    }
    assert missing == set()


def test_volumes_and_secrets_are_declared_and_used() -> None:
    mounts = [mount for one in SERVICES.values() for mount in one.get("volumes", ())]
    named = {mount.split(":")[0] for mount in mounts if not mount.startswith(".")}
    assert named == set(compose()["volumes"])
    secrets = {secret for one in SERVICES.values() for secret in one.get("secrets", ())}
    assert secrets == set(compose()["secrets"])
    (file,) = re.findall(r"/run/secrets/(\w+)", (FOLDER / "compose/alertmanager.yml").read_text())
    assert file in secrets


def test_variables_are_those_of_the_example_and_each_is_used() -> None:
    given = set(re.findall(r"^([A-Z_]+)=", EXAMPLE, re.MULTILINE))
    text = COMPOSE.read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{([A-Z_]+)", text)) | {"ALERT_WEBHOOK_URL"} == given
    keys = {key.key_env for key in settings().gateway.keys}
    keys |= {upstream.api_key_env for upstream in settings().upstreams.values()}
    assert keys <= given


def test_only_this_machine_reaches_the_ports() -> None:
    ports = [port for one in SERVICES.values() for port in one.get("ports", ())]
    assert len(ports) == len(set(ports)) >= 5
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_images_have_versions() -> None:
    images = {one["image"] for one in SERVICES.values()}
    assert {
        image for image in images if not re.search(r":v?\d+\.\d+|evenguard:local$", image)
    } == set()


def test_what_a_service_waits_for_can_be_known() -> None:
    for one in SERVICES.values():
        for name in one.get("depends_on", ()):
            assert "healthcheck" in SERVICES[name]


def test_redis_answers_when_a_change_is_on_disk() -> None:
    command = SERVICES["redis"]["command"]
    options = dict(zip(command[1::2], command[2::2], strict=True))
    assert (options["--appendonly"], options["--appendfsync"]) == ("yes", "always")
    assert options["--maxmemory-policy"] == "noeviction"
    assert settings().store.url.startswith("redis://redis:6379/")


def test_prometheus_scrapes_the_services_and_is_else_as_shipped(tmp_path: Path) -> None:
    ours = FOLDER / "compose/prometheus.yml"
    assert prometheus(ours) == prometheus(FOLDER / "prometheus/prometheus.yml")
    ports = {one.name: one.port for one in composed()} | {
        "gateway": settings().gateway.metrics.port
    }
    found = re.findall(r'targets: \["(\w+):(\d+)"\]', ours.read_text(encoding="utf-8"))
    assert dict(found).keys() == {"gateway", "exporter", "alertmanager"}
    for name, port in found:
        assert int(port) == ports.get(name, 9093)
    for path, source in bound("prometheus").items():
        (tmp_path / Path(path).name).write_bytes((FOLDER / source).read_bytes())
    assert "2 rule files found" in promtool("check", "config", str(tmp_path / "prometheus.yml"))


def test_the_collector_takes_what_the_services_send() -> None:
    collector = yaml.safe_load((FOLDER / "compose/collector.yaml").read_text(encoding="utf-8"))
    port = collector["receivers"]["otlp"]["protocols"]["http"]["endpoint"].rpartition(":")[2]
    for service in composed():
        sent = SERVICES[service.name]["environment"]["OTEL_EXPORTER_OTLP_ENDPOINT"]
        assert sent == f"http://collector:{port}"
    for pipeline in collector["service"]["pipelines"].values():
        for part, names in pipeline.items():
            assert set(names) <= set(collector[part])


def test_grafana_is_told_what_its_provisioning_asks_for() -> None:
    files = (FOLDER / "grafana/provisioning").rglob("*.yaml")
    wanted = set(re.findall(r"\$\{(\w+)\}", "".join(path.read_text() for path in files)))
    given = SERVICES["grafana"]["environment"]
    assert wanted == {"PROMETHEUS_URL", "DASHBOARDS_PATH"}
    assert wanted <= given.keys() & grafana_variables(Path(), 3000, "").keys()
    assert given["DASHBOARDS_PATH"] in bound("grafana")
    assert given["PROMETHEUS_URL"] == "http://prometheus:9090"
