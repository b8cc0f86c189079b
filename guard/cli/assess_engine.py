"""Options of `guard assess` that say where prompts are measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from guard.assessment.engines import MeasuringEngine
from guard.bootstrap.assessment import OpenAssessment
from guard.bootstrap.ray_cluster import RayCluster
from guard.bootstrap.ray_engine import ray_engine
from guard.errors import SettingsError
from guard.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])
_LOCAL, _RAY = "local", "ray"


def engine_options(command: F) -> F:
    """Adds them to a command."""
    for option in (
        click.option(
            "--ray-cpus", type=click.IntRange(1), help="Of each actor, and its threads; 1."
        ),
        click.option("--ray-address", help="host:port of a cluster, or auto; else RAY_ADDRESS."),
        click.option(
            "--engine",
            type=click.Choice([_LOCAL, _RAY]),
            default=_LOCAL,
            help="Where replies are scored: in this process, or by the actors of a Ray cluster.",
        ),
    ):
        command = option(command)
    return command


def chosen_engine(
    given: Mapping[str, Any], opened: OpenAssessment, settings: Settings, replies: Path
) -> MeasuringEngine | None:
    """The engine; None for this process. replies: of the model. Raises SettingsError."""
    if given["engine"] == _RAY:
        cluster = RayCluster(address=given["ray_address"] or "", cpus=given["ray_cpus"] or 1)
        return ray_engine(cluster, opened, settings, replies)
    for name in ("ray_address", "ray_cpus"):
        if given[name] is not None:
            raise SettingsError(f"--{name.replace('_', '-')}: goes with --engine ray")
    return None
