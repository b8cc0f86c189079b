"""`guard assess paraphrase`: other wordings of the prompts of CAIRO, made by a model."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from guard.assessment.generation import estimate
from guard.assessment.paraphrases import ParaphraseModel, Paraphrasing, read_templates
from guard.assessment.reader import read_rows
from guard.bootstrap.assess_files import REPLIES, make_folder, write_text, writing
from guard.bootstrap.assessment import ModelToAsk
from guard.bootstrap.paraphrases import ask_paraphrases
from guard.cli.assess_display import progress_bar
from guard.cli.interrupts import kept_when_interrupted
from guard.cli.model_options import asking_limits, model_options, model_parameters, named_model
from guard.errors import SettingsError
from guard.store.reply_cache import ReplyCache

ROWS = "rows.jsonl"


@click.command()
@click.argument("rows", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder."
)
@click.option("--count", type=click.IntRange(1), default=4, help="Wordings of each template.")
@click.option("--label", help="What its wordings are called; left out: the model.")
@model_options("that rewords")
@click.option("--dry-run", is_flag=True, help="Say what would be asked; ask nothing.")
def paraphrase(*, rows: Path, **given: Any) -> None:
    """Make other wordings of prompts, for `guard assess cairo`.

    ROWS have metric, template, group and prompt; prompts of one template differ in the words for
    the group alone. OUT/rows.jsonl has them and their wordings; give it again, with another model,
    for wordings of that one as well. Replies are kept: an interrupted run goes on where it was.
    """
    templates, others = read_templates(read_rows(rows))
    model, out = _model(given), given["out"]
    make_folder(out)
    with closing(ReplyCache(out / REPLIES)) as kept:
        wanted = Paraphrasing(
            templates=templates, model=_described(model, given), count=given["count"], kept=kept
        )
        cost = estimate(wanted.enquiries(0), kept, retry_failed=given["retry_failed"])
        click.echo(f"to ask: {cost.calls} wordings, at first; {cost.kept} are kept already")
        if given["dry_run"]:
            return
        asking = progress_bar(Console(stderr=True), "asking", cost.calls)
        with kept_when_interrupted(out / REPLIES), asking as bar:
            ask_paraphrases(wanted, model, asking_limits(given), bar)
        before = [{"paraphrase": one.paraphrase, **_about(one)} for one in others]
        lines = [json.dumps(row, sort_keys=True) for row in (*wanted.rows(), *before)]
        with writing(out):
            write_text(out / ROWS, "\n".join(lines) + "\n")
        for fault, count in sorted(Counter(wanted.faults()).items()):
            click.echo(f"{count} wordings are missing: {fault}")
    click.echo(f"{len(lines)} rows in {out / ROWS}")


def _about(row: Any) -> dict[str, str]:
    return {name: getattr(row, name) for name in ("metric", "template", "group", "prompt")}


def _described(model: ModelToAsk, given: dict[str, Any]) -> ParaphraseModel:
    return ParaphraseModel(
        name=model.asked.name,
        label=given["label"] or model.name,
        parameters=model_parameters(given),
    )


def _model(given: dict[str, Any]) -> ModelToAsk:
    model = named_model(given)
    if model is None:
        raise SettingsError("--base-url or --call: say which model rewords")
    return model
