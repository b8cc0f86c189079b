"""A cluster of two nodes on this machine, whose processes can be killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import psutil

ACTOR = "ray::MapWorker(MapBatches(BlockActor))"
NODE = {"num_cpus": 1, "node_ip_address": "127.0.0.1", "include_dashboard": False}


@dataclass(frozen=True)
class TwoNodes:
    """cluster: a `ray.cluster_utils.Cluster`."""

    cluster: Any

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[TwoNodes]:
        """Up until the end."""
        utils = import_module("ray.cluster_utils")
        cluster = utils.Cluster(initialize_head=True, head_node_args=NODE)
        try:
            cluster.add_node(**NODE)
            yield cls(cluster)
        finally:
            cluster.shutdown()

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def actors(self) -> list[psutil.Process]:
        """The processes that measure, of both nodes."""
        return [one for one in processes() if title(one).startswith(ACTOR)]

    def nodes_at_work(self) -> int:
        """How many nodes have processes that measure."""
        return len({parent(one) for one in self.actors()} - {0})

    def lose_one(self) -> None:
        """The node that is not ours dies at once, with all of its processes."""
        (node,) = self.cluster.worker_nodes
        self.cluster.remove_node(node, allow_graceful=False)


def processes() -> list[psutil.Process]:
    """All processes below this one."""
    return psutil.Process().children(recursive=True)


def title(process: psutil.Process) -> str:
    """What it calls itself; nothing where it has ended."""
    try:
        return str((process.cmdline() or [""])[0])
    except psutil.Error:
        return ""


def parent(process: psutil.Process) -> int:
    """Its node; 0 where it has ended."""
    try:
        return process.ppid()
    except psutil.Error:
        return 0
