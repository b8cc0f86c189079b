"""The services that compose.yaml and the files for Kubernetes describe, in one form for both."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import yaml

from guard.cli.main import main

FOLDER = Path(__file__).parents[1] / "exporters"
COMPOSE = FOLDER / "compose.yaml"
KUBERNETES = sorted(
    set((FOLDER / "kubernetes").glob("*.yaml")) - {FOLDER / "kubernetes/guard.yaml"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A container of the guard's image. settings: the guard.yaml it gets."""

    name: str
    command: Sequence[str]
    settings: Path
    ports: frozenset[int] = frozenset()
    health: Sequence[str] = field(default=())

    @property
    def port(self) -> int:
        """Where its command listens; 0 for one that does not."""
        context = check_command(self.command)
        listens = {"serve": 8080, "shadow": 0}
        return int(context.params.get("port") or listens[str(context.info_name)])


def compose() -> dict[str, Any]:
    """The whole of compose.yaml, its anchors resolved."""
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    return found


def composed() -> list[Service]:
    """The services of compose.yaml that run the guard."""
    return [
        Service(
            name=name,
            command=one["command"],
            settings=FOLDER / "compose/guard.yaml",
            ports=frozenset(int(port.rpartition(":")[2]) for port in one.get("ports", ())),
            health=one.get("healthcheck", {}).get("test", ["CMD"])[1:],
        )
        for name, one in compose()["services"].items()
        if one["image"].startswith("evenguard")
    ]


def manifests(kind: str) -> Iterator[dict[str, Any]]:
    """All objects of one kind in the files for Kubernetes."""
    for path in KUBERNETES:
        for one in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            if one["kind"] == kind:
                yield one


def container(deployment: Mapping[str, Any]) -> dict[str, Any]:
    """The only container of a deployment."""
    (found,) = deployment["spec"]["template"]["spec"]["containers"]
    return dict(found)


def deployed() -> list[Service]:
    """The deployments as services."""
    return [
        Service(
            name=one["metadata"]["name"],
            command=container(one)["args"],
            settings=FOLDER / "kubernetes/guard.yaml",
            ports=frozenset(port["containerPort"] for port in container(one).get("ports", ())),
        )
        for one in manifests("Deployment")
    ]


def check_command(command: Sequence[str]) -> click.Context:
    """Read `guard ...` as the command line does, and do not run it.

    Raises click.ClickException for a command or an option that does not exist.
    """
    program, *arguments = command
    assert program == "guard", shlex.join(command)
    found: click.Command = main
    context = click.Context(main, info_name=program)
    while isinstance(found, click.Group):
        name, *arguments = arguments
        inner = found.get_command(context, name)
        if inner is None:
            raise click.UsageError(f"no such command: {shlex.join(command)}")
        found = inner
    return found.make_context(name, arguments, parent=context)
