"""A Ray cluster: one that runs already, or one on this machine for as long as it is needed."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any, Final

from guard.assessment.blocks import BLOCK_TEXTS
from guard.errors import ClusterError, SettingsError
from guard.scoring.workers import usable_cores

_ADDRESS: Final = "RAY_ADDRESS"
_LOCAL: Final = "local"
_PATIENCE_SECONDS: Final = 10.0
_MODULES: Final = ("ray", "pyarrow", "pandas")
_OBJECT_BYTES: Final = 256 << 20
"""Of blocks under way on this machine; Ray would take a third of all memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RayCluster:
    """Where a cluster is, and how it is used.

    address: `host:port` of one that runs already, or `auto`; empty for the one that the environment
    variable RAY_ADDRESS names, and without it for one on this machine that ends with the run.
    cpus: of each actor, and its threads. actors: 0 for as many as there are cores for. block_texts:
    after which a block of prompts is full.
    """

    address: str = ""
    cpus: int = 1
    actors: int = 0
    block_texts: int = BLOCK_TEXTS

    @property
    def place(self) -> str:
        """The address that holds; `local` for a cluster of this machine. Raises SettingsError."""
        found = self.address or os.environ.get(_ADDRESS, "") or _LOCAL
        if "://" in found:
            raise SettingsError(
                f"--ray-address {found}: expected host:port or auto; start the assessment on a node"
                " of the cluster, which has the files"
            )
        return found

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """The module `ray`, connected until the end. A cluster that this process is connected to
        already is used, and stays. Raises SettingsError, ClusterError."""
        place = self.place
        with ExitStack() as stack:
            stack.enter_context(_environment(_settings(place)))
            check_installed()
            ray, _ = import_module("ray"), import_module("ray.data")
            if not ray.is_initialized():
                _check_listening(place)
                options = _local_options(stack) if place == _LOCAL else {}
                stack.callback(ray.shutdown)
                _connect(ray, place, options)
            stack.enter_context(_quiet("ray.data"))
            yield ray

    def room(self, ray: Any) -> int:
        """How many actors there are to be. Raises ClusterError."""
        cores = int(ray.cluster_resources().get("CPU", 0))
        found = self.actors or cores // self.cpus
        if found < 1:
            raise ClusterError(
                f"the cluster has {cores} cores: too few for an actor of {self.cpus} (--ray-cpus)"
            )
        return found


def _settings(place: str) -> Mapping[str, str]:
    """Of Ray: its statistics are off, and a cluster of this machine listens on 127.0.0.1 alone."""
    found = {"RAY_USAGE_STATS_ENABLED": "0"}
    if place == _LOCAL:
        found["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    return found


@contextmanager
def _environment(wanted: Mapping[str, str]) -> Iterator[None]:
    """Variables that are not set already, set until the end: Ray's processes inherit them."""
    missing = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(missing)
    try:
        yield
    finally:
        for name in missing:
            os.environ.pop(name, None)


def check_installed() -> None:
    """Raises SettingsError where Ray is missing."""
    if missing := [name for name in _MODULES if find_spec(name) is None]:
        raise SettingsError(f"--engine ray: {missing[0]} is missing: pip install 'evenguard[ray]'")


def _local_options(stack: ExitStack) -> dict[str, Any]:
    """Of a cluster of this machine; what it writes goes with it."""
    folder = TemporaryDirectory(prefix="guard-ray-", ignore_cleanup_errors=True)
    return {
        "num_cpus": usable_cores(),
        "include_dashboard": False,
        "object_store_memory": _OBJECT_BYTES,
        "_temp_dir": stack.enter_context(folder),
        "_node_ip_address": "127.0.0.1",
    }


def _check_listening(place: str) -> None:
    """Raises ClusterError where nobody is there: Ray would try for two minutes."""
    host, _, port = place.rpartition(":")
    if not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE_SECONDS).close()
    except OSError as error:
        raise ClusterError(f"--ray-address {place}: {error}; is the cluster up?") from error


def _connect(ray: Any, place: str, options: Mapping[str, Any]) -> None:
    """Raises ClusterError. Leaves the process its own handling of SIGTERM, which Ray replaces."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=place, log_to_driver=False, logging_level=logging.ERROR, **options)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise ClusterError(
            f"--ray-address {place}: {error}; is it up, of the same version, and is its token there"
            " (RAY_AUTH_TOKEN, RAY_AUTH_TOKEN_PATH)?"
        ) from error
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Errors only of this logger, until the end."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
