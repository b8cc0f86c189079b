"""Functions that answer piece by piece."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from guard.errors import Blocked
from guard.flow import Codec, Piece
from guard.policy import Hold, OnUnscored, Policy, Rule
from guard.records import Action, Assessment, Score, Span, Unscored, Verdict
from guard.testing import HeldScorer, Recorder, WordScorer, wrap_with

SCORER = WordScorer({"toxicity": {"nasty": 0.95, "rude": 0.6}})
BLOCK = Policy(
    rules=(
        Rule(score="toxicity", action=Action.FLAG, threshold=0.5),
        Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),
    ),
    fallback="No.",
)
REDACT = Policy(
    rules=(Rule(score="toxicity", action=Action.REDACT, threshold=0.5),),
    redaction="[x]",
    fallback="No.",
)
REGENERATE = Policy(
    rules=(Rule(score="toxicity", action=Action.REGENERATE, threshold=0.5),), fallback="No."
)
GOOD = ["One good ", "sentence. ", "Another ", "one. ", "The end"]
TURNS = ["All is ", "well. ", "You are ", "nasty. ", "Truly."]


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def streams(*replies: Iterable[str]) -> Callable[[str], Iterator[str]]:
    """A model that streams these replies, one per call."""
    left = iter(replies)

    def model(prompt: str) -> Iterator[str]:
        del prompt
        yield from next(left)

    return model


@pytest.mark.parametrize("hold", list(Hold))
def test_a_harmless_stream_arrives_whole(recorder: Recorder, hold: Hold) -> None:
    policy = replace(BLOCK, hold=hold)
    ask = wrap_with(streams(GOOD), policy=policy, scorer=SCORER, observer=recorder)
    assert list(ask("hi")) != []
    assert "".join(
        wrap_with(streams(GOOD), policy=policy, scorer=SCORER, observer=recorder)("hi")
    ) == "".join(GOOD)
    assert recorder.outcomes[0].verdict is Verdict.RELEASED
    assert recorder.outcomes[0].reply == recorder.outcomes[0].text == "".join(GOOD)


def test_a_sentence_leaves_before_the_next_one_is_generated(recorder: Recorder) -> None:
    generated = []

    def model() -> Iterator[str]:
        for piece in GOOD:
            generated.append(piece)
            yield piece

    stream = wrap_with(model, policy=BLOCK, scorer=SCORER, observer=recorder)()
    assert next(stream) == "One good "
    assert "".join(generated) in {"One good sentence. ", "One good sentence. Another "}


def test_the_rest_is_withheld_once_a_sentence_fails(recorder: Recorder) -> None:
    ask = wrap_with(streams(TURNS), policy=BLOCK, scorer=SCORER, observer=recorder)
    text = "".join(ask("hi"))
    assert text == "All is well. No."
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.partial) == (Verdict.BLOCKED, True)
    assert outcome.text == text
    assert outcome.withheld[0].start == len("All is well.")


class InContext(WordScorer):
    """`nasty` is harmless in a text that also has `play`."""

    def assess(self, text: str) -> Assessment:
        return super().assess(text.replace("nasty", "") if "play" in text else text)


def test_a_sentence_that_fails_waits_for_the_next_one(recorder: Recorder) -> None:
    scorer = InContext({"toxicity": {"nasty": 0.95}})
    reply = ["He says: ", "you are nasty. ", "That is ", "the play. ", "It ends."]
    ask = wrap_with(streams(reply), policy=BLOCK, scorer=scorer, observer=recorder)
    pieces = list(ask("hi"))
    assert "".join(pieces) == "".join(reply)
    assert recorder.outcomes[0].verdict is Verdict.RELEASED
    assert recorder.outcomes[0].fired == ()


def test_a_sentence_that_still_fails_ends_the_stream(recorder: Recorder) -> None:
    generated = []

    def model() -> Iterator[str]:
        for piece in [*TURNS, " Next.", " More.", " End."]:
            generated.append(piece)
            yield piece

    stream = wrap_with(model, policy=BLOCK, scorer=SCORER, observer=recorder)()
    assert "".join(stream) == "All is well. No."
    assert " More." not in generated[:-1]


class ByPassage(WordScorer):
    """The text as a whole is harmless; `nasty` is not, but beside `play`, as read in context."""

    def assess(self, text: str) -> Assessment:
        found = super().assess(text)
        whole = {key: replace(score, value=0.0) for key, score in found.scores.items()}
        kept = tuple(
            one for one in found.passages if "play" not in text[max(0, one.span.start - 30) :]
        )
        return replace(found, scores=whole, passages=kept)


def test_a_sentence_is_not_judged_again_when_its_neighbour_has_left_the_window(
    recorder: Recorder,
) -> None:
    scorer = ByPassage({"toxicity": {"nasty": 0.95}})
    scorer.window_characters = 60  # type: ignore[misc]
    reply = ["This is the play. ", "You are nasty. ", *["Fine and good it is. "] * 6]
    ask = wrap_with(streams(reply), policy=BLOCK, scorer=scorer, observer=recorder)
    assert "".join(ask("hi")) == "".join(reply)
    assert any("nasty" in text and "play" not in text for text in scorer.texts)


def test_a_space_parts_what_was_released_from_the_fallback(recorder: Recorder) -> None:
    def fused() -> Iterator[str]:
        yield "All is well."
        yield "\nYou are nasty."

    outcome = "".join(wrap_with(fused, policy=BLOCK, scorer=SCORER, observer=recorder)())
    assert outcome in {"All is well. No.", "All is well.\nNo."}


@pytest.mark.parametrize("hold", [Hold.SENTENCE, Hold.FULL])
def test_a_stream_that_fails_at_once_is_the_fallback(recorder: Recorder, hold: Hold) -> None:
    policy = replace(BLOCK, hold=hold)
    ask = wrap_with(streams(["nasty. ", "More."]), policy=policy, scorer=SCORER, observer=recorder)
    assert list(ask("hi")) == ["No."]
    assert not recorder.outcomes[0].partial


def test_full_hold_lets_nothing_out_before_the_end(recorder: Recorder) -> None:
    policy = replace(BLOCK, hold=Hold.FULL)
    ask = wrap_with(streams(TURNS), policy=policy, scorer=SCORER, observer=recorder)
    assert list(ask("hi")) == ["No."]


def test_without_hold_text_flows_and_is_judged_after(recorder: Recorder) -> None:
    policy = replace(BLOCK, hold=Hold.NONE)
    scorer = HeldScorer()
    ask = wrap_with(streams(TURNS), policy=policy, scorer=scorer, observer=recorder)
    assert list(ask("hi")) == TURNS
    assert scorer.answer(SCORER.assess("".join(TURNS))) == "".join(TURNS)
    assert recorder.outcomes[0].verdict is Verdict.FLAGGED


def test_a_redacted_sentence_is_replaced_and_the_stream_goes_on(recorder: Recorder) -> None:
    reply = ["All is well. ", "You rude", " one. ", "But all ", "is well."]
    ask = wrap_with(streams(reply), policy=REDACT, scorer=SCORER, observer=recorder)
    assert "".join(ask("hi")) == "All is well. You [x] one. But all is well."
    (outcome,) = recorder.outcomes
    assert (outcome.action, outcome.verdict) == (Action.REDACT, Verdict.FLAGGED)
    assert outcome.text == "All is well. You [x] one. But all is well."
    assert [outcome.reply[span.start : span.end] for span in outcome.withheld] == ["rude"]
    assert not outcome.partial


def test_a_redacted_sentence_leaves_before_the_next_one_is_generated(recorder: Recorder) -> None:
    generated = []

    def model() -> Iterator[str]:
        for piece in ["How rude. ", "And more. ", "The end."]:
            generated.append(piece)
            yield piece

    stream = wrap_with(model, policy=REDACT, scorer=SCORER, observer=recorder)()
    assert next(stream) == "How [x]."
    assert generated == ["How rude. ", "And more. "]
    assert "".join(stream) == " And more. The end."


def test_a_redacted_sentence_is_no_context_of_later_ones(recorder: Recorder) -> None:
    scorer = WordScorer({"toxicity": {"rude": 0.7}})
    reply = ["How rude. ", "And more. ", "The end."]
    list(wrap_with(streams(reply), policy=REDACT, scorer=scorer, observer=recorder)("hi"))
    assert scorer.texts[1:-1] == ["How [x].", "How [x]. And more.", "How [x]. And more. The end."]


def test_a_block_after_a_redaction_withholds_the_rest(recorder: Recorder) -> None:
    rules = (*REDACT.rules, *BLOCK.rules)
    policy = replace(REDACT, rules=rules)
    reply = ["How rude. ", "All is well. ", "Such a nasty thing. ", "More."]
    ask = wrap_with(streams(reply), policy=policy, scorer=SCORER, observer=recorder)
    assert "".join(ask("hi")) == "How [x]. All is well. No."
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.partial) == (Verdict.BLOCKED, True)
    assert outcome.text == "How [x]. All is well. No."
    withheld = [outcome.reply[span.start : span.end] for span in outcome.withheld]
    assert withheld[0] == "rude"
    assert withheld[1].startswith(" Such a nasty thing.")


def test_a_caller_that_leaves_after_a_redaction_is_recorded(recorder: Recorder) -> None:
    reply = ["How rude. ", "And more. ", "The end."]
    stream = wrap_with(streams(reply), policy=REDACT, scorer=SCORER, observer=recorder)("hi")
    assert next(stream) == "How [x]."
    stream.close()
    assert recorder.outcomes[0].text == "How [x]."


class Crowded(WordScorer):
    """Scores .7 where `a` and `b` stand in one text, and knows no sentence for it."""

    def assess(self, text: str) -> Assessment:
        value = 0.7 if "A here" in text and "B here" in text else 0.0
        return Assessment(scores={"toxicity": Score(value=value)})


def test_without_a_sentence_to_blame_the_whole_stretch_is_replaced(recorder: Recorder) -> None:
    reply = ["A here. ", "B here. ", "C here."]
    ask = wrap_with(streams(reply), policy=REDACT, scorer=Crowded({}), observer=recorder)
    assert "".join(ask("hi")) == "A here. [x] C here."


@pytest.mark.parametrize("redaction", ["nasty", "rude"])
def test_a_redaction_that_does_not_help_ends_the_stream(recorder: Recorder, redaction: str) -> None:
    policy = replace(REDACT, redaction=redaction)
    reply = ["All is well. ", "How rude. ", "More."]
    ask = wrap_with(streams(reply), policy=policy, scorer=SCORER, observer=recorder)
    assert "".join(ask("hi")) == "All is well. No."
    assert recorder.outcomes[0].verdict is Verdict.BLOCKED


def test_a_marker_may_be_empty(recorder: Recorder) -> None:
    rules = (*REDACT.rules, *BLOCK.rules)
    policy = replace(REDACT, rules=rules, redaction="")
    ask = wrap_with(streams(["rude", "! nasty."]), policy=policy, scorer=SCORER, observer=recorder)
    assert "".join(ask("hi")) == recorder.outcomes[0].text


def test_the_model_is_asked_again_while_nothing_was_released(recorder: Recorder) -> None:
    model = streams(["rude. ", "More."], GOOD)
    ask = wrap_with(model, policy=REGENERATE, scorer=SCORER, observer=recorder)
    assert "".join(ask("hi")) == "".join(GOOD)
    assert recorder.outcomes[0].attempts == 2


def test_the_model_is_not_asked_again_once_something_was_released(recorder: Recorder) -> None:
    ask = wrap_with(streams(TURNS), policy=REGENERATE, scorer=SCORER, observer=recorder)
    assert "".join(ask("hi")) == "All is well. No."
    assert recorder.outcomes[0].attempts == 1


def test_a_blocked_stream_raises_after_what_was_released(recorder: Recorder) -> None:
    policy = replace(BLOCK, raises=True)
    stream = wrap_with(streams(TURNS), policy=policy, scorer=SCORER, observer=recorder)("hi")
    received = []
    with pytest.raises(Blocked) as caught:
        received.extend(stream)
    assert "nasty" not in "".join(received)
    assert caught.value.outcome is recorder.outcomes[0]


def test_a_long_sentence_flows_in_pieces(recorder: Recorder) -> None:
    words = ["word "] * 1000
    stream = wrap_with(streams(words), policy=BLOCK, scorer=SCORER, observer=recorder)("hi")
    assert next(stream)
    assert len(SCORER.texts[-1]) < 1500
    assert "".join(stream) == "".join(words[1:])


def test_the_context_of_a_check_is_the_text_before_it(recorder: Recorder) -> None:
    scorer = WordScorer({})
    list(wrap_with(streams(GOOD), policy=BLOCK, scorer=scorer, observer=recorder)("hi"))
    assert scorer.texts[0].strip() == "One good sentence."
    assert scorer.texts[-1] == "".join(GOOD)


def test_a_caller_that_leaves_is_recorded_and_the_model_is_closed(recorder: Recorder) -> None:
    closed = []

    def model() -> Iterator[str]:
        try:
            yield from GOOD
        finally:
            closed.append(True)

    stream: Generator[str] = wrap_with(model, policy=BLOCK, scorer=SCORER, observer=recorder)()  # type: ignore[assignment]
    next(stream)
    stream.close()
    assert closed == [True]
    (outcome,) = recorder.outcomes
    assert outcome.text.startswith("One good")
    assert recorder.errors == []


def test_a_caller_that_leaves_before_anything_was_released(recorder: Recorder) -> None:
    scorer = HeldScorer()

    def model() -> Iterator[str]:
        yield "no sentence yet"
        raise KeyboardInterrupt

    stream = wrap_with(model, policy=BLOCK, scorer=scorer, observer=recorder)()
    with pytest.raises(KeyboardInterrupt):
        next(stream)
    assert recorder.outcomes[0].unscored is Unscored.ABANDONED
    assert recorder.outcomes[0].text == ""


def test_a_stream_that_is_dropped_is_recorded(recorder: Recorder) -> None:
    stream = wrap_with(streams(GOOD), policy=BLOCK, scorer=SCORER, observer=recorder)("hi")
    next(stream)
    del stream
    gc.collect()
    assert len(recorder.outcomes) == 1


def test_a_stream_that_was_never_begun_calls_nobody(recorder: Recorder) -> None:
    wrap_with(streams(), policy=BLOCK, scorer=SCORER, observer=recorder)("hi")
    gc.collect()
    assert (recorder.outcomes, recorder.errors) == ([], [])


def test_a_model_that_breaks_off_passes_its_exception_on(recorder: Recorder) -> None:
    error = OSError("connection lost")

    def model() -> Iterator[str]:
        yield "One sentence. Two "
        raise error

    stream = wrap_with(model, policy=BLOCK, scorer=SCORER, observer=recorder)()
    received = []
    with pytest.raises(OSError, match="connection lost") as caught:
        received.extend(stream)
    assert caught.value is error
    assert "".join(received).startswith("One sentence.")
    assert recorder.errors == ["test"]
    assert recorder.outcomes[0].text == "".join(received)


def test_what_a_generator_returns_is_kept(recorder: Recorder) -> None:
    def model() -> Generator[str, None, int]:
        yield "Fine."
        return 7

    def outer() -> Generator[str, None, None]:
        returned.append((yield from guarded()))

    guarded = wrap_with(model, policy=BLOCK, scorer=SCORER, observer=recorder)
    returned: list[int] = []
    assert list(outer()) == ["Fine."]
    assert returned == [7]


def returned_by(pieces: list[str], value: object, policy: Policy) -> object:
    """What the caller gets of a value that a guarded generator returns behind its pieces."""

    def model() -> Generator[str, None, object]:
        yield from pieces
        return value

    def outer() -> Generator[str, None, None]:
        returned.append((yield from guarded()))

    guarded = wrap_with(model, policy=policy, scorer=SCORER, observer=Recorder())
    returned: list[object] = []
    list(outer())
    (found,) = returned
    return found


@pytest.mark.parametrize("policy", [BLOCK, REDACT, REGENERATE], ids=["block", "redact", "again"])
@pytest.mark.parametrize("hold", [Hold.SENTENCE, Hold.FULL])
@pytest.mark.parametrize("pieces", [TURNS, GOOD], ids=["changed", "as it was"])
def test_what_a_generator_returns_is_judged(policy: Policy, hold: Hold, pieces: list[str]) -> None:
    text = "".join(TURNS)
    for whole in ({"full": [text]}, {"raw": text.encode()}, bytearray(text.encode())):
        assert returned_by(pieces, whole, replace(policy, hold=hold)) is None


def test_a_reply_that_was_changed_is_not_returned_in_other_words() -> None:
    for value in ("Some other words.", b"bytes", {"usage": 3}, object()):
        assert returned_by(TURNS, value, replace(BLOCK, hold=Hold.FULL)) is None
    assert returned_by(TURNS, 7, replace(BLOCK, hold=Hold.FULL)) == 7


def test_what_passes_is_returned() -> None:
    whole = {"full": "".join(GOOD), "tokens": 7}
    assert returned_by(GOOD, whole, BLOCK) is whole
    for lax in (replace(BLOCK, enforce=False), replace(BLOCK, hold=Hold.NONE)):
        assert returned_by(TURNS, "".join(TURNS), lax) == "".join(TURNS)


def test_on_unscored_decides_about_a_returned_value_that_is_not_read() -> None:
    for value in (object(), b"\xff\xfe", {"raw": ["".join(GOOD).encode("utf-16")]}):
        assert returned_by(GOOD, value, BLOCK) is value
        assert returned_by(GOOD, value, replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)) is None


def test_a_reply_to_a_second_question_does_not_bring_back_the_first_one() -> None:
    replies = iter([TURNS, TURNS[:4]])

    def model() -> Generator[str, None, str]:
        pieces = next(replies)
        yield from pieces
        return "".join(pieces)

    def outer() -> Generator[str, None, None]:
        returned.append((yield from guarded()))

    policy = replace(REGENERATE, hold=Hold.FULL, regenerations=1)
    guarded = wrap_with(model, policy=policy, scorer=SCORER, observer=Recorder())
    returned: list[str] = []
    assert list(outer()) == ["No."]
    assert returned == [None]


@dataclass(frozen=True)
class Chunk:
    text: str
    index: int


CHUNKS: Codec[Chunk] = Codec(
    read=lambda chunk: Piece(chunk.text),
    write=lambda chunk, text: Chunk(text, chunk.index if chunk else -1),
)


def test_objects_are_kept_in_order_those_without_text_too(recorder: Recorder) -> None:
    pieces = [Chunk("", 0), Chunk("One. Two", 1), Chunk(" three.", 2), Chunk("", 3)]
    ask = wrap_with(
        lambda: iter(pieces), policy=BLOCK, scorer=SCORER, observer=recorder, codec=CHUNKS
    )
    received = list(ask())
    assert "".join(chunk.text for chunk in received) == "One. Two three."
    assert [chunk.index for chunk in received] == sorted(chunk.index for chunk in received)
    assert received[-1] == Chunk("", 3)


def test_a_stream_of_objects_ends_in_a_fallback_of_their_kind(recorder: Recorder) -> None:
    pieces = [Chunk("nasty", 0), Chunk(" thing.", 1)]
    ask = wrap_with(
        lambda: iter(pieces), policy=BLOCK, scorer=SCORER, observer=recorder, codec=CHUNKS
    )
    assert list(ask()) == [Chunk("No.", 1)]


def test_pieces_that_are_not_text_pass_or_raise(recorder: Recorder) -> None:
    def model() -> Iterator[object]:
        yield from ["Fine. ", 42]

    assert list(wrap_with(model, policy=BLOCK, scorer=SCORER, observer=recorder)()) == [
        "Fine. ",
        42,
    ]
    assert recorder.outcomes[0].unscored is Unscored.NOT_TEXT
    closed = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)
    stream = wrap_with(model, policy=closed, scorer=SCORER, observer=recorder)()
    with pytest.raises(Blocked):
        list(stream)


class Unsure(WordScorer):
    """Cannot score whatever holds the word `slow`."""

    def assess(self, text: str) -> Assessment:
        if "slow" in text:
            return Assessment(reason=Unscored.DEADLINE, uncovered=(Span(start=0, end=len(text)),))
        return super().assess(text)


def test_failing_closed_withholds_the_sentence_without_a_score(recorder: Recorder) -> None:
    policy = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)
    reply = ["All is well. ", "This is slow. ", "The end."]
    ask = wrap_with(streams(reply), policy=policy, scorer=Unsure({}), observer=recorder)
    assert "".join(ask("hi")) == "All is well. No."
    assert recorder.outcomes[0].unscored is Unscored.DEADLINE


def test_failing_open_releases_the_sentence_without_a_score(recorder: Recorder) -> None:
    reply = ["All is well. ", "This is slow. ", "The end."]
    ask = wrap_with(streams(reply), policy=BLOCK, scorer=Unsure({}), observer=recorder)
    assert "".join(ask("hi")) == "".join(reply)
    assert recorder.outcomes[0].verdict is Verdict.UNSCORED


def test_sending_into_a_guarded_generator_is_ignored(recorder: Recorder) -> None:
    stream = wrap_with(streams(GOOD), policy=BLOCK, scorer=SCORER, observer=recorder)("hi")
    first = next(stream)
    rest = [stream.send("ignored"), *stream]  # type: ignore[attr-defined]
    assert "".join([first, *rest]) == "".join(GOOD)


def test_a_raised_block_waits_for_the_whole_reply_no_longer_than_the_deadline(
    recorder: Recorder,
) -> None:
    class Timed(WordScorer):
        deadlines: ClassVar[list[float | None]] = []

        def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
            self.deadlines.append(deadline_seconds)
            return super().submit(text)

    policy = replace(BLOCK, raises=True, deadline_seconds=0.2)
    long = ["All is well with us here and now. "] * 40
    scorer = Timed({"toxicity": {"nasty": 0.95}})
    stream = wrap_with(
        streams([*long, "A nasty end."]), policy=policy, scorer=scorer, observer=recorder
    )("hi")
    with pytest.raises(Blocked):
        list(stream)
    assert set(scorer.deadlines) == {0.2}
