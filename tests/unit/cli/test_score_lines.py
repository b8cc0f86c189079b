import json
from dataclasses import replace

import pytest

from guard.bootstrap.offline import open_offline
from guard.cli.score_lines import Criteria, json_line, text_line
from guard.cli.text_reader import InputText, Line
from guard.cli.text_scoring import ScoredText
from guard.policy import Policy
from guard.records import (
    Action,
    Assessment,
    Call,
    Head,
    LookResult,
    Outcome,
    Passage,
    Score,
    SecondLook,
    Span,
    Unscored,
    Verdict,
)
from guard.settings import parse_settings
from guard.testing import WordScorer
from guard.wrap.facade import Guard

HEADS = {
    "toxicity": Head(key="toxicity", threshold=0.5, harm=True),
    "stereotype": Head(key="stereotype", threshold=0.8, harm=True),
    "sentiment": Head(key="sentiment", threshold=None, harm=False),
}
CRITERIA = Criteria(heads=HEADS, name="default", policy=Policy(rules=()))
SPAN = Span(start=0, end=5)
TEXTS = ["All is well.", "Such an idiot here. And more.", "You always do. You idiot.", ""]
SETTINGS = """
use_cases:
  chat: {policy: {toxicity: {flag: 0.5, block: 0.8}}}
  redacts: {policy: {toxicity: {redact: 0.5}}}
  again: {policy: {toxicity: {regenerate: 0.5}}}
  watched: {mode: observe}
  strict: {on_unscored: withhold}
  silent: {mode: "off"}
"""


def scores(**values):
    return {key: Score(value=value, span=SPAN) for key, value in values.items()}


def scored(text, assessment, id_=7):
    line = Line(source="f", number=7, consumed=1)
    call = Call(id="x", use_case="x")
    verdict = Verdict.RELEASED if assessment.reason is None else Verdict.UNSCORED
    outcome = Outcome(call=call, verdict=verdict, text=text, reply=text, assessment=assessment)
    return ScoredText(text=InputText(line=line, id=id_, text=text), outcome=outcome)


def test_over_is_at_or_above_the_shipped_threshold_in_the_order_of_the_heads():
    high = Assessment(scores=scores(stereotype=0.8, toxicity=0.5, sentiment=1.0))
    assert CRITERIA.over(high) == ["toxicity", "stereotype"]
    assert CRITERIA.over(Assessment(scores=scores(toxicity=0.49999))) == []


def test_a_sentence_can_be_over_where_the_text_is_not():
    passages = (Passage(span=SPAN, values={"toxicity": 0.9}),)
    assert CRITERIA.over(Assessment(scores=scores(toxicity=0.3), passages=passages)) == ["toxicity"]


def test_a_head_without_a_threshold_is_never_over():
    heads = {"harm": Head(key="harm", threshold=None, harm=True)}
    criteria = Criteria(heads=heads, name="default", policy=Policy(rules=()))
    assert criteria.over(Assessment(scores=scores(harm=0.9))) == []


def test_what_has_no_score_is_null_with_a_reason():
    assessment = Assessment(scores={"toxicity": Score(value=None)}, reason=Unscored.DEADLINE)
    found = json.loads(json_line(scored("x", assessment), CRITERIA))
    assert found["scores"] == {"toxicity": None}
    assert (found["worst"], found["over"], found["unscored"]) == (None, [], "deadline")
    assert (found["verdict"], found["action"], found["fired"]) == ("unscored", "release", [])


@pytest.mark.parametrize("text", ["\ud800", "a\nb\x00c", "‮‏é漢👩‍👩‍👧", '"\\'])
def test_any_text_comes_back_from_one_ascii_line(text):
    line = json_line(scored(text, Assessment(), id_=text), CRITERIA)
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line)["text"] == json.loads(line)["id"] == text


