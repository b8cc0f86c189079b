"""`guard review suggest`: what to allow, by what people decided."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

import click

from guard.bootstrap import open_scorer, policies
from guard.cli.options import json_option, with_store
from guard.policy import AllowEntry
from guard.ports import Store
from guard.review.allow_suggestions import (
    LEAST_CONFIRMED,
    LEAST_FALSE_ALARMS,
    AllowProposal,
    SuggestionLimits,
    suggest_allowed,
)
from guard.settings import Settings


@click.command()
@click.option("--use-case", help="Only of this use case.")
@click.option(
    "--least",
    type=click.IntRange(min=1),
    default=LEAST_FALSE_ALARMS,
    help="In so many acceptable replies a phrase stands, and stops so many, at least.",
)
@click.option(
    "--least-confirmed",
    type=click.IntRange(min=1),
    default=LEAST_CONFIRMED,
    help="With fewer replies judged harmful nothing is proposed.",
)
@json_option("JSON lines, not YAML.")
@with_store
def suggest(
    store: Store,
    settings: Settings,
    *,
    use_case: str | None,
    least: int,
    least_confirmed: int,
    json_: bool,
) -> None:
    """Propose phrases to allow: common to replies that people found acceptable, and in no harmful
    one. Judged replies are scored again, to say what the phrases would have changed.

    Prints YAML for the settings, with what speaks for each entry as comments. Nothing is changed.
    """
    limits = SuggestionLimits(false_alarms=least, confirmed=least_confirmed)
    found = list(_proposals(store, settings, use_case, limits))
    if not found:
        click.echo("no reply was decided on yet", err=True)
    for one in found:
        if json_:
            click.echo(json.dumps(asdict(one)))
        else:
            click.echo("\n".join(_yaml(one, settings)))


def _proposals(
    store: Store, settings: Settings, use_case: str | None, limits: SuggestionLimits
) -> Iterator[AllowProposal]:
    known = sorted({name for name, _ in store.case_counts()} | {*settings.use_cases})
    with open_scorer(settings.scoring) as scorer:
        policy_of = policies(settings, scorer.heads)
        for name in [use_case] if use_case is not None else known:
            if settings.use_cases and name not in settings.use_cases and use_case is None:
                continue  # a use case of before
            yield suggest_allowed(
                store, name, policy_of(name), lambda text: scorer.submit(text).result(), limits
            )


def _yaml(one: AllowProposal, settings: Settings) -> Iterator[str]:
    yield (
        f"# {one.use_case}: {one.false_alarms} replies that fire were judged acceptable,"
        f" {one.confirmed} harmful{_left_out(one)}."
    )
    for refused in one.refused:
        yield f"# Not proposed: {_quoted(refused.phrase)}, since {refused.why}"
    if one.problem:
        yield f"# Nothing to propose: {one.problem}."
        return
    yield (
        f"# With these entries {one.stopped} of the {one.false_alarms} would not have fired, and"
        f" {one.lost} of the {one.confirmed} would have been lost; of all harmful replies at most"
        f" {one.lost_at_most or 0:.0%} (95 % confidence, if they are like those)."
    )
    yield from _entries(one, settings)


def _entries(one: AllowProposal, settings: Settings) -> Iterator[str]:
    declared = one.use_case in settings.use_cases
    yield from ("use_cases:", f"  {one.use_case}:") if declared else ("defaults:",)
    space = "    " if declared else "  "
    section = settings.use_cases.get(one.use_case, settings.defaults)
    yield f"{space}allow:"
    for entry in section.allow:
        yield f"{space}  - {_written(entry)}"
    for new in one.suggestions:
        yield (
            f"{space}  - {_quoted(new.phrase)}  # in {new.found} acceptable replies, stops"
            f" {new.stopped}, in no harmful one"
        )


def _left_out(one: AllowProposal) -> str:
    silent = f"; {one.silent} more do not fire any more" if one.silent else ""
    return silent + (f"; of {one.without_text} no text was kept" if one.without_text else "")


def _written(entry: AllowEntry) -> str:
    return _quoted(entry.name) if entry.folded else f"pattern: {_quoted(entry.name)}"


def _quoted(text: str) -> str:
    """A string of JSON is one of YAML."""
    return json.dumps(text)
