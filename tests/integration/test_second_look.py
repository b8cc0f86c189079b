"""The second look with real engines: the shipped classifier, moved up or down, renamed."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from guard import Guard, SettingsError
from guard.adapters import ChatJudge
from guard.records import LookResult, Verdict
from guard.scoring import Catalogue, open_engine
from guard.settings import Settings, parse_settings
from guard.testing import HOSTILE_TEXTS, Recorder, WordScorer, check_second_look

INSULT = "You are a stupid idiot and everybody hates you."
TRAP = "Your Mac is low on space. Empty the Trash. Then restart and check About This Mac again."
FALLBACK = "I am not able to share that answer."
KIND = "Thank you for asking, I am glad to help you with that. "
SHORT = [text for text in HOSTILE_TEXTS if len(text) < 1_000]
"""The same engine is given all of them in `test_guard`."""


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, float], Path]:
    """The shipped classifier under another name, all of its log-odds moved."""
    shipped = Catalogue.installed().find("bundled").folder

    def make(name: str, by: float) -> Path:
        folder = tmp_path_factory.mktemp("models") / name
        shutil.copytree(shipped, folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        for head in manifest["heads"]:
            head["bias"] += by
        (folder / "manifest.json").write_text(json.dumps(manifest | {"name": name}))
        return folder

    return make


def settings(second: Path | str, **use_case: object) -> Settings:
    text = json.dumps({"scoring": {"second_look": str(second)}, "defaults": use_case})
    return parse_settings(text)


@pytest.fixture(scope="module")
def lenient(moved: Callable[[str, float], Path]) -> Iterator[tuple[Guard, Recorder]]:
    seen = Recorder()
    with Guard.open(settings(moved("lenient", -20.0)), observers=[seen]) as guard:
        yield guard, seen


def test_an_answer_with_trash_in_it_is_not_blocked() -> None:
    with Guard.open(settings("off")) as guard:
        assert guard.check(TRAP, use_case="chat").verdict is Verdict.RELEASED
        assert guard.wrap(lambda: TRAP, use_case="chat")() == TRAP

        def stream() -> Iterator[str]:
            yield from TRAP.split(" ")[:1]
            yield from (f" {word}" for word in TRAP.split(" ")[1:])

        assert "".join(guard.wrap(stream, use_case="chat")()) == TRAP


def test_the_second_classifier_overturns(lenient: tuple[Guard, Recorder]) -> None:
    guard, seen = lenient
    assert guard.wrap(lambda: INSULT, use_case="chat")() == INSULT
    (look,) = seen.outcomes[-1].second_looks
    assert look.result is LookResult.OVERTURNED
    assert look.second["toxicity"] < 0.01 < 0.9 < look.fast["toxicity"]
    assert seen.outcomes[-1].verdict is Verdict.RELEASED
    count = guard.metrics.registry.get_sample_value(
        "guard_second_look_total", {"use_case": "chat", "result": "overturned"}
    )
    assert count == 1


async def test_so_do_streams(lenient: tuple[Guard, Recorder]) -> None:
    guard, seen = lenient
    reply = f"{KIND}{INSULT} {KIND}"

    async def model() -> AsyncIterator[str]:
        for word in reply.split(" "):
            yield word + " "

    text = "".join([piece async for piece in guard.wrap(model, use_case="chat")()])
    assert text.split() == reply.split()
    assert guard.flow.drain(10.0)
    assert {one.result for one in seen.outcomes[-1].second_looks} == {LookResult.OVERTURNED}


def test_the_second_classifier_raises_what_is_within_the_margin(
    moved: Callable[[str, float], Path],
) -> None:
    chosen = settings(
        moved("strict", 20.0), policy={"toxicity": {"block": 0.999}, "stereotype": {}}
    )
    wide = chosen.model_copy(
        update={"scoring": chosen.scoring.model_copy(update={"second_look_margin": 0.5})}
    )
    with Guard.open(chosen) as guard:
        assert guard.check(KIND, use_case="chat").second_looks == ()
    with Guard.open(wide) as guard:
        outcome = guard.check(INSULT, use_case="chat")
        assert [one.result for one in outcome.second_looks] == [LookResult.RAISED]
        assert outcome.text == FALLBACK


def test_under_load_fast_decisions_stand_and_nobody_waits_long(
    moved: Callable[[str, float], Path],
) -> None:
    judge = ChatJudge(lambda _: "never JSON", threads=1, waiting=2, seconds=5.0)
    seen = Recorder()

    async def calls(guard: Guard) -> list[str]:
        async def model(number: int) -> str:
            return f"{INSULT} Number {number}."

        ask = guard.wrap(model, use_case="chat")
        return list(await asyncio.gather(*(ask(number) for number in range(20))))

    with Guard.open(observers=[seen], second_look=judge) as guard:
        assert set(asyncio.run(calls(guard))) == {FALLBACK}
    judge.close()
    results = {look.result for outcome in seen.outcomes for look in outcome.second_looks}
    assert results <= {LookResult.FAILED, LookResult.OVERLOADED, LookResult.LATE}
    assert len(seen.outcomes) == 20


def test_an_engine_can_take_second_looks() -> None:
    with open_engine(Catalogue.installed().find("bundled")) as engine:
        check_second_look(engine, late_seconds=10.0, texts=SHORT)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bundled", r"scoring\.second_look: 'bundled' is the model that scores first"),
        ("no-such-model", r"scoring\.second_look: .*no model there.*`off` is for none"),
        ("sentence-minilm", r"is no classifier"),
    ],
)
def test_what_cannot_look_is_said(name: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        Guard.open(settings(name))


def test_a_scorer_without_a_score_of_the_rules_is_refused() -> None:
    class Other(WordScorer):
        heads: ClassVar = {}  # type: ignore[misc]

    with pytest.raises(SettingsError, match=r"scoring\.second_look: it makes none of the scores"):
        Guard.open(second_look=Other({}))
