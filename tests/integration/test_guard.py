"""The guard with its real classifier, as an application uses it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from guard import Blocked, Guard, ModelError, SettingsError, UnknownUseCase
from guard.records import Unscored, Verdict
from guard.scoring import Catalogue
from guard.settings import parse_settings
from guard.testing import HOSTILE_TEXTS, Recorder, check_scorer

INSULT = "You are a stupid idiot and everybody hates you."
KIND = "Thank you for asking, I am glad to help you with that."


@pytest.fixture(scope="module")
def seen() -> Recorder:
    return Recorder()


@pytest.fixture(scope="module")
def guard(seen: Recorder) -> Iterator[Guard]:
    with Guard.open(observers=[seen]) as opened:
        yield opened


def test_kind_words_pass_and_an_insult_does_not(guard: Guard) -> None:
    ask = guard.wrap(lambda prompt: prompt, use_case="chat")
    assert ask(KIND) == KIND
    assert ask(INSULT) == "I am not able to share that answer."


def test_a_stream_stops_before_the_insult(guard: Guard) -> None:
    def model(prompt: str) -> Iterator[str]:
        yield from (word + " " for word in prompt.split())

    text = "".join(guard.wrap(model, use_case="chat")(f"{KIND} {INSULT} Goodbye."))
    assert text.startswith("Thank you for asking")
    assert "stupid" not in text
    assert text.endswith("I am not able to share that answer.")


async def test_many_async_calls_at_once(guard: Guard) -> None:
    async def model(prompt: str) -> str:
        return prompt

    async def stream(prompt: str) -> AsyncIterator[str]:
        yield prompt

    ask = guard.wrap(model, use_case="chat")
    replies = await asyncio.gather(*(ask(f"{KIND} {index}") for index in range(50)))
    assert replies == [f"{KIND} {index}" for index in range(50)]
    assert [piece async for piece in guard.wrap(stream, use_case="chat")(KIND)] == [KIND]


def test_many_threads_at_once(guard: Guard) -> None:
    ask = guard.wrap(lambda prompt: prompt, use_case="chat")
    with ThreadPoolExecutor(16) as threads:
        replies = list(threads.map(ask, [KIND, INSULT] * 25))
    assert replies.count(KIND) == 25


def test_a_reply_from_a_log_can_be_checked(guard: Guard) -> None:
    outcome = guard.check(f"{KIND} {INSULT}", use_case="chat")
    assert outcome.verdict is Verdict.BLOCKED
    (worst,) = [p for p in outcome.assessment.passages if p.values["toxicity"] > 0.5]
    assert outcome.reply[worst.span.start : worst.span.end] == INSULT


async def test_checking_does_not_block_the_loop(guard: Guard) -> None:
    outcome = await guard.check_async(KIND, use_case="chat")
    assert outcome.verdict is Verdict.RELEASED


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=range(len(HOSTILE_TEXTS)))
def test_hostile_texts_come_back_or_become_the_fallback(guard: Guard, text: str) -> None:
    reply = guard.wrap(lambda: text, use_case="chat")()
    assert reply in {text, "I am not able to share that answer."}


def test_the_engine_keeps_the_promises_of_a_scorer(guard: Guard) -> None:
    check_scorer(guard._runtime.engine)


def test_the_counters_agree_with_the_outcomes(guard: Guard, seen: Recorder) -> None:
    counted = sum(
        sample.value
        for family in guard.metrics.registry.collect()
        for sample in family.samples
        if sample.name == "guard_calls_total"
    )
    guard._runtime.flow.drain(5.0)
    assert counted == len(seen.outcomes) > 0


class Chunk:
    """A piece of a stream as the clients of model providers give it."""

    def __init__(self, content: str | None) -> None:
        self.content = content


@pytest.mark.parametrize("on_unscored", ["release", "withhold"])
def test_chunks_without_text_pass_and_condemn_nothing(on_unscored: str) -> None:
    settings = parse_settings(f"defaults: {{on_unscored: {on_unscored}, deadline_ms: 60000}}")
    seen = Recorder()
    with Guard.open(settings, observers=[seen]) as guard:

        def model(*texts: str | None) -> Iterator[Chunk]:
            yield from map(Chunk, texts)

        ask = guard.wrap(
            model,
            use_case="chat",
            prompt=lambda *_: "",
            read=lambda chunk: chunk.content,
            write=lambda _, text: Chunk(text),
        )
        fine = [chunk.content for chunk in ask(None, "Hello. ", "All good.", None)]
        assert fine[0] is None
        assert fine[-1] is None
        assert "".join(filter(None, fine)) == "Hello. All good."
        blocked = "".join(chunk.content or "" for chunk in ask("Hello. ", INSULT, None))
        assert blocked == "Hello. I am not able to share that answer."
    assert [one.verdict for one in seen.outcomes] == [Verdict.RELEASED, Verdict.BLOCKED]


LONG = "Some different words appear here again and again, and then some. " * 3000


@pytest.mark.parametrize("on_block", ["fallback", "raise"])
async def test_the_deadline_holds_for_checks_and_for_raised_blocks(on_block: str) -> None:
    text = f"defaults: {{deadline_ms: 1, on_unscored: withhold, on_block: {on_block}}}"
    with Guard.open(parse_settings(text)) as guard:
        for outcome in (
            guard.check(LONG, use_case="chat"),
            await guard.check_async(LONG + "!", use_case="chat"),
        ):
            assert outcome.unscored is Unscored.DEADLINE
            assert outcome.verdict is Verdict.BLOCKED
        if on_block == "raise":
            with pytest.raises(Blocked) as caught:
                guard.wrap(lambda: LONG + "?", use_case="chat")()
            assert caught.value.outcome.unscored is Unscored.DEADLINE


def test_settings_of_another_kind_are_refused() -> None:
    with pytest.raises(SettingsError, match="a path or Settings, not int"):
        Guard.open(5)  # type: ignore[arg-type]


def test_wrapping_for_an_undeclared_use_case_fails_at_once(tmp_path: Path) -> None:
    file = tmp_path / "guard.yaml"
    file.write_text("use_cases: {chat: {}}")
    with (
        Guard.open(file) as opened,
        pytest.raises(UnknownUseCase, match="add it under `use_cases`"),
    ):
        opened.wrap(str, use_case="other")


def test_read_and_write_come_together(guard: Guard) -> None:
    with pytest.raises(SettingsError, match="both"):
        guard.wrap(str, use_case="chat", read=str)


def test_a_model_in_a_folder_needs_no_bundled_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "own"
    shutil.copytree(Catalogue.installed().find("bundled").folder, folder)

    def missing() -> Catalogue:
        raise ModelError("not installed")

    monkeypatch.setattr(Catalogue, "installed", missing)
    with Guard.open(parse_settings(f"scoring: {{model: {folder}}}")) as opened:
        assert opened.check(KIND, use_case="chat").verdict is Verdict.RELEASED


def test_a_missing_model_names_the_remedy() -> None:
    with pytest.raises(ModelError, match="must be bundled, a folder, or one of"):
        Guard.open(parse_settings("scoring: {model: nosuch}"))


DISGUISED = {
    "foreign words behind": INSULT.rstrip(".") + ", le la les du et dans pour aux des une.",
    "escaped": INSULT.replace("stupid", "st\\u0075pid"),
    "tag characters": "".join(chr(0xE0000 + ord(each)) for each in INSULT),
}


@pytest.mark.parametrize("text", DISGUISED.values(), ids=DISGUISED)
def test_a_disguised_insult_is_withheld_by_the_built_in_policy(guard: Guard, text: str) -> None:
    assert guard.wrap(lambda prompt: prompt, use_case="chat")(text) != text


@pytest.mark.parametrize("text", ["နေကောင်းလား မိတ်ဆွေ", "Ⓨⓞⓤ" * 20 + "ꭰꭱꭲ ꭳꭴꭵ ꭶꭷꭸ", "ᎣᏏᏲ ᎣᎩᎾᎵᎢ ᏙᎯᏧ"])
def test_what_cannot_be_read_is_withheld_where_the_policy_fails_closed(text: str) -> None:
    settings = parse_settings("use_cases: {chat: {on_unscored: withhold}}")
    seen = Recorder()
    with Guard.open(settings, observers=[seen]) as guard:
        ask = guard.wrap(lambda prompt: prompt, use_case="chat")
        assert ask(KIND) == KIND
        assert ask(text) != text
    assert seen.outcomes[-1].unscored in {Unscored.LANGUAGE, Unscored.UNREADABLE}


def test_a_reply_of_sixty_thousand_characters_is_judged_to_its_end() -> None:
    """The deadline is for a machine with other work."""
    prose = "The train reaches the station near the old bridge every morning. " * 920
    settings = parse_settings("use_cases: {chat: {deadline_ms: 10000}}")
    with Guard.open(settings) as guard:
        ask = guard.wrap(lambda prompt: prompt, use_case="chat")
        assert len(prose) > 59_000
        assert ask(prose) == prose
        assert ask(prose + INSULT) != prose + INSULT


def test_an_insult_whose_letters_come_in_halves_is_withheld(guard: Guard) -> None:
    """Bold letters of mathematics are two surrogates each; every piece of the stream is one."""
    bold = "".join(
        chr(0x1D41A + ord(each) - ord("a")) if each.islower() else each for each in INSULT
    )
    units = bold.encode("utf-16-le")
    halves = [
        units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)
    ]
    said = "".join(guard.wrap(lambda prompt: iter(halves), use_case="chat")("say it"))
    assert "".join(halves) != bold
    assert said == "I am not able to share that answer."
