"""How clusters are reached. A process connects to one only, so each test has its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.clusters.cluster import TwoNodes

LOCAL = """
import json, os, psutil, signal, sys
from guard.bootstrap.ray_cluster import RayCluster

before = signal.getsignal(signal.SIGTERM)
with RayCluster().connected() as ray:
    here = psutil.Process()
    ports = [
        one.laddr.ip
        for process in (here, *here.children(recursive=True))
        for one in process.net_connections("tcp")
        if one.status == psutil.CONN_LISTEN
    ]
    told = {"addresses": sorted(set(ports)), "files": os.listdir(os.environ["TMPDIR"])}
    told["same_signal"] = signal.getsignal(signal.SIGTERM) == before
    json.dump(told, sys.stdout)
"""
REMOTE = """
import sys
from guard.bootstrap.ray_cluster import RayCluster
from guard.errors import ClusterError

try:
    with RayCluster(address=sys.argv[1]).connected():
        print("connected")
except ClusterError as error:
    print(error)
"""


def child(
    code: str, *arguments: str, home: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """A process without variables of Ray but these."""
    inherited = {name: one for name, one in os.environ.items() if not name.startswith("RAY_")}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**inherited, "HOME": str(home), **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )


def test_a_cluster_of_this_machine_keeps_to_itself(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="g-") as folder:
        told = json.loads(child(LOCAL, home=tmp_path, TMPDIR=folder).stdout)
        assert {one.removeprefix("::ffff:") for one in told["addresses"]} == {"127.0.0.1"}
        assert [one.startswith("guard-ray-") for one in told["files"]] == [True]
        assert told["same_signal"]
        assert list(Path(folder).iterdir()) == []
    assert sorted(one.name for one in tmp_path.rglob("*")) == [".ray", "auth_token"]


def test_a_cluster_refuses_another_token(tmp_path: Path, nodes: TwoNodes) -> None:
    mine = {name: one for name, one in os.environ.items() if name.startswith("RAY_")}
    given = {**mine, "RAY_AUTH_TOKEN": "f" * 64}
    assert "RAY_AUTH_TOKEN_PATH" in child(REMOTE, nodes.address, home=tmp_path, **given).stdout


def test_a_cluster_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    found = child(REMOTE, "127.0.0.1:1", home=tmp_path).stdout
    assert found.startswith("--ray-address 127.0.0.1:1:")
