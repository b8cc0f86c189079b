"""`guard init`: a guard.yaml to start from."""

from __future__ import annotations

from pathlib import Path

import click

from guard.cli.exits import Failure
from guard.errors import SettingsError
from guard.settings import use_case_name
from guard.settings.starter import starter_yaml


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default="guard.yaml")
@click.option(
    "--use-case",
    "use_cases",
    multiple=True,
    metavar="NAME",
    help="Declare a use case; give it several times for several. Without any, all are accepted.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there already.")
def init(file: Path, use_cases: tuple[str, ...], *, force: bool) -> None:
    """Write FILE, a guard.yaml that starts in mode `observe`, with every key and its default.

    In `observe` the guard releases everything and records what it would have done. Enforcing is one
    word: `mode: enforce`. Nothing is asked. A file that is there already is not touched; exit
    status 1.
    """
    text = starter_yaml([_checked(name) for name in dict.fromkeys(use_cases)])
    try:
        with file.open("w" if force else "x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        raise Failure(f"{file} is there already; --force replaces it") from None
    except OSError as error:
        raise Failure(f"{file} cannot be written: {error.strerror}") from error
    click.echo(f"{file}: mode observe; `mode: enforce` acts on what is found")


def _checked(name: str) -> str:
    try:
        return use_case_name(name)
    except ValueError as error:
        raise SettingsError(f"--use-case {name!r}: {error}") from None
