"""The Dockerfile, step by step in a folder, and the services of compose.yaml from what comes of it.

No container engine takes part: absolute paths are put below the folder, and the system is the one
of this machine. It installs a whole environment, and takes minutes.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image import ROOT, argument, instructions, only
from tests.servers import RedisServer, free_port
from tests.services import composed

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def built() -> Iterator[Path]:
    """A folder that stands for the root of the image, after every step of the Dockerfile."""
    with tempfile.TemporaryDirectory(prefix="evenguard-image-") as name:
        root = Path(name)
        for one in instructions():
            if one.name == "COPY" and "--from" not in one.text:
                copy(one.words, root / "source")
            elif one.name == "RUN":
                run(within(root, one.text), root)
        yield root


def within(root: Path, text: str) -> str:
    """The text with its absolute paths in this folder."""
    return re.sub(r"(?<![\w./])/(?=opt/|var/|wheels|source)", f"{root}/", text)


def copy(words: list[str], to: Path) -> None:
    *sources, target = words
    for source in sources:
        place = to / target / (Path(source).name if target.endswith("/") else "")
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, place)


def run(text: str, root: Path) -> None:
    """One step, in the folder that the last WORKDIR names, and with the packages of nobody else."""
    for folder in ("opt", "var/lib", "source"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    extras = argument("EXTRAS")
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "EXTRAS": extras}
    done = subprocess.run(
        ["/bin/sh", "-ec", text],
        cwd=root / "source",
        env=environment | {key: value for key, value in os.environ.items() if "PIP" in key},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{text}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def test_every_step_works_and_the_services_of_compose_start(built: Path, tmp_path: Path) -> None:
    """Steps one by one in a clean folder, then every service with its own command and settings."""
    redis = RedisServer(tmp_path / "redis", options=("--appendfsync", "always"))
    redis.start()
    ports = {str(port): str(free_port()) for port in (8080, 9464, 9465, 9466)}
    text = (ROOT / "exporters/compose/guard.yaml").read_text(encoding="utf-8")
    text = text.replace("redis:6379", f"127.0.0.1:{redis.port}")
    settings = tmp_path / "guard.yaml"
    settings.write_text(within(built, text.replace("9464", ports["9464"])), encoding="utf-8")
    for service in composed():
        command = [part.replace("9466", ports["9466"]) for part in service.command]
        command[command.index("--settings") + 1] = str(settings)
        if service.port:
            command += ["--port", ports[str(service.port)]]
        empty = tmp_path / service.name
        empty.mkdir()
        health = [replaced(part, ports) for part in service.health or only("HEALTHCHECK").exec_form]
        assert_it_starts(built / "opt/evenguard/bin", command, health, empty)
        assert list(empty.iterdir()) == [], "it writes where the image is read-only"
    redis.stop()


def replaced(text: str, ports: dict[str, str]) -> str:
    for usual, other in ports.items():
        text = text.replace(usual, other)
    return text


def assert_it_starts(programs: Path, command: list[str], health: list[str], folder: Path) -> None:
    """It prints where it is, its health check passes, and SIGTERM ends it."""
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "UPSTREAM_KEY": "u",
        "GATEWAY_KEY": "g" * 32,
    }
    started = subprocess.Popen(
        [programs / command[0], *command[1:]],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    with started:
        assert started.stdout is not None
        assert started.stdout.readline()
        if "shadow" not in command:
            subprocess.run([programs / health[0], *health[1:]], check=True, timeout=30)
        started.terminate()
        assert started.wait(60) in {0, -signal.SIGTERM, 128 + signal.SIGTERM}
