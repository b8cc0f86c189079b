"""What calls and pairs say in telemetry: attributes, events and texts, as pure functions."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.policy import Rule
from guard.records import (
    Action,
    Ask,
    Assessment,
    Call,
    Ending,
    Fired,
    Generated,
    Head,
    LookResult,
    Outcome,
    PairResult,
    Passage,
    RequestedModel,
    Score,
    SecondLook,
    Span,
    TextKind,
    Turn,
    Unread,
    Unscored,
    Verdict,
)
from guard.telemetry.opentelemetry import conventions as names
from guard.telemetry.opentelemetry.attributes import (
    ask_attributes,
    outcome_attributes,
    provider_of,
    reply_attributes,
    request_attributes,
    span_name,
)
from guard.telemetry.opentelemetry.content import ContentCapture
from guard.telemetry.opentelemetry.evaluations import Evaluators, pair_event, score_events
from guard.telemetry.opentelemetry.trace_parent import TraceParent, exemplar_of

BLOCK = Rule(score="toxicity", action=Action.BLOCK, threshold=0.9)
EVALUATORS = Evaluators(
    heads={
        "toxicity": Head(key="toxicity", threshold=0.7, harm=True),
        "stereotype": Head(key="stereotype", threshold=0.6, harm=True),
        "sentiment": Head(key="sentiment", threshold=None, harm=False),
    },
    first="bundled 1.2",
    second="large 2",
)


def scored(**values: float | None) -> Assessment:
    scores = {
        key: Score(value=value, reason=None if value is not None else Unscored.LANGUAGE)
        for key, value in values.items()
    }
    return Assessment(scores=scores)


def outcome(**changes: Any) -> Outcome:
    call = Call(
        id="c1", use_case="chat", prompt="Hello?", requested=changes.pop("requested", ASKED)
    )
    given = {
        "call": call,
        "verdict": Verdict.RELEASED,
        "text": "Good day.",
        "reply": "Good day.",
        "assessment": scored(toxicity=0.1),
        "finish_reason": "stop",
        **changes,
    }
    return Outcome(**given)


ASKED = RequestedModel(model="gpt-4o", server="api.openai.com", port=443)


def events(what: Outcome, *rules: Rule) -> dict[str, Any]:
    found = list(score_events(what, rules, EVALUATORS))
    assert {one.name for one in found} <= {"gen_ai.evaluation.result"}
    return {one.attributes["gen_ai.evaluation.name"]: one.attributes for one in found}


def test_a_request_says_what_the_conventions_want_at_the_beginning() -> None:
    requested = RequestedModel(
        model="gpt-4o",
        server="api.openai.com",
        port=443,
        conversation_id="conv_1",
        replies=2,
        streamed=True,
    )
    call = Call(id="", use_case="chat", requested=requested)
    assert span_name(requested) == "chat gpt-4o"
    assert request_attributes(call) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.request.stream": True,
        "gen_ai.request.choice.count": 2,
        "gen_ai.conversation.id": "conv_1",
        "server.address": "api.openai.com",
        "server.port": 443,
        "guard.use_case": "chat",
    }


def test_what_is_not_known_of_a_request_is_absent() -> None:
    call = Call(id="", use_case="chat")
    assert span_name(call.requested) == "chat"
    assert request_attributes(call) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "unknown",
        "guard.use_case": "chat",
    }


@pytest.mark.parametrize(
    ("server", "provider"),
    [
        ("api.mistral.ai", "mistral_ai"),
        ("our-name.openai.azure.com", "azure.ai.openai"),
        ("europe-west4-aiplatform.googleapis.com", "gcp.vertex_ai"),
        ("bedrock-runtime.eu-west-1.amazonaws.com", "aws.bedrock"),
        ("llm.example.internal", "openai"),
        ("API.OPENAI.COM", "openai"),
        ("api.mistral.ai.example.com", "openai"),
    ],
)
def test_providers_are_known_by_their_servers(server: str, provider: str) -> None:
    assert provider_of(RequestedModel(server=server)) == provider
    assert provider_of(RequestedModel(server=server, provider="anthropic")) == "anthropic"


def test_a_released_call() -> None:
    assert outcome_attributes(outcome(added_seconds=0.01)) == {
        "guard.call.id": "c1",
        "guard.verdict": "released",
        "guard.action": "release",
        "guard.coverage": "all",
        "guard.added_seconds": 0.01,
        "guard.attempts": 1,
        "gen_ai.response.finish_reasons": ("stop",),
    }


def test_a_call_with_everything() -> None:
    what = outcome(
        verdict=Verdict.BLOCKED,
        action=Action.BLOCK,
        fired=(Fired(score="toxicity", action=Action.BLOCK, threshold=0.9, value=0.95),),
        observed_only=True,
        unscored=Unscored.DEADLINE,
        unread=frozenset({Unread.IMAGE, Unread.AUDIO}),
        second_looks=(SecondLook(result=LookResult.UPHELD, action=Action.BLOCK),),
        finish_reason="",
    )
    found = outcome_attributes(what)
    assert found["guard.fired"] == ("toxicity:block",)
    assert found["guard.observed_only"] is True
    assert found["guard.unscored"] == "deadline"
    assert found["guard.unread"] == ("audio", "image")
    assert found["guard.second_look"] == ("upheld",)
    assert found["guard.coverage"] == "part"
    assert found["gen_ai.response.finish_reasons"] == ("content_filter",)


@pytest.mark.parametrize(
    ("changes", "coverage"),
    [
        ({"assessment": Assessment(reason=Unscored.DEADLINE)}, "none"),
        ({"assessment": scored(toxicity=None)}, "none"),
        ({"assessment": Assessment(scores={}, reason=None)}, "none"),
        ({"unread": frozenset({Unread.FILE})}, "part"),
    ],
)
def test_coverage(changes: dict[str, Any], coverage: str) -> None:
    assert outcome_attributes(outcome(**changes))["guard.coverage"] == coverage


def test_a_reply_that_broke_off_ends_in_an_error_where_the_api_says_why_it_ends() -> None:
    reasons = "gen_ai.response.finish_reasons"
    assert outcome_attributes(outcome(finish_reason=""))[reasons] == ("error",)
    callable_function = outcome(finish_reason="", requested=RequestedModel())
    assert reasons not in outcome_attributes(callable_function)


def test_every_score_is_an_event() -> None:
    what = outcome(assessment=scored(toxicity=0.8, stereotype=0.2, sentiment=0.6))
    found = events(what, BLOCK)
    assert found["toxicity"] == {
        "gen_ai.evaluation.name": "toxicity",
        "gen_ai.evaluation.score.value": 0.8,
        "gen_ai.evaluation.score.label": "pass",
        "gen_ai.evaluation.explanation": "0.800 is below 0.9",
        "guard.call.id": "c1",
        "guard.evaluator": "bundled",
        "guard.evaluator.version": "1.2",
        "guard.threshold": 0.9,
    }
    assert found["stereotype"]["guard.threshold"] == 0.6
    assert "gen_ai.evaluation.score.label" not in found["sentiment"]
    assert "guard.threshold" not in found["sentiment"]


def test_a_score_that_fired_says_which_rule_and_where() -> None:
    sentence = Passage(span=Span(start=0, end=4), values={"toxicity": 0.97})
    what = outcome(
        assessment=Assessment(scores={"toxicity": Score(value=0.6)}, passages=(sentence,)),
        fired=(Fired(score="toxicity", action=Action.BLOCK, threshold=0.9, value=0.97),),
    )
    found = events(what, BLOCK)["toxicity"]
    assert found["gen_ai.evaluation.score.value"] == 0.6
    assert found["gen_ai.evaluation.score.label"] == "fail"
    explained = "0.970 in a sentence reaches the threshold of a rule: block"
    assert found["gen_ai.evaluation.explanation"] == explained


def test_a_score_at_the_threshold_without_a_rule_that_fired() -> None:
    found = events(outcome(assessment=scored(toxicity=0.95)), BLOCK)["toxicity"]
    assert found["gen_ai.evaluation.score.label"] == "fail"
    assert found["gen_ai.evaluation.explanation"] == "0.950 reaches 0.9; no rule fired"


def test_a_score_that_could_not_be_made_has_a_reason_and_no_value() -> None:
    found = events(outcome(assessment=scored(toxicity=None)))["toxicity"]
    assert found["error.type"] == "language"
    assert "gen_ai.evaluation.score.value" not in found
    assert "gen_ai.evaluation.score.label" not in found


def test_scores_of_a_second_look_name_their_evaluator() -> None:
    look = SecondLook(result=LookResult.OVERTURNED, action=Action.BLOCK, second={"toxicity": 0.2})
    what = outcome(assessment=scored(toxicity=0.95), second_looks=(look,))
    first, second = score_events(what, (BLOCK,), EVALUATORS)
    assert first.attributes["guard.evaluator"] == "bundled"
    assert second.attributes["guard.evaluator"] == "large"
    assert second.attributes["gen_ai.evaluation.score.value"] == 0.2
    assert second.attributes["guard.second_look"] == ("overturned",)


def test_what_no_model_said_says_so() -> None:
    what = outcome(assessment=scored(toxicity=0.95))
    brought = replace(what, call=replace(what.call, kind=TextKind.TOOL_RESULT))
    assert outcome_attributes(brought)["guard.text_kind"] == "tool_result"
    assert events(brought)["toxicity"]["guard.text_kind"] == "tool_result"
    assert "guard.text_kind" not in outcome_attributes(what) | events(what)["toxicity"]


def test_a_compared_pair_is_one_event() -> None:
    pair = PairResult(
        attribute="gender",
        first="female",
        second="male",
        source="male",
        differences={"sentiment": -0.2, "length": 0.1},
        flags=("sentiment",),
    )
    found = pair_event(pair, "c1")
    assert found.name == "gen_ai.evaluation.result"
    assert found.attributes == {
        "gen_ai.evaluation.name": "counterfactual_pair",
        "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.explanation": "female and male (gender): sentiment flagged",
        "guard.call.id": "c1",
        "guard.pair.attribute": "gender",
        "guard.pair.groups": ("female", "male"),
        "guard.pair.source": "male",
        "guard.pair.flags": ("sentiment",),
        "guard.pair.difference.sentiment": -0.2,
        "guard.pair.difference.length": 0.1,
    }


def test_a_pair_without_flags_passes() -> None:
    found = pair_event(
        PairResult(attribute="age", first="old", second="young", source="old"), "c1"
    ).attributes
    assert found["gen_ai.evaluation.score.label"] == "pass"
    assert "guard.pair.flags" not in found


def test_a_question_of_a_shadow_job_and_its_answer() -> None:
    ask = Ask(turns=(Turn(role="user", content="hi"),), parameters={"model": "m", "top_p": 1})
    found = ask_attributes("c1", "chat", ask)
    assert (found["gen_ai.request.model"], found["guard.shadow"]) == ("m", True)
    assert "hi" not in str(found)
    late = reply_attributes(Generated(text="", ending=Ending.TIMED_OUT))
    assert late == {"guard.shadow.ending": "timed_out", "error.type": "timed_out"}
    refused = reply_attributes(Generated(text="No.", ending=Ending.REFUSED))
    assert refused == {"guard.shadow.ending": "refused"}


@pytest.mark.parametrize(
    ("mode", "on_span", "on_event"),
    [
        ("", False, False),
        ("NO_CONTENT", False, False),
        ("false", False, False),
        ("nonsense", False, False),
        ("true", True, False),
        ("SPAN_ONLY", True, False),
        ("event_only", False, True),
        (" Span_And_Event ", True, True),
    ],
)
def test_texts_go_where_the_variable_says(mode: str, on_span: bool, on_event: bool) -> None:
    capture = ContentCapture.parse(mode)
    assert bool(capture.span_attributes(outcome())) is on_span
    assert (capture.event(outcome()) is not None) is on_event


def test_the_messages_of_a_span() -> None:
    found = ContentCapture.parse("true").span_attributes(outcome())
    asked, answered = (json.loads(found[name]) for name in (ASKS, SAYS))
    assert asked == [{"role": "user", "parts": [{"type": "text", "content": "Hello?"}]}]
    assert answered == [
        {
            "role": "assistant",
            "parts": [{"type": "text", "content": "Good day."}],
            "finish_reason": "stop",
        }
    ]


@pytest.mark.parametrize(
    ("kind", "role"), [(TextKind.PROMPT, "user"), (TextKind.TOOL_RESULT, "tool")]
)
def test_what_no_model_said_is_no_answer(kind: TextKind, role: str) -> None:
    judged = replace(outcome(), call=replace(outcome().call, kind=kind))
    found = ContentCapture.parse("true").span_attributes(judged)
    asked = [{"role": role, "parts": [{"type": "text", "content": "Good day."}]}]
    assert {name: json.loads(value) for name, value in found.items()} == {ASKS: asked}


ASKS, SAYS = "gen_ai.input.messages", "gen_ai.output.messages"


def test_the_messages_of_an_event_keep_their_structure_and_say_what_the_span_says() -> None:
    found = ContentCapture.parse("event_only").event(outcome())
    assert found is not None
    assert found.name == "gen_ai.client.inference.operation.details"
    assert found.attributes[SAYS][0]["parts"][0]["content"] == "Good day."
    assert found.attributes["gen_ai.operation.name"] == "chat"
    assert found.attributes["guard.verdict"] == "released"


def test_texts_are_kept_as_cases_keep_them() -> None:
    capture = ContentCapture.parse("true", kept=lambda text: text.replace("Good", "****"))
    assert "Good" not in str(capture.span_attributes(outcome()))


def test_of_long_messages_the_last_ones_are_told() -> None:
    seen: list[int] = []

    def kept(text: str) -> str:
        seen.append(len(text))
        return text

    turns = tuple(Turn(role="user", content=sign * 60_000) for sign in "abc")
    call = replace(outcome().call, turns=turns)
    long = replace(outcome(), call=call, text="d" * 9_000_000)
    found = ContentCapture.parse("true", kept=kept).span_attributes(long)
    asked = [one["parts"][0]["content"] for one in json.loads(found[ASKS])]
    assert [text[0] for text in asked] == ["b", "c"]
    assert asked[1] == "c" * 60_000
    assert "20,000 characters are left out" in asked[0]
    assert max(seen) < 100_100


@given(st.text(min_size=1), st.text())
def test_what_was_withheld_is_in_no_telemetry(secret: str, shown: str) -> None:
    """Whatever the model said and the caller did not get."""
    secret = f"<withheld>{secret}"
    blocked = outcome(
        verdict=Verdict.BLOCKED,
        action=Action.BLOCK,
        text=shown,
        reply=secret,
        withheld=(Span(start=0, end=len(secret)),),
    )
    capture = ContentCapture.parse("span_and_event")
    said = [
        capture.span_attributes(blocked),
        capture.event(blocked),
        outcome_attributes(blocked),
        *score_events(blocked, (BLOCK,), EVALUATORS),
    ]
    if "<withheld>" not in shown:
        assert "<withheld>" not in str(said)


@given(
    st.integers(min_value=1, max_value=2**128 - 1),
    st.integers(min_value=1, max_value=2**64 - 1),
    st.integers(min_value=0, max_value=255),
)
def test_a_trace_parent_is_read_as_it_is_written(trace_id: int, span_id: int, flags: int) -> None:
    place = TraceParent(trace_id=trace_id, span_id=span_id, flags=flags)
    assert TraceParent.parse(str(place)) == place


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", f"00-{0:032x}-{1:016x}-01", f"00-{1:032x}-{0:016x}-01", f"00-{1:032X}-x-01"],
)
def test_what_names_no_span_is_none(text: str) -> None:
    assert TraceParent.parse(text) is None


@pytest.mark.parametrize("text", ["", "nonsense", f"00-{1:032X}-x-01"])
def test_what_is_no_trace_parent_has_no_exemplar(text: str) -> None:
    assert exemplar_of(text) is None


def test_an_exemplar_leads_to_a_trace_that_is_kept() -> None:
    assert exemplar_of(f"00-{10:032x}-{11:016x}-01") == {
        "trace_id": f"{10:032x}",
        "span_id": f"{11:016x}",
    }
    assert exemplar_of(f"00-{10:032x}-{11:016x}-00") is None


def test_the_conventions_in_use_are_those_of_the_package_where_it_has_them() -> None:
    """The latest package lags behind the convention's own repository, but differs in no name."""
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

    known = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI")}
    ours = {
        value
        for name, value in vars(names).items()
        if isinstance(value, str) and value.startswith("gen_ai.") and not name.endswith("_EVENT")
    }
    assert ours <= known
