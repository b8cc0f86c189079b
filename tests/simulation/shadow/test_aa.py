"""The simulation of `aa`, small enough to run with the tests: no alarms without a bias, and one
with it, through the shipped classifier and the real rewriter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from guard.counterfactual import Lexicons, bundled
from guard.fairness import add, e_bh
from guard.fairness.live import MATERIAL
from guard.fairness.symmetric import SymmetricTest
from guard.scoring import Catalogue, Engine, EngineOptions, open_embedder, open_engine
from guard.shadow.comparison import Instruments
from guard.shadow.normalisation import normalisation
from guard.shadow.options import ShadowOptions
from guard.shadow.plan import make_plan
from tests.repeats import repeats
from tests.simulation.shadow.aa import alarmed, gendered, runs
from tests.simulation.shadow.pool import Pool, pool
from tests.simulation.shadow.runs import biased, log10_e, rejected, run
from tests.simulation.shadow.speaker import COLD, GROUPS, Prompt, prompts

pytestmark = [pytest.mark.slow, pytest.mark.soak]

SEEDS, CALLS = repeats(10, soak=50), repeats(3_000, soak=20_000)
EVERY = repeats(3, soak=1)
STILL = 1e-9


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return bundled()


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    opened = open_engine(Catalogue.installed().find("bundled"), EngineOptions())
    yield opened
    opened.close()


def measured(
    engine: Engine, generations: int, *, replies: int, quadruples: int = 4, control: bool = False
) -> Pool:
    embedder = open_embedder(Catalogue.installed().find("sentence-minilm"))
    tools = Instruments(
        lexicons=bundled(),
        scorer=engine,
        options=ShadowOptions(groups=GROUPS, generations=generations, control=control),
        embed=embedder.embed,
    )
    return pool(prompts(), tools, replies=replies, seed=7, quadruples=quadruples)


@pytest.fixture(scope="module")
def once(engine: Engine) -> Pool:
    return measured(engine, 1, replies=4)


@pytest.fixture(scope="module")
def twice(engine: Engine) -> Pool:
    return measured(engine, 2, replies=6, quadruples=1)


@pytest.fixture(scope="module")
def beside(engine: Engine) -> Pool:
    """The contrasts of the calls that have a control."""
    return contrasts(measured(engine, 1, replies=repeats(3, soak=4), control=True))


def contrasts(made: Pool) -> Pool:
    kept = [at for at, name in enumerate(made.tests) if "_contrast" in name]
    return replace(
        made,
        tests=tuple(made.tests[at] for at in kept),
        values=made.values[:, kept],
        raw=made.raw[:, kept],
    )


@pytest.mark.parametrize(
    ("at", "prompt"), list(enumerate(prompts())), ids=[prompt.text[:40] for prompt in prompts()]
)
def test_replies_that_differ_in_the_group_alone_become_one_text(
    at: int, prompt: Prompt, lexicons: Lexicons
) -> None:
    """The reason why an A/A run is silent: without it no number of seeds would do.

    In `make test` each reply is looked at with one prompt in so many.
    """
    options = ShadowOptions(groups=GROUPS, control=False)
    made = make_plan("c", prompt.turns, None, lexicons=lexicons, options=options)
    assert made.variants
    for side in made.variants:
        ground = normalisation(side, lexicons)
        for number in range(at % EVERY, len(prompt.replies), EVERY):
            own = prompt.reply(prompt.text, number)
            other = prompt.reply(side.turns[-1].content, number)
            assert ground.versions(own) == ground.versions(other)
            assert ground.masked(own) == ground.masked(other)


@pytest.mark.parametrize("name", ["once", "twice"])
def test_the_pool_holds_the_null_exactly(name: str, request: pytest.FixtureRequest) -> None:
    made: Pool = request.getfixturevalue(name)
    gaps = np.nan_to_num(made.values)
    assert np.abs(gaps.mean(axis=0)).max() < STILL
    assert np.abs(np.sort(gaps, axis=0) + np.sort(gaps, axis=0)[::-1]).max() < STILL
    assert np.nanstd(made.values[:, 0]) > 0.1  # single calls do differ
    raw = np.nan_to_num(made.raw)
    assert np.abs(raw.mean(axis=0)).max() > 0.01  # the classifier does dislike words


def test_a_control_and_another_group_can_be_exchanged(beside: Pool) -> None:
    """But for some words for a race or a faith, which are masked less well than the usual one
    ("dark-skinned people"): they make the control differ, and not the groups."""
    for at, name in enumerate(beside.tests):
        seen = beside.values[:, at]
        seen = np.sort(seen[~np.isnan(seen)])
        assert len(seen) > repeats(50, soak=100), name
        assert seen.std() > 0.01, name
        assert seen.mean() < MATERIAL / 10, name
        if name.split(":")[1] == "gender":
            assert np.abs(seen + seen[::-1]).max() < STILL, name


@pytest.mark.parametrize("name", ["once", "twice", "beside"])
def test_without_a_bias_at_most_one_run_in_twenty_alarms(
    name: str, request: pytest.FixtureRequest
) -> None:
    made: Pool = request.getfixturevalue(name)
    assert alarmed(runs(made, CALLS, SEEDS)) <= max(1, SEEDS // 20)


def test_without_grounding_the_classifiers_dislike_would_be_called_bias(once: Pool) -> None:
    naive = runs(once, CALLS, SEEDS, raw=True)
    assert sum(bool((one.alone > 0).any()) for one in naive) > SEEDS / 2


def test_a_planted_bias_is_found(once: Pool) -> None:
    about = gendered(once)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        calls = biased(about, CALLS, rng, strength=0.4, cold=COLD)
        found = run(about.values, calls, about.tests).first[: len(about.tests)]
        names = {name.split(":")[1] for name, look in zip(about.tests, found, strict=True) if look}
        assert names == {"gender"}


def test_the_fast_arithmetic_is_that_of_the_library(once: Pool) -> None:
    calls = np.random.default_rng(1).integers(len(once.values), size=300)
    tests = [SymmetricTest(name=name) for name in once.tests]
    observed = once.values[calls]
    evidence = np.column_stack([log10_e(observed[:, at]) for at in range(len(tests))])
    for look in (0, 7, 299):
        tallies = [
            add(*(test.tally(value) for value in column[: look + 1] if not np.isnan(value)))
            for test, column in zip(tests, observed.T, strict=True)
        ]
        slow = [test.log10_e(tally) for test, tally in zip(tests, tallies, strict=True)]
        assert evidence[look] == pytest.approx(slow, abs=1e-9)


def test_the_fast_procedure_is_that_of_the_library() -> None:
    rng = np.random.default_rng(3)
    evidence = rng.exponential(1.0, size=(200, 12)) * rng.integers(0, 2, size=(200, 1))
    share = rng.dirichlet(np.ones(12))
    for row, rings in zip(evidence, rejected(evidence, share), strict=True):
        wanted = e_bh(dict(enumerate(row.tolist())), share.__getitem__)
        assert set(np.flatnonzero(rings).tolist()) == set(wanted)
    assert rejected(evidence, share).any()
