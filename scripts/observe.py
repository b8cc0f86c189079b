"""The demo, watched: a Prometheus with the shipped files, and Grafana where it is installed.

    python scripts/observe.py [options of `guard demo`]

Everything is kept in a folder that is deleted at the end, and each server takes its usual port, or
a free one if that is taken, so that this can run beside whatever else there is.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

EXPORTERS = Path(__file__).resolve().parents[1] / "exporters"
GRAFANA_HOMES = (Path("/usr/share/grafana"), Path("/opt/grafana"))
PATIENCE_SECONDS = 60


def free_port(usual: int) -> int:
    """The usual port on this machine's own address, or any free one."""
    for port in (usual, 0):
        with socket.socket() as lone:
            lone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                lone.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(lone.getsockname()[1])
    raise SystemExit("observe: no port is free")


def configuration(metrics_port: int) -> dict[str, Any]:
    """The shipped prometheus.yml for the demo, which is one process for both jobs."""
    shipped: dict[str, Any] = yaml.safe_load((EXPORTERS / "prometheus/prometheus.yml").read_text())
    shipped["global"] = {"scrape_interval": "5s", "evaluation_interval": "5s"}
    shipped["rule_files"] = [str(EXPORTERS / "prometheus" / name) for name in shipped["rule_files"]]
    for job in shipped["scrape_configs"]:
        job["scrape_timeout"] = "5s"
        job["static_configs"] = [{"targets": [f"127.0.0.1:{metrics_port}"]}]
    return shipped


@contextmanager
def server(command: Sequence[str], ready: str, log: Path, **added: str) -> Iterator[None]:
    """Run a program until the block ends. ready: the address that answers once it has started."""
    with log.open("wb") as out:
        # In a session of its own, so that Ctrl-C ends the demo first and this after it.
        process = subprocess.Popen(  # noqa: S603 - programs of this machine
            command, stdout=out, stderr=out, env=os.environ | added, start_new_session=True
        )
    try:
        wait_until_it_answers(process, ready, log)
        yield
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def wait_until_it_answers(process: subprocess.Popen[bytes], ready: str, log: Path) -> None:
    """Raises SystemExit with the end of its log if it does not start."""
    end = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(ready, timeout=2):  # noqa: S310 - an http address
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    last = log.read_text(errors="replace")[-2000:]
    raise SystemExit(f"observe: nothing answers on {ready}; {log.name} ends with:\n{last}")


@contextmanager
def prometheus(folder: Path, metrics_port: int) -> Iterator[str]:
    """Prometheus with the shipped rules and alerts; gives its address."""
    program = shutil.which("prometheus")
    if program is None:
        raise SystemExit("observe: prometheus is missing: make servers, or apt-get install it")
    url = f"http://127.0.0.1:{free_port(9090)}"
    file = folder / "prometheus.yml"
    file.write_text(yaml.safe_dump(configuration(metrics_port)), encoding="utf-8")
    command = (
        program,
        f"--config.file={file}",
        f"--storage.tsdb.path={folder}/series",
        f"--web.listen-address={url.removeprefix('http://')}",
        "--enable-feature=exemplar-storage",
    )
    with server(command, f"{url}/-/ready", folder / "prometheus.log"):
        yield url


def grafana_command() -> list[str]:
    """How the Grafana of this machine is started; empty where there is none."""
    program = shutil.which("grafana") or shutil.which("grafana-server")
    if program is None:
        return []
    beside = Path(program).resolve().parents[1]
    home = next((one for one in (*GRAFANA_HOMES, beside) if (one / "public").is_dir()), beside)
    serve = ["server"] if Path(program).name == "grafana" else []
    return [program, *serve, "--homepath", str(home)]


def grafana_variables(folder: Path, port: int, prometheus_url: str) -> Mapping[str, str]:
    """Its settings: the shipped dashboards, and whoever is on this machine may look at them."""
    return {
        "GF_SERVER_HTTP_ADDR": "127.0.0.1",
        "GF_SERVER_HTTP_PORT": str(port),
        "GF_PATHS_DATA": str(folder / "grafana"),
        "GF_PATHS_LOGS": str(folder / "grafana/log"),
        "GF_PATHS_PLUGINS": str(folder / "grafana/plugins"),
        "GF_PATHS_PROVISIONING": str(EXPORTERS / "grafana/provisioning"),
        "GF_AUTH_ANONYMOUS_ENABLED": "true",
        "GF_AUTH_ANONYMOUS_ORG_ROLE": "Editor",
        "GF_ANALYTICS_REPORTING_ENABLED": "false",
        "GF_ANALYTICS_CHECK_FOR_UPDATES": "false",
        "PROMETHEUS_URL": prometheus_url,
        "DASHBOARDS_PATH": str(EXPORTERS / "grafana/dashboards"),
    }


@contextmanager
def grafana(folder: Path, prometheus_url: str) -> Iterator[str]:
    """Grafana with the shipped dashboards; gives its address, or why there is none."""
    command = grafana_command()
    if not command:
        yield "not on this machine: the dashboards of exporters/grafana are not shown"
        return
    port = free_port(3000)
    url = f"http://127.0.0.1:{port}"
    added = grafana_variables(folder, port, prometheus_url)
    with server(command, f"{url}/api/health", folder / "grafana.log", **added):
        yield url


def run_demo(arguments: Sequence[str], metrics_port: int) -> int:
    """The demo in the foreground, until it ends or is ended; its exit status."""
    command = [sys.executable, "-m", "guard", "demo", "--port", str(metrics_port), *arguments]
    # In a session of its own: it ends at the first signal and is killed by a second one, so it must
    # not get Ctrl-C from the terminal and from here.
    with subprocess.Popen(command, start_new_session=True) as demo:  # noqa: S603 - of this repository
        try:
            return demo.wait()
        except (KeyboardInterrupt, SystemExit):
            demo.terminate()
            return demo.wait()


def main() -> int:
    """Start everything, print the addresses, run the demo."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evenguard-observe-")))
        metrics_port = free_port(9464)
        prometheus_url = stack.enter_context(prometheus(folder, metrics_port))
        grafana_url = stack.enter_context(grafana(folder, prometheus_url))
        print(f"prometheus: {prometheus_url}/", f"grafana: {grafana_url}", sep="\n", flush=True)
        return run_demo(sys.argv[1:], metrics_port)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
