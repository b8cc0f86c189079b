"""`guard assess paraphrase`: other wordings of the prompts of CAIRO, made by a model."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from guard.assessment.generation import AskingLimits, estimate
from guard.assessment.paraphrases import ParaphraseModel, Paraphrasing, read_templates
from guard.assessment.reader import read_rows
from guard.bootstrap.assess_files import REPLIES, write_text
from guard.bootstrap.assessment import ModelToAsk, function_to_ask
from guard.bootstrap.paraphrases import ask_paraphrases
from guard.cli.assess_display import progress_bar
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
@click.option("--model", help="The model that rewords, as its API calls it.")
@click.option("--base-url", help="Its address, everything before /chat/completions.")
@click.option("--api-key-env", help="The environment variable that holds its key.")
@click.option("--call", help="A Python function to ask instead: package.module:function.")
@click.option("--temperature", type=float, help="Goes along with every question.")
@click.option("--concurrency", type=click.IntRange(1), default=8, help="Questions under way.")
@click.option("--retry-failed", is_flag=True, help="Ask again what an earlier run gave up.")
@click.option("--max-calls", type=click.IntRange(0), help="Ask no more than this.")
@click.option("--max-total-tokens", type=click.IntRange(0), help="Stop asking beyond.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked; ask nothing.")
def paraphrase(*, rows: Path, **given: Any) -> None:
    """Make other wordings of prompts, for `guard assess cairo`.

    ROWS have metric, template, group and prompt; prompts of one template differ in the words for
    the group alone. OUT/rows.jsonl has them and their wordings; give it again, with another model,
    for wordings of that one as well. Replies are kept: an interrupted run goes on where it was.
    """
    templates, others = read_templates(read_rows(rows))
    model, out = _model(given), given["out"]
    out.mkdir(parents=True, exist_ok=True)
    with closing(ReplyCache(out / REPLIES)) as kept:
        wanted = Paraphrasing(
            templates=templates, model=_described(model, given), count=given["count"], kept=kept
        )
        cost = estimate(wanted.enquiries(0), kept, retry_failed=given["retry_failed"])
        click.echo(f"to ask: {cost.calls} wordings, at first; {cost.kept} are kept already")
        if given["dry_run"]:
            return
        with progress_bar(Console(stderr=True), "asking", cost.calls) as bar:
            ask_paraphrases(wanted, model, _limits(given), bar)
        before = [{"paraphrase": one.paraphrase, **_about(one)} for one in others]
        lines = [json.dumps(row, sort_keys=True) for row in (*wanted.rows(), *before)]
        write_text(out / ROWS, "\n".join(lines) + "\n")
        for fault, count in sorted(Counter(wanted.faults()).items()):
            click.echo(f"{count} wordings are missing: {fault}")
    click.echo(f"{len(lines)} rows in {out / ROWS}")


def _about(row: Any) -> dict[str, str]:
    return {name: getattr(row, name) for name in ("metric", "template", "group", "prompt")}


def _limits(given: dict[str, Any]) -> AskingLimits:
    calls, tokens = given["max_calls"], given["max_total_tokens"]
    return AskingLimits(
        concurrency=given["concurrency"],
        retry_failed=given["retry_failed"],
        calls=float("inf") if calls is None else calls,
        tokens=float("inf") if tokens is None else tokens,
    )


def _described(model: ModelToAsk, given: dict[str, Any]) -> ParaphraseModel:
    parameters = {name: given[name] for name in ("model", "temperature") if given[name] is not None}
    return ParaphraseModel(
        name=model.asked.name, label=given["label"] or model.name, parameters=parameters
    )


def _model(given: dict[str, Any]) -> ModelToAsk:
    if given["call"]:
        return ModelToAsk(name=given["call"], fn=function_to_ask(given["call"]))
    if not given["base_url"]:
        raise SettingsError("--base-url or --call: say which model rewords")
    name = given["model"] or ""
    return ModelToAsk(name=name, base_url=given["base_url"], api_key_env=given["api_key_env"])