class Thinned(WordScorer):
    """Of harm among harmless sentences the whole text has half."""

    def __init__(self):
        super().__init__({"toxicity": {"idiot": 0.95}, "stereotype": {"always": 0.7}})

    def stats(self):
        return None

    def assess(self, text):
        found = super().assess(text)
        if found.reason is not None:
            return found
        half = {key: Score(value=one.value / 2, span=one.span) for key, one in found.scores.items()}
        return Assessment(scores=half, passages=found.passages)

    def close(self):
        pass


@pytest.fixture
def opened(monkeypatch):
    """Both ways to open a guard, with a classifier that knows two words."""
    monkeypatch.setattr("guard.bootstrap.runtime.open_scorer", lambda settings: Thinned())


@pytest.mark.parametrize("use_case", ["chat", "redacts", "again", "watched", "strict", "silent"])
@pytest.mark.parametrize("text", TEXTS)
def test_the_verdict_is_that_of_a_live_check(opened, use_case, text):
    settings = parse_settings(SETTINGS)
    with Guard(open_offline(settings)) as offline, Guard.open(settings) as live:
        verdict = offline.check(text, use_case=use_case)
        expected = live.check(text, use_case=use_case)
    for field in ("verdict", "action", "fired", "withheld", "text", "assessment", "observed_only"):
        assert getattr(verdict, field) == getattr(expected, field)


def test_a_sentence_that_blocks_is_named_with_its_rule(run, monkeypatch, tmp_path):
    monkeypatch.setattr("guard.bootstrap.runtime.open_scorer", lambda settings: Thinned())
    file = tmp_path / "guard.yaml"
    file.write_text(SETTINGS)
    options = ["--settings", file, "--use-case", "chat"]
    found = json.loads(run("score", *options, input=f"{TEXTS[1]}\n").stdout)
    assert found["scores"]["toxicity"] == 0.475
    assert (found["policy"], found["mode"], found["verdict"]) == ("chat", "enforce", "blocked")
    first, second = found["fired"]
    assert (first["action"], first["threshold"], first["value"]) == ("block", 0.8, 0.95)
    assert (second["action"], second["threshold"]) == ("flag", 0.5)
    [place] = first["passages"]
    assert TEXTS[1][place["start"] : place["end"]] == "idiot"
    assert found["over"] == ["toxicity"]
    shown = run("score", "--text", *options, input=f"{TEXTS[1]}\nfine\n").stdout
    assert shown.splitlines() == [
        "1: block (policy chat, mode enforce)",
        "    toxicity 0.950 >= 0.8: block; characters 8 to 13: 'idiot'",
        "    toxicity 0.950 >= 0.5: flag; characters 8 to 13: 'idiot'",
        "2: release (policy chat, mode enforce)",
    ]


@pytest.mark.parametrize(
    ("use_case", "expected"),
    [
        ("watched", ("observe", "flagged", "block")),
        ("again", ("enforce", "blocked", "block")),
        ("redacts", ("enforce", "flagged", "redact")),
        ("silent", ("off", "unscored", "release")),
    ],
)
def test_what_policy_asks_for_is_told_apart_from_what_becomes_of_a_text(
    run, monkeypatch, tmp_path, use_case, expected
):
    monkeypatch.setattr("guard.bootstrap.runtime.open_scorer", lambda settings: Thinned())
    file = tmp_path / "guard.yaml"
    file.write_text(SETTINGS)
    options = ["--settings", file, "--use-case", use_case]
    found = json.loads(run("score", *options, input=f"{TEXTS[1]}\n").stdout)
    assert (found["mode"], found["verdict"], found["action"]) == expected


