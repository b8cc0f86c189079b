"""`guard assess cairo`, `fairpair` and `fisco`: the methods of three papers over rows."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from guard import __version__
from guard.assessment.cairo_run import CairoOptions, CairoResults, read_cells, run_cairo
from guard.assessment.claim_lists import ClaimLists
from guard.assessment.fairpair_run import FairPairResults, read_fairpair
from guard.assessment.fisco_run import (
    FORMS,
    WITHOUT_CLAIMS,
    FiscoResults,
    FiscoTools,
    read_claims,
    run_fisco,
)
from guard.assessment.json_codec import encode_record
from guard.assessment.reader import describe, read_rows
from guard.assessment.results import DataFile, Provenance
from guard.bootstrap.assess_files import make_folder, write_text, writing
from guard.bootstrap.assessment import ModelToAsk, open_measures
from guard.bootstrap.claims import ListedClaims, claim_labels, open_claims
from guard.cli.interrupts import kept_when_interrupted
from guard.cli.model_options import asking_limits, model_options, model_parameters, named_model
from guard.cli.options import settings_option
from guard.errors import SettingsError
from guard.fairness.claim_likeness import CLAIMS
from guard.render.fairpair_markdown import fairpair_markdown
from guard.render.paper_markdown import cairo_markdown, fisco_markdown
from guard.scoring import shipped_pair_classifier
from guard.settings import Settings, load_settings
from guard.store.reply_cache import ReplyCache

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("rows", type=FILE)
@click.option("--out", type=FOLDER, required=True, help="Folder of cairo.json and cairo.md.")
@click.option("--size", type=click.IntRange(1), default=2, help="Wordings in a combination.")
@click.option("--draws", type=click.IntRange(1), default=999, help="Of the permutation null.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Of the permutation null.")
@click.option("--code", is_flag=True, help="The authors' code: rows pooled, one combination.")
@settings_option("A guard.yaml: its classifier.")
def cairo(
    rows: Path, *, out: Path, size: int, draws: int, seed: int, code: bool, file: Path | None
) -> None:
    """Whether metrics agree about models (CAIRO).

    ROWS are JSONL or CSV with model, metric, template, group, paraphrase (empty for the original)
    and responses, or scores with toxicity. Beside each selected correlation stands the one on
    held-out templates and how often chance selects one as high: without them it says nothing.
    """
    options = CairoOptions(size=size, draws=draws, seed=seed, code=code)
    with ExitStack() as stack:
        measures = open_measures(_settings(file), stack)
        cells = read_cells(read_rows(rows), lambda: measures.scorer)
        found = run_cairo(cells, options, measures.provenance(_described(rows)))
    _write(found, out, "cairo", cairo_markdown(found))


@click.command()
@click.argument("rows", type=FILE)
@click.option("--out", type=FOLDER, required=True, help="Folder of fisco.json and fisco.md.")
@click.option("--claims", is_flag=True, help="ROWS hold labels of claims and no responses.")
@click.option(
    "--form",
    "forms",
    type=click.Choice(FORMS),
    multiple=True,
    default=WITHOUT_CLAIMS,
    show_default=True,
    help="What replies are compared by; may be given several times.",
)
@click.option(
    "--nli",
    default="",
    help="For claims: a classifier of pairs; left out: scoring.nli, or the shipped one.",
)
@model_options("that lists the claims of replies; left out: each sentence is one")
@click.option("--seed", type=click.IntRange(0), default=0, help="Of drawn permutations.")
@settings_option("A guard.yaml: its classifier and its words.")
def fisco(
    rows: Path,
    *,
    out: Path,
    claims: bool,
    forms: tuple[str, ...],
    nli: str,
    seed: int,
    file: Path | None,
    **given: Any,
) -> None:
    """Whether replies to different groups mean the same (FiSCo).

    ROWS are JSONL or CSV with pair, group and responses, several for each group of a question; they
    are compared by words, sentiment and embeddings, and with --form claims by what they claim: each
    sentence of a reply, or each claim that --base-url or --call lists, is checked against each
    other reply; lists are kept in OUT/claims.sqlite. With --claims, JSONL with question,
    groups (one for each reply) and labels: how many claims of reply i are entailed, neutral and
    contradicted by reply j. Welch's test is published with it; the permutation test decides.
    """
    settings = _settings(file)
    pairs = _pair_classifier(nli, settings) if CLAIMS in forms else ""
    lister = named_model(given)
    if lister is not None and CLAIMS not in forms:
        raise SettingsError("--base-url, --call: a model lists claims for --form claims only")
    with ExitStack() as stack:
        measures = open_measures(settings, stack)
        provenance = measures.provenance(_described(rows))
        if claims:
            found = read_claims(rows, seed=seed, provenance=provenance)
        else:
            tools = FiscoTools(
                prepare=measures.prepared_replies,
                forms=forms,
                lexicons=measures.lexicons,
                seed=seed,
            )
            if CLAIMS in forms:
                opened = open_claims(pairs)
                listed = None if lister is None else _listed(lister, given, stack, out)
                tools = replace(tools, label_claims=claim_labels(opened.checker, listed))
                used = (opened.used, listed.used) if listed else (opened.used,)
                provenance = replace(provenance, models=(*provenance.models, *used))
            found = run_fisco(read_rows(rows), tools, provenance=provenance)
    _write(found, out, "fisco", fisco_markdown(found))


@click.command()
@click.argument("rows", type=FILE)
@click.option("--out", type=FOLDER, required=True, help="Folder of fairpair.json and fairpair.md.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Of drawn permutations.")
def fairpair(rows: Path, *, out: Path, seed: int) -> None:
    """F of dissimilarities that were made elsewhere (FairPair).

    ROWS are JSONL with question, groups (one for each reply, those of the rewritten replies first)
    and dissimilarities (n x n). For replies that the guard compares itself, FairPair is among the
    metrics of `guard assess`.
    """
    provenance = Provenance(version=__version__, data=(_described(rows),))
    found = read_fairpair(rows, seed=seed, provenance=provenance)
    _write(found, out, "fairpair", fairpair_markdown(found))


def _described(rows: Path) -> DataFile:
    with rows.open("rb") as stream:
        return describe(rows, sum(1 for _ in stream))


def _settings(file: Path | None) -> Settings:
    return load_settings(file) if file else Settings()


def _pair_classifier(named: str, settings: Settings) -> str:
    shipped = shipped_pair_classifier()
    found = named or settings.scoring.nli or (shipped.manifest.name if shipped else "")
    if not found:
        raise click.UsageError("--form claims needs --nli, a classifier of pairs, or scoring.nli")
    return found


def _listed(
    model: ModelToAsk, given: Mapping[str, Any], stack: ExitStack, out: Path
) -> ListedClaims:
    make_folder(out)
    file = out / "claims.sqlite"
    stack.enter_context(kept_when_interrupted(file))
    kept = stack.enter_context(closing(ReplyCache(file)))
    lists = ClaimLists(model=model.asked.name, parameters=model_parameters(given), kept=kept)
    return ListedClaims(lists=lists, model=model, limits=asking_limits(given))


def _write(
    found: CairoResults | FairPairResults | FiscoResults, out: Path, name: str, markdown: str
) -> None:
    make_folder(out)
    with writing(out):
        write_text(out / f"{name}.json", encode_record(found) + "\n")
        write_text(out / f"{name}.md", markdown)
    click.echo(markdown, nl=False)
