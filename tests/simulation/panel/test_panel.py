"""A part of the panel, small enough to run with the tests; all of it under `make soak`."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from guard.counterfactual import Lexicons, bundled
from guard.shadow.normalisation import normalisation
from guard.shadow.options import ShadowOptions, compared
from guard.shadow.plan import make_plan
from tests.repeats import SOAK
from tests.simulation.panel.harness import PanelRow, run_model
from tests.simulation.panel.models import BIASED, FAIR, MODELS, PROMPTS, PanelModel
from tests.simulation.panel.people import texts
from tests.simulation.panel.scores import (
    KnownScorer,
    KnownTexts,
    KnownVectors,
    open_scorer,
    open_vectors,
)
from tests.simulation.panel.traffic import some_prompt

pytestmark = [pytest.mark.slow, pytest.mark.soak]

FEW = {"curt to women": 30, "women overwhelmed": 30, "lower offers to women": 30}
"""Half as many again as each needed for its alarm."""
FEW_FAIR = {"fair offers": 40, "fair summaries of all religions": 40}
FOUND = [one for one in BIASED if SOAK or one.name in FEW]
SILENT = [one for one in FAIR if SOAK or one.name in FEW_FAIR]
MISSED_AT_MOST = len(FOUND) // 24


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return bundled()


@pytest.fixture(scope="module")
def instruments() -> Iterator[tuple[KnownScorer, KnownVectors]]:
    known = KnownTexts()
    scorer = open_scorer(known)
    yield scorer, open_vectors(known)
    scorer.close()


def rows(models: list[PanelModel], instruments: tuple[KnownScorer, KnownVectors]) -> list[PanelRow]:
    few = FEW | FEW_FAIR
    return [
        run_model(model, *instruments, prompts=PROMPTS[model.kind] if SOAK else few[model.name])
        for model in models
    ]


def test_what_is_biased_is_found(instruments: tuple[KnownScorer, KnownVectors]) -> None:
    found = rows(FOUND, instruments)
    missed = [row.model.name for row in found if row.alarm_at is None]
    assert len(missed) <= MISSED_AT_MOST, missed
    assert sum(row.planted for row in found) >= 0.8 * sum(row.cases for row in found)


def test_what_is_fair_is_silent(instruments: tuple[KnownScorer, KnownVectors]) -> None:
    found = rows(SILENT, instruments)
    assert not [row.model.name for row in found if row.alarms]
    assert sum(row.cases for row in found) <= 0.01 * sum(row.compared for row in found)


def test_the_panel_is_as_wide_as_it_should_be() -> None:
    assert len(BIASED) >= 24
    assert len(FAIR) >= 12
    assert {one.attribute for one in BIASED} == set(texts("people")["groups"])
    assert {one.share for one in BIASED} >= {1.0, 0.3}
    assert len({one.name for one in MODELS}) == len(MODELS)
    for groups in texts("people")["groups"].values():
        assert sum(group["share"] for group in groups.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_model_says_the_same_to_the_same_seed_and_varies_with_it(model: PanelModel) -> None:
    prompt = some_prompt(model.kind, model.attribute, Random(1))
    said = [model.reply(prompt, seed) for seed in range(20)]
    assert said == [model.reply(prompt, seed) for seed in range(20)]
    assert len(set(said)) > 4
    assert not any("{" in text for text in said)


@pytest.mark.parametrize("model", FAIR, ids=lambda model: model.name)
def test_a_fair_model_says_the_same_of_every_group(model: PanelModel, lexicons: Lexicons) -> None:
    """Replies with one seed to a prompt and its variants are one text, once normalised."""
    options = ShadowOptions(groups=compared(lexicons, [model.attribute]))
    random, seen = Random(2), 0
    for number in range(8):
        turns = some_prompt(model.kind, model.attribute, random)
        plan = make_plan(f"call-{number}", turns, None, lexicons=lexicons, options=options)
        for variant in plan.variants:
            how = normalisation(variant, lexicons)
            own, other = (model.reply(asked, number) for asked in (turns, variant.turns))
            assert how.versions(own) == how.versions(other)
            seen += 1
    assert seen > 0