def test_allowed_phrases_and_what_the_candidate_says_are_told(run, opened, tmp_path):
    file = tmp_path / "guard.yaml"
    file.write_text(
        "use_cases: {chat: {policy: {toxicity: {block: 0.8}, stereotype: {flag: 0.9}},"
        " allow: [an idiot here],"
        " candidate: {toxicity: {flag: 0.9}, stereotype: {flag: 0.6}}}}"
    )
    texts = f"{TEXTS[1]}\nYou always do.\n"
    options = ["--settings", file, "--use-case", "chat"]
    allowed, other = map(json.loads, run("score", *options, input=texts).stdout.splitlines())
    assert (allowed["verdict"], allowed["allowed"]) == ("released", ["an idiot here"])
    assert allowed["candidate"] == {"action": "release", "fired": []}
    fired = {"score": "stereotype", "action": "flag", "threshold": 0.6, "value": 0.7}
    assert (other["verdict"], other["allowed"]) == ("released", [])
    assert other["candidate"] == {"action": "flag", "fired": [fired]}
    assert run("score", "--text", *options, input=texts).stdout.splitlines() == [
        "1: release (policy chat, mode enforce)",
        "    without these allowed phrases more would fire: an idiot here",
        "2: release (policy chat, mode enforce)",
        "    the candidate policy would have asked for: flag",
    ]


def test_a_second_look_is_told_with_the_scores_of_both_models():
    look = SecondLook(
        result=LookResult.OVERTURNED,
        action=Action.BLOCK,
        spans=(SPAN,),
        fast={"toxicity": 0.9123456},
        second={"toxicity": 0.1},
    )
    one = scored("Empty the trash.", Assessment(scores=scores(toxicity=0.9)))
    one = replace(one, outcome=replace(one.outcome, second_looks=(look,)))
    expected = {
        "result": "overturned",
        "action": "block",
        "read": [{"start": 0, "end": 5}],
        "fast": {"toxicity": 0.91235},
        "second": {"toxicity": 0.1},
    }
    assert json.loads(json_line(one, CRITERIA))["second_looks"] == [expected]
    assert text_line(one, CRITERIA).splitlines() == [
        "7: release (policy default, mode enforce)",
        "    second look: overturned; by the fast scores: block",
    ]


def test_without_settings_it_is_the_default_policy(run):
    found = json.loads(run("score", input="fine\n").stdout)
    assert (found["policy"], found["mode"]) == ("default", "enforce")
    found = json.loads(run("score", "--use-case", "chat", input="fine\n").stdout)
    assert found["policy"] == "default"


def test_the_defaults_of_settings_without_use_cases(run, tmp_path):
    file = tmp_path / "guard.yaml"
    file.write_text("defaults: {mode: observe}")
    found = json.loads(run("score", "--settings", file, input="fine\n").stdout)
    assert (found["policy"], found["mode"]) == ("defaults", "observe")


def test_a_use_case_that_is_not_there_names_those_that_are(run, tmp_path):
    file = tmp_path / "guard.yaml"
    file.write_text(SETTINGS)
    missing = run("score", "--settings", file, input="fine\n")
    unknown = run("score", "--settings", file, "--use-case", "shop", input="fine\n")
    assert (missing.exit_code, unknown.exit_code) == (2, 1)
    for result in (missing, unknown):
        assert "again, chat, redacts, silent, strict, watched" in result.stderr
        assert result.stdout == ""


def test_a_guard_for_many_texts_keeps_nothing_and_waits_for_all(opened):
    settings = parse_settings(
        "store: {url: 'memory:'}\nuse_cases: {chat: {shadow: {share: 1.0}}}\n"
    )
    with Guard(open_offline(settings)) as guard:
        assert guard.runtime.storage is None
        assert guard.runtime.shadowing is None
        assert guard.runtime.flow.policy("chat").deadline_seconds is None
        assert guard.check(TEXTS[1], use_case="chat").verdict is Verdict.BLOCKED


def test_a_passage_is_quoted_on_one_line_whatever_is_in_it(run, monkeypatch):
    monkeypatch.setattr("guard.bootstrap.runtime.open_scorer", lambda settings: Whole())
    text = "a\x1b[31m\u202e\ud800" + "x" * 500
    lines = run("score", "--text", input=json.dumps({"text": text}) + "\n").stdout.splitlines()
    assert len(lines) == 3
    assert all(line.isprintable() and len(line) < 300 for line in lines)


class Whole(Thinned):
    """Everything is harmful, and no sentence more than another."""

    def assess(self, text):
        whole = Span(start=0, end=len(text))
        return Assessment(scores={"toxicity": Score(value=0.9, span=whole)})
