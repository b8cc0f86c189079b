"""`guard models use|card|thresholds|remove`: what is done with models that are in the catalogue."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from guard.cli.exits import Failure
from guard.cli.options import FiniteRange, json_option
from guard.cli.text_scoring import to_file
from guard.errors import ModelError
from guard.importing import (
    ChosenThresholds,
    ModelStorage,
    choose_thresholds,
    described,
    labelled_rows,
)
from guard.importing.manifest import with_thresholds
from guard.render.visible import visible_text
from guard.scoring import EngineOptions, ModelKind, find_model, imported_models, open_engine
from guard.settings.edit import with_scoring

CARD = "CARD.md"
_KEYS = {
    ModelKind.CLASSIFICATION: "model",
    ModelKind.EMBEDDING: "embedder",
    ModelKind.NLI: "nli",
}
"""Which key of `scoring` names a model."""
_ROOM_FOR_ALL = EngineOptions(max_open_tokens=2**62)
"""The texts are in memory as they are, and none of them may be refused for the others."""


@click.command()
@click.argument("name")
@click.option(
    "--settings",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The guard.yaml to change; left out: the lines for one are shown.",
)
def use(name: str, *, file: Path | None) -> None:
    """Make NAME the classifier of a guard.yaml: `scoring.model`.

    An embedder becomes its `scoring.embedder`, a classifier of pairs its `scoring.nli`.

    Everything else in the file is left as it stands. Processes that are running go on with the
    model they have; new evidence about fairness begins with the new one.
    """
    key = _KEYS[find_model(name).manifest.task]
    if file is None:
        click.echo(f"scoring:\n  {key}: {name}")
        return
    changed = with_scoring(file.read_text(encoding="utf-8"), key, name, source=str(file))
    with to_file(file) as write:
        write(changed.rstrip("\n"))
    click.echo(f"{file}: scoring.{key} is {name}")


@click.command()
@click.argument("name")
def card(name: str) -> None:
    """Show the card of a model: what it is, and how it was measured."""
    path = find_model(name).folder / CARD
    try:
        click.echo(visible_text(path.read_text(encoding="utf-8").rstrip()))
    except FileNotFoundError:
        raise Failure(f"{path}: the model has no card") from None


@click.command()
@click.argument("name")
def remove(name: str) -> None:
    """Take an imported model out of the catalogue."""
    click.echo(f"removed {ModelStorage(root=imported_models()).remove(name)}")


@click.command()
@click.argument("name")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Harmless texts as lines, or JSONL with text and 0 or 1 for each head that is known.",
)
@click.option(
    "--rate",
    type=FiniteRange(0, 0.5, min_open=True),
    default=0.01,
    help="Share of harmless texts that may reach the threshold.",
)
@click.option("--write", is_flag=True, help="Keep the thresholds in an imported model.")
@json_option("JSON for machines, not words.")
def thresholds(name: str, *, data: Path, rate: float, write: bool, json_: bool) -> None:
    """Choose thresholds of a classifier at a false positive rate, on texts of yours.

    A line that says nothing of a head counts as harmless where the file has no labels at all, and
    is left out for that head otherwise. The interval of a threshold is where it would lie for 95 of
    100 samples like this one. Lines without a text, a score or a label that is 0 or 1 are counted
    and named; the figures are about the others.
    """
    model, rows = find_model(name), list(labelled_rows(data))
    with open_engine(model, _ROOM_FOR_ALL) as engine:
        chosen = choose_thresholds(engine, rows, rate)
    if not chosen.heads:
        says = "; ".join([f"{data}: no harmless text for any head of {name}", *_left_out(chosen)])
        raise ModelError(says)
    if write:
        folder = ModelStorage(root=imported_models()).find(name).folder
        with to_file(folder / "manifest.json") as line:
            line(with_thresholds(folder, {one.head: one.threshold for one in chosen.heads}))
    if json_:
        click.echo(json.dumps(asdict(chosen), indent=2))
    else:
        _show(chosen)


def _left_out(chosen: ChosenThresholds) -> list[str]:
    return described(chosen.left_out, chosen.lines)


def _show(chosen: ChosenThresholds) -> None:
    for one in chosen.heads:
        high = "1" if one.high is None else f"{one.high:.3f}"
        recall = "" if one.recall is None else f"; {one.recall:.1%} of {one.harmful} others"
        click.echo(
            f"{one.head}: {one.threshold:.3f} ({one.low:.3f} to {high}), reached by"
            f" {one.false_positive_rate:.2%} ({one.rate_low:.2%} to {one.rate_high:.2%}) of"
            f" {one.harmless} harmless texts{recall}"
        )
    for line in _left_out(chosen):
        click.echo(line)
