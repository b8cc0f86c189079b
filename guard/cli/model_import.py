"""`guard models import`: somebody else's classifier into the catalogue."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TypedDict, Unpack

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from guard.cli.options import FiniteRange, json_option
from guard.errors import SettingsError
from guard.importing import (
    LEAST_WINDOW,
    STEPS,
    WINDOW_TOKENS,
    ImportedModel,
    ImportRequest,
    ModelStorage,
    Precision,
    Purpose,
    ScoreDifference,
    SourceKind,
    Tolerance,
    import_model,
    parse_source,
    read_texts,
    shipped_texts,
)
from guard.scoring import imported_models
from guard.settings.label_map import load_label_map
from guard.text import function_words

_DOING = {
    "files": "fetching and looking through the files",
    "weights": "loading the weights, exporting the graph",
    "precision": "changing the precision",
    "comparison": "comparing with the original",
    "catalogue": "putting it into the catalogue",
}


class ImportOptions(TypedDict):
    """What was given on the command line."""

    name: str
    purpose: str | None
    map_: Path | None
    precision: str | None
    calibration: Path | None
    tolerance: float | None
    window: int
    languages: tuple[str, ...]
    licence: str | None
    revision: str | None
    trust_pickle: bool
    replace: bool


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _known_languages(
    context: click.Context, parameter: click.Parameter, codes: tuple[str, ...]
) -> tuple[str, ...]:
    """In small letters. With a code that no text is ever told to be in, none would have a score."""
    del context, parameter
    found, known = tuple(code.lower() for code in codes), sorted(function_words())
    for code in found:
        if code not in known:
            raise click.BadParameter(
                f"no text is told to be in {code!r}; one of {', '.join(known)}, or leave the"
                " option out for any language"
            )
    return found


@click.command("import")
@click.argument("source")
@click.option("--name", required=True, help="What the model is called here.")
@click.option(
    "--as",
    "purpose",
    type=click.Choice([one.value for one in Purpose]),
    help="What it is for; left out: all that its labels are.",
)
@click.option("--map", "map_", type=_FILE, help="YAML that says what labels are, by name.")
@click.option(
    "--precision",
    type=click.Choice([one.value for one in Precision]),
    help="Of the weights; int8 unless SOURCE is onnx:, which is taken as it is.",
)
@click.option("--calibration", type=_FILE, help="Texts to compare on: lines, or JSONL with text.")
@click.option(
    "--tolerance",
    type=FiniteRange(0, 1),
    help="Most that a score may differ from its original [default: int8 0.2, fp16 0.01, fp32 1e-4]",
)
@click.option(
    "--window",
    type=click.IntRange(min=LEAST_WINDOW),
    default=WINDOW_TOKENS,
    help="Most tokens that are read at once.",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    callback=_known_languages,
    help="Score only texts in it (ISO 639-1); repeatable.",
)
@click.option("--licence", help="Where the model card names none.")
@click.option("--revision", help="Branch, tag or commit on the hub.")
@click.option("--trust-pickle", is_flag=True, help="Load the tensors in a pickle, nothing else.")
@click.option("--replace", is_flag=True, help="Replace the imported model of that name.")
@json_option("JSON for machines, not words.")
def import_(source: str, *, json_: bool, **options: Unpack[ImportOptions]) -> None:
    """Import a classifier or an embedder of somebody else.

    SOURCE is detoxify:original|unbiased|multilingual (or the folder of a checkpoint), hf:NAME or
    hf:FOLDER (a sequence classifier of transformers), st:NAME or st:FOLDER (sentence-transformers),
    nli:NAME or nli:FOLDER (a classifier of pairs), or onnx:FOLDER.

    The model is exported, its weights are made smaller, and what comes out is compared with the
    original, as the engine runs it. It is refused where the two differ too much. An import that
    fails or is interrupted leaves nothing behind. Code that comes with a model is never run.
    """
    request = _request(source, options)
    with _bar() as progress:
        imported = import_model(request, ModelStorage(root=imported_models()), progress)
    if json_:
        click.echo(json.dumps(asdict(imported) | {"folder": str(imported.folder)}, indent=2))
    else:
        _show(imported)


def _request(text: str, options: ImportOptions) -> ImportRequest:
    """Raises ModelError, SettingsError."""
    source = parse_source(text)
    calibration, purpose, labels = options["calibration"], options["purpose"], options["map_"]
    return ImportRequest(
        source=source,
        name=options["name"],
        tolerance=Tolerance.of(_precision(source.kind, options["precision"]), options["tolerance"]),
        purpose=Purpose(purpose) if purpose else None,
        labels=load_label_map(labels) if labels else {},
        texts=read_texts(calibration) if calibration else shipped_texts(),
        window_tokens=options["window"],
        languages=options["languages"],
        licence=options["licence"],
        revision=options["revision"],
        trust_pickle=options["trust_pickle"],
        replace=options["replace"],
    )


def _precision(kind: SourceKind, given: str | None) -> Precision:
    if kind is not SourceKind.ONNX:
        return Precision(given or Precision.INT8)
    if given:
        raise SettingsError(f"--precision {given}: an ONNX file is taken as it is; leave it out")
    return Precision.FP32


@contextmanager
def _bar() -> Iterator[Callable[[str], None]]:
    """A bar on a terminal's standard error, nothing elsewhere."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(_DOING[STEPS[0]], total=len(STEPS))

        def progress(step: str) -> None:
            bar.update(task, description=_DOING[step], completed=STEPS.index(step))

        yield progress


def _reached(head: ScoreDifference, texts: int) -> str:
    """How much a share of decisions says: nothing, where no text reaches the threshold."""
    return "" if head.reached is None else f" ({head.reached} of {texts} reach the threshold)"


def _show(imported: ImportedModel) -> None:
    found, ours, original = imported.comparison, imported.ours, imported.original
    makes = ", ".join(imported.heads) or "embeddings"
    click.echo(f"{imported.name}: {makes} ({imported.precision.value}, {imported.folder})")
    for head in found.heads:
        rank = "" if head.rank is None else f", rank correlation {head.rank:.4f}"
        click.echo(
            f"  {head.head}: differs by {head.mean:.2g} on average, {head.largest:.2g} at most,"
            f" {head.flips:.1%} of decisions{_reached(head, found.texts)}{rank}"
        )
    if found.lowest_cosine is not None:
        click.echo(f"  cosine: lowest {found.lowest_cosine:.6f}, mean {found.mean_cosine:.6f}")
    click.echo(
        f"  {found.texts} texts; {ours.size_bytes / 1e6:.1f} MB, the original"
        f" {original.size_bytes / 1e6:.1f} MB; {ours.tokens_per_second:,.0f} tokens in"
        f" a second of processor time, the original {original.tokens_per_second:,.0f}"
    )
    click.echo(f"guard models use {imported.name} --settings guard.yaml")
