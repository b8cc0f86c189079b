"""`guard models`: which classifiers there are, and what can be done with them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guard.cli.exits import EXIT_FAILED
from guard.cli.model_bench import Figures, measured
from guard.cli.model_import import import_
from guard.cli.model_upkeep import card, remove, thresholds, use
from guard.cli.options import json_option
from guard.errors import ModelError
from guard.records import Assessment
from guard.scoring import (
    Catalogue,
    Listing,
    Manifest,
    Model,
    ModelKind,
    open_engine,
    open_pair_classifier,
)
from guard.scoring.models import open_parts, packed
from guard.scoring.pairs import PAIR_LABELS

WIDE: Final = 200
FIXED_LINE: Final = "Thank you for your message, we are happy to help you with the order."
SHOWN: Final = ("toxicity", "stereotype", "sentiment")

as_json = json_option("JSON for machines, not a table.")


@click.group()
def models() -> None:
    """List, verify, time, import and use classifiers."""


for command in (import_, use, card, thresholds, remove):
    models.add_command(command)


@models.command("list")
@as_json
def list_(*, json_: bool) -> None:
    """List the installed models."""
    listings = Catalogue.installed().list()
    if json_:
        _print_json([_listing_json(listing) for listing in listings])
    else:
        _console().print(_list_table(listings))


@models.command()
@click.argument("names", nargs=-1)
@as_json
@click.pass_context
def check(ctx: click.Context, names: tuple[str, ...], *, json_: bool) -> None:
    """Verify models: their files, and that they load and answer.

    NAMES are names of installed models or folders; all installed ones without any. Exit status 1
    if one of them cannot be used.
    """
    catalogue = Catalogue.installed()
    chosen = names or tuple(listing.name for listing in catalogue.list())
    checks = [check_model(catalogue, name) for name in chosen]
    if json_:
        _print_json([one.as_json() for one in checks])
    else:
        _show_checks(checks)
    if not all(one.usable for one in checks):
        ctx.exit(EXIT_FAILED)


@models.command()
@click.argument("name", default="bundled")
@click.option(
    "--texts",
    type=click.IntRange(min=32),
    default=100,
    help="Texts in each round.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=5,
    help="Rounds; the medians are shown.",
)
@as_json
def bench(name: str, *, texts: int, rounds: int, json_: bool) -> None:
    """Time a classifier on this machine, on replies as a chat gives them.

    The ratio compares the engine, given one text at a time by its callers, with its bare ONNX
    session fed with batches packed beforehand, on as many threads.
    """
    figures = measured(Catalogue.installed().find(name), texts=texts, rounds=rounds)
    if json_:
        _print_json(figures.as_json())
    else:
        _console().print(_bench_table(figures))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCheck:
    """What was found. answer: what the model made of a fixed line; None when it is not."""

    name: str
    answer: str | None = None
    problem: str | None = None

    @property
    def usable(self) -> bool:
        """Whether the model can be used."""
        return self.problem is None

    def as_json(self) -> dict[str, object]:
        """For machines."""
        return {"name": self.name, "fine": self.usable} | asdict(self)


def check_model(catalogue: Catalogue, name: str) -> ModelCheck:
    """Verify the files of the model called `name`, load it and let it answer."""
    try:
        model = catalogue.find(name)
        answer = _ANSWERS[model.manifest.task](model)
    except ModelError as error:
        return ModelCheck(name=name, problem=str(error))
    return ModelCheck(name=name, answer=answer)


def _scores(model: Model) -> str:
    with open_engine(model) as engine:
        assessment = engine.submit(FIXED_LINE).result()
    if assessment.reason is not None:
        raise ModelError(f"{model.folder}: gives no scores ({assessment.reason.value})")
    shown = [key for key in SHOWN if key in assessment.scores] or list(assessment.scores)
    return ", ".join(f"{key} {_value(assessment, key)}" for key in shown)


def _value(assessment: Assessment, key: str) -> str:
    value = assessment.value(key)
    return "none" if value is None else f"{value:.3f}"


def _vector(model: Model) -> str:
    vocabulary, session = open_parts(model, threads=1)
    try:
        output = session(*packed(list(vocabulary.windows(FIXED_LINE)), vocabulary))
    except Exception as error:
        raise ModelError(f"{model.folder}: does not run ({error}); import it again") from error
    if output.shape != (1, model.manifest.dimension):
        raise ModelError(f"{model.folder}: gives {output.shape}, not its manifest's dimension")
    return f"{model.manifest.dimension} numbers"


def _pair(model: Model) -> str:
    (chances,) = open_pair_classifier(model).probabilities([(FIXED_LINE, FIXED_LINE)]).tolist()
    return ", ".join(f"{name} {one:.3f}" for name, one in zip(PAIR_LABELS, chances, strict=True))


_ANSWERS: Final = {
    ModelKind.CLASSIFICATION: _scores,
    ModelKind.EMBEDDING: _vector,
    ModelKind.NLI: _pair,
}


def _listing_json(listing: Listing) -> dict[str, object]:
    facts = {} if listing.model is None else _facts(listing.model.manifest)
    return {
        "name": listing.name,
        "folder": str(listing.folder),
        **facts,
        "problem": listing.problem,
    }


def _facts(manifest: Manifest) -> dict[str, object]:
    return {
        "version": manifest.version,
        "task": manifest.task.value,
        "heads": {head.key: head.threshold for head in manifest.heads},
        "dimension": manifest.dimension or None,
        "languages": list(manifest.languages),
        "window_tokens": manifest.window_tokens,
        "license": manifest.license,
        "source": manifest.source,
    }


def _list_table(listings: Iterable[Listing]) -> Table:
    table = _table(("model", "version", "gives", "languages", "licence"))
    for listing in listings:
        if listing.model is None:
            table.add_row(listing.name, "", f"[red]{escape(str(listing.problem))}[/]")
        else:
            table.add_row(listing.name, *_cells(listing.model.manifest))
    return table


def _cells(manifest: Manifest) -> Sequence[str]:
    gives = {
        ModelKind.CLASSIFICATION: _heads(manifest),
        ModelKind.EMBEDDING: f"{manifest.dimension} numbers",
        ModelKind.NLI: "entailment of pairs",
    }[manifest.task]
    languages = " ".join(manifest.languages)
    return manifest.version, gives, languages, manifest.license


def _heads(manifest: Manifest) -> str:
    """Scores by family: `toxicity (6), stereotype (6), sentiment`."""
    families = Counter(head.key.partition(".")[0] for head in manifest.heads)
    return ", ".join(f"{key} ({many})" if many > 1 else key for key, many in families.items())


def _show_checks(checks: Iterable[ModelCheck]) -> None:
    console = _console()
    for one in checks:
        if one.usable:
            console.print(f"[green]fine[/]  [bold]{one.name}[/]: {one.answer}", soft_wrap=True)
        else:
            console.print("[red]bad[/]   ", end="")
            console.print(f"{one.name}: {one.problem}", markup=False, soft_wrap=True)


def _bench_table(figures: Figures) -> Table:
    table = Table(
        title=f"{figures.model}, {figures.workers} worker(s)", box=None, show_header=False
    )
    table.add_column(style="dim")
    table.add_column(justify="right", style="bold")
    for name, value in figures.rows():
        table.add_row(name, value)
    return table


def _console() -> Console:
    """The terminal; what is no terminal has room for long lines."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=WIDE)


def _table(columns: Iterable[str]) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, no_wrap=column == "model")
    return table


def _print_json(data: Sequence[Mapping[str, object]] | Mapping[str, object]) -> None:
    click.echo(json.dumps(data, indent=2))
