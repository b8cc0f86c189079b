"""`guard assess`: a use case assessed from prompts and responses, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from guard.assessment import AssessmentResults
from guard.assessment.engines import MeasuringEngine
from guard.assessment.generation import AskingEstimate
from guard.assessment.items import ItemFigures
from guard.assessment.joining import join_responses
from guard.assessment.near_words import read_lists
from guard.assessment.options import AssessmentOptions, NumbersOf
from guard.assessment.reader import Row, RowFormat, describe, read_rows
from guard.assessment.results import DataFile
from guard.assessment.run_folder import RESULTS
from guard.assessment.totals import UnitMeasures
from guard.bootstrap.assess import groups_to_compare, material_of, task_of
from guard.bootstrap.assess_files import REPLIES, REPORT, items_file, make_folder, write_results
from guard.bootstrap.assessment import OpenAssessment, open_assessment
from guard.cli.assess_display import (
    failure_line,
    group_failures,
    plan_lines,
    progress_bar,
    results_table,
)
from guard.cli.assess_engine import chosen_engine, engine_options
from guard.cli.assess_papers import cairo, fairpair, fisco
from guard.cli.assess_paraphrase import paraphrase
from guard.cli.assess_runs import compare, gate
from guard.cli.assess_store import assess_from_store
from guard.cli.interrupts import kept_when_interrupted
from guard.cli.model_options import asking_limits, model_options, model_parameters, named_model
from guard.cli.options import settings_option
from guard.errors import SettingsError
from guard.fairness import Intervention, ModelTask
from guard.render.visible import visible_text
from guard.settings import Settings, lexicons_of, load_settings
from guard.text.plurals import counted

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(invoke_without_command=True)
@click.option("--use-case", help="Its name, as it stands in the report.")
@click.option("--prompts", type=FILE, help="JSONL, CSV or plain lines; see docs/assess.md.")
@click.option("--responses", type=FILE, help="Responses, where they stand in another file.")
@click.option("--from-store", is_flag=True, help="What the live guard kept, instead of --prompts.")
@click.option("--store", "url", help="URL of its store, instead of store.url of --settings.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder of the results."
)
@model_options("to ask for what is missing")
@click.option(
    "--task",
    type=click.Choice(["auto", "summarization", *(one.value for one in ModelTask)]),
    default="auto",
    help="auto: by the fields of the rows.",
)
@click.option("--invariance/--no-invariance", default=True, help="Replies ought not to change.")
@click.option(
    "--content-may-differ", is_flag=True, help="Sentiment ought to stay, content need not."
)
@click.option(
    "--representation-parity", is_flag=True, help="Groups ought to get the class as often."
)
@click.option(
    "--intervention",
    type=click.Choice([one.value for one in Intervention]),
    help="What a class leads to.",
)
@click.option(
    "--metrics", default="", help="Names, with commas, instead of what the framework picks."
)
@click.option("--attributes", default="", help="Attributes, with commas; left out: all.")
@click.option(
    "--preset",
    type=click.Choice([one.value for one in NumbersOf]),
    default="paper",
    help="Whose formulas.",
)
@click.option("--words", type=FILE, help="A JSON file with word lists for COBS and SA.")
@click.option("--positive", default="", help="The positive classes, with commas.")
@click.option(
    "--m",
    type=click.IntRange(1),
    help="Responses per prompt; 25 of a model where the worst of them is assessed, else 1.",
)
@click.option(
    "--generations", type=click.IntRange(1), default=2, help="Replies per side of a pair."
)
@click.option(
    "--max-variants", type=click.IntRange(1), default=2, help="Other groups per attribute."
)
@click.option("--deterministic", is_flag=True, help="The model gives one and the same reply.")
@click.option("--max-tokens", type=click.IntRange(1), help="Of a reply; goes along as well.")
@click.option(
    "--price", type=(float, float), default=(0.0, 0.0), help="Of a million tokens, in and out."
)
@click.option(
    "--material",
    type=(str, float),
    multiple=True,
    metavar="METRIC SIZE",
    help="From which size on a difference matters, instead of shadow.material and our own.",
)
@click.option("--threshold", type=float, help="From which score on a response counts.")
@click.option("--sentiment-threshold", type=float, default=0.5, help="The same for WCSP.")
@click.option("--level", type=float, default=0.05, help="Of all tests together.")
@click.option("--worst", type=click.IntRange(0), default=10, help="Cases kept of each metric.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Of draws and choices.")
@click.option(
    "--dry-run", is_flag=True, help="Say what would be asked and what it costs; ask nothing."
)
@engine_options
@settings_option("A guard.yaml: its classifier and its words.")
@click.pass_context
def assess(ctx: click.Context, /, **given: Any) -> None:
    """Assess a use case: metrics picked by the decision framework, each with its interval.

    Responses that are missing are asked of the model, those about other groups too, and kept in
    OUT/replies.sqlite: an interrupted run goes on where it was. Writes OUT/results.json,
    report.html, report.md and junit.xml.
    """
    if ctx.invoked_subcommand is not None:
        return
    source = "from_store" if given["from_store"] else "prompts"
    for name in ("use_case", source, "out"):
        if given[name] is None:
            raise SettingsError(f"--{name.replace('_', '-')}: is missing")
    if not given["use_case"].strip():
        raise SettingsError("--use-case: is empty")
    file = given.pop("file")
    settings = load_settings(file) if file else Settings()
    if given["from_store"]:
        assess_from_store(settings, given, Console(stderr=True))
    else:
        make_folder(given["out"])
        run(settings, given, Console(stderr=True))


def run(settings: Settings, given: dict[str, Any], console: Console) -> None:
    """Everything after the options are there."""
    rows = partial(_rows, given["prompts"], given["responses"])
    files = [path for path in (given["prompts"], given["responses"]) if path is not None]
    with open_assessment(
        _options(settings, given, rows),
        rows,
        settings=settings,
        replies=given["out"] / REPLIES,
        data=_described(files),
        model=named_model(given),
        words=read_lists(given["words"]) if given["words"] else None,
    ) as opened:
        engine = chosen_engine(given, opened, settings, given["out"] / REPLIES)
        for line in plan_lines(opened.assessment.plan):
            console.print(line, markup=False, highlight=False)
        opened.assessment.check()
        for line in map(visible_text, opened.assessment.warnings):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        cost = opened.cost(retry_failed=given["retry_failed"])
        console.print(_cost_line(cost, given["price"]), markup=False, highlight=False)
        if given["dry_run"]:
            return
        with kept_when_interrupted(given["out"] / REPLIES):
            results = _carry_out(opened, given, console, cost.calls, engine)
    write_results(results, given["out"], lexicons_of(settings.counterfactual))
    console.print(results_table(results))
    for line in group_failures(results):
        console.print(line, markup=False, highlight=False)
    console.print(f"{given['out'] / RESULTS}, {given['out'] / REPORT}", markup=False)


def _carry_out(
    opened: OpenAssessment,
    given: dict[str, Any],
    console: Console,
    calls: int,
    engine: MeasuringEngine | None,
) -> AssessmentResults:
    with progress_bar(console, "asking", calls) as asking:
        counts = opened.ask(asking_limits(given), asking)
    if counts.left:
        console.print(f"{counted(counts.left, 'question')} beyond the budget: not asked")
    if counts.lost:
        console.print(failure_line(counts), markup=False, highlight=False)
    prompts = opened.assessment.survey.prompts
    with progress_bar(console, "measuring", prompts) as bar, items_file(given["out"]) as keep:
        return opened.results(partial(_keep, keep, bar.step), engine)


def _keep(
    write: Callable[[ItemFigures], None], step: Callable[[], None], measured: UnitMeasures
) -> None:
    for item in measured.items:
        write(item)
        step()


def _rows(prompts: Path, responses: Path | None) -> Iterator[Row]:
    return read_rows(prompts) if responses is None else join_responses(prompts, responses)


def _described(files: list[Path]) -> list[DataFile]:
    return [describe(path, sum(1 for _ in read_rows(path, RowFormat.AUTO))) for path in files]


def _options(
    settings: Settings, given: dict[str, Any], rows: Callable[[], Iterator[Row]]
) -> AssessmentOptions:
    longest = {} if given["max_tokens"] is None else {"max_tokens": given["max_tokens"]}
    return AssessmentOptions(
        use_case=given["use_case"],
        task=_task(given["task"], rows),
        invariance=given["invariance"],
        content_may_differ=given["content_may_differ"],
        representation_parity=given["representation_parity"],
        intervention=given["intervention"],
        metrics=_names(given["metrics"]),
        preset=NumbersOf(given["preset"]),
        groups=groups_to_compare(settings, _names(given["attributes"]), rows()),
        attributes=_names(given["attributes"]),
        m=given["m"] or 0,
        generations=given["generations"],
        max_variants=given["max_variants"],
        deterministic=given["deterministic"],
        positive=_names(given["positive"]),
        level=given["level"],
        response_threshold=given["threshold"],
        sentiment_threshold=given["sentiment_threshold"],
        material={**material_of(settings, given["use_case"]), **dict(given["material"])},
        worst=given["worst"],
        seed=given["seed"],
        parameters={**model_parameters(given), **longest},
    )


def _task(task: str, rows: Callable[[], Iterator[Row]]) -> ModelTask:
    if task == "summarization":
        return ModelTask.GENERATION
    return task_of(rows()) if task == "auto" else ModelTask(task)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _cost_line(cost: AskingEstimate, price: tuple[float, float]) -> str:
    if not cost.calls:
        return f"nothing to ask; {counted(cost.kept, 'reply', 'replies')} kept already"
    money = (cost.prompt_tokens * price[0] + cost.reply_tokens * price[1]) / 1e6
    told = f", at most {money:.2f}" if any(price) else ""
    return (
        f"to ask: {counted(cost.calls, 'question')}, about {cost.prompt_tokens} tokens, replies of"
        f" at most {cost.reply_tokens}{told}; {counted(cost.kept, 'reply', 'replies')} kept already"
    )


assess.add_command(compare)
assess.add_command(gate)
assess.add_command(cairo)
assess.add_command(fairpair)
assess.add_command(fisco)
assess.add_command(paraphrase)
