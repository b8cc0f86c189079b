"""Replies of more than prose: arguments of tools, what nobody reads, use cases that are off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from guard.flow import Codec, Exchange, Piece, Pieces, drive
from guard.policy import Hold, Policy, Rule
from guard.records import Action, Call, Unread, Unscored, Verdict
from guard.testing import Recorder, WordScorer, wrap_with

SCORER = WordScorer({"toxicity": {"nasty": 0.95, "rude": 0.6}})
REDACT = Policy(
    rules=(Rule(score="toxicity", action=Action.REDACT, threshold=0.5),),
    redaction="[x]",
    fallback="No.",
)
OFF = replace(REDACT, off=True)


@dataclass(frozen=True)
class Part:
    """A piece of a reply. kind: prose, or what else it is."""

    text: str
    kind: str = "prose"


def _read(part: Part) -> Piece:
    if part.kind == "image":
        return Piece("", unread=frozenset({Unread.IMAGE}))
    return Piece(part.text, structured=part.kind == "tool")


def _write(part: Part | None, text: str) -> Part:
    return Part(text, part.kind if part else "prose")


PARTS: Codec[Part] = Codec(read=_read, write=lambda _, text: Part(text))


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def model(*parts: Part) -> Iterator[Part]:
    yield from parts


@pytest.mark.parametrize("hold", [Hold.SENTENCE, Hold.FULL])
def test_prose_beside_a_tool_call_is_blocked_where_it_would_be_redacted(
    recorder: Recorder, hold: Hold
) -> None:
    policy = replace(REDACT, hold=hold)
    ask = wrap_with(model, policy=policy, scorer=SCORER, observer=recorder, codec=PARTS)
    assert list(ask(Part("to: ", "tool"), Part("rude. ", "tool"), Part("Bye."))) == [Part("No.")]
    assert recorder.outcomes[0].structured
    assert recorder.outcomes[0].action is Action.BLOCK
    said = "".join(part.text for part in ask(Part("How rude. "), Part("Bye.")))
    assert said == "How [x]. Bye."
    assert not recorder.outcomes[1].structured


def test_a_tool_call_after_a_redaction_passes_or_is_blocked(recorder: Recorder) -> None:
    ask = wrap_with(model, policy=REDACT, scorer=SCORER, observer=recorder, codec=PARTS)
    prose = [Part("How rude. "), Part("Now I send it. ")]
    assert list(ask(*prose, Part("to: you. ", "tool")))[-1] == Part("to: you. ", "tool")
    assert recorder.outcomes[0].action is Action.REDACT
    said = "".join(part.text for part in ask(*prose, Part("to: rude. ", "tool")))
    assert said == "How [x]. Now I send it. No."
    assert recorder.outcomes[1].action is Action.BLOCK


def test_what_nobody_reads_passes_and_is_recorded(recorder: Recorder) -> None:
    ask = wrap_with(model, policy=REDACT, scorer=SCORER, observer=recorder, codec=PARTS)
    parts = [Part("Look: "), Part("", "image"), Part("a cat.")]
    assert list(ask(*parts)) == parts
    assert recorder.outcomes[0].unread == {"image"}
    assert recorder.outcomes[0].verdict is Verdict.RELEASED


def test_a_piece_is_cut_as_its_codec_says(recorder: Recorder) -> None:
    def cut(part: Part, count: int) -> tuple[Part, Part]:
        return Part(part.text[:count], "head"), Part(part.text[count:], "tail")

    codec = replace(PARTS, cut=cut)
    ask = wrap_with(model, policy=REDACT, scorer=SCORER, observer=recorder, codec=codec)
    assert list(ask(Part("One. Two"), Part(" three."))) == [
        Part("One.", "head"),
        Part(" Two", "tail"),
        Part(" three."),
    ]


def test_a_use_case_that_is_off_passes_everything_and_scores_nothing(recorder: Recorder) -> None:
    scorer = WordScorer({"toxicity": {"nasty": 0.95}})
    ask = wrap_with(model, policy=OFF, scorer=scorer, observer=recorder, codec=PARTS)
    assert list(ask(Part("So nasty. "))) == [Part("So nasty. ")]
    outcome = recorder.outcomes[0]
    assert (outcome.verdict, outcome.unscored) == (Verdict.UNSCORED, Unscored.OFF)
    assert outcome.assessment.scores == {}


@pytest.mark.parametrize(
    ("hold", "text", "action", "verdict"),
    [
        (Hold.SENTENCE, "Fine.", Action.RELEASE, Verdict.RELEASED),
        (Hold.FULL, "Very rude. Bye.", Action.REDACT, Verdict.FLAGGED),
        (Hold.SENTENCE, "Good. Very rude.", Action.REDACT, Verdict.FLAGGED),
        (Hold.NONE, "Very rude.", Action.RELEASE, None),
    ],
)
def test_the_finish_tells_what_was_decided(
    hold: Hold, text: str, action: Action, verdict: Verdict | None
) -> None:
    exchange = _exchange(replace(REDACT, hold=hold))
    for _ in drive(exchange, Pieces(PARTS), lambda: model(Part(text))):
        pass
    assert exchange.finish is not None
    assert (exchange.finish.action, exchange.finish.verdict) == (action, verdict)


def _exchange(policy: Policy) -> Exchange:
    from guard.flow import Flow

    flow = Flow(
        scorer=SCORER,
        observer=Recorder(),
        policy_of=lambda _: policy,
        clock=lambda: 0.0,
        new_id=lambda: "call",
    )
    return flow.begin(Call(id="", use_case="test"), streamed=True)


def test_a_call_that_is_passed_unread_is_recorded(recorder: Recorder) -> None:
    from guard.flow import Flow

    flow = Flow(
        scorer=SCORER,
        observer=recorder,
        policy_of=lambda _: OFF,
        clock=lambda: 0.0,
        new_id=lambda: "one",
    )
    assert flow.pass_unread(Call(id="", use_case="test")) == "one"
    assert recorder.outcomes[0].verdict is Verdict.UNSCORED
    assert recorder.outcomes[0].unscored is Unscored.OFF
