import json

import pytest

from guard.cli import text_scoring
from guard.cli.text_reader import InputText, Line
from guard.cli.text_scoring import ScoredText
from guard.records import Assessment, Head, Passage, Score, Span, Unscored
from guard.scoring.assessment import Highlight, heads_over_threshold, highlight

HEADS = {
    "toxicity": Head(key="toxicity", threshold=0.5, harm=True),
    "stereotype": Head(key="stereotype", threshold=0.8, harm=True),
    "sentiment": Head(key="sentiment", threshold=None, harm=False),
}
FIRST, SECOND = Span(start=0, end=5), Span(start=5, end=11)


def scores(**values):
    return {key: Score(value=value, span=FIRST) for key, value in values.items()}


def test_the_worst_sentence_is_measured_by_its_threshold():
    assessment = Assessment(
        scores=scores(toxicity=0.6, stereotype=0.7),
        passages=(
            Passage(span=FIRST, values={"stereotype": 0.7, "toxicity": 0.1}),
            Passage(span=SECOND, values={"toxicity": 0.6}),
        ),
    )
    assert highlight(assessment, HEADS) == Highlight(head="toxicity", value=0.6, span=SECOND)


def test_without_sentences_the_worst_window_counts():
    assessment = Assessment(scores=scores(toxicity=0.1, stereotype=0.4, sentiment=0.99))
    assert highlight(assessment, HEADS) == Highlight(head="stereotype", value=0.4, span=FIRST)


def test_nothing_scored_has_no_worst():
    assert highlight(Assessment(reason=Unscored.EMPTY), HEADS) is None
    assert highlight(Assessment(scores={"toxicity": Score(value=None)}), HEADS) is None


def test_over_is_at_or_above_the_shipped_threshold_in_the_order_of_the_heads():
    high = Assessment(scores=scores(stereotype=0.8, toxicity=0.5, sentiment=1.0))
    assert heads_over_threshold(high, HEADS) == ["toxicity", "stereotype"]
    assert heads_over_threshold(Assessment(scores=scores(toxicity=0.49999)), HEADS) == []


def test_a_head_without_a_threshold_can_be_worst_but_never_over():
    heads = {"harm": Head(key="harm", threshold=None, harm=True)}
    assessment = Assessment(scores=scores(harm=0.9))
    assert heads_over_threshold(assessment, heads) == []
    assert highlight(assessment, heads) == Highlight(head="harm", value=0.9, span=FIRST)


def scored(text, assessment, id_=7):
    line = Line(source="f", number=7, consumed=1)
    return ScoredText(text=InputText(line=line, id=id_, text=text), assessment=assessment)


def test_a_line_has_the_fields_that_are_promised():
    found = json.loads(
        text_scoring.result_line(
            scored("hello you", Assessment(scores=scores(toxicity=0.7))), HEADS
        )
    )
    assert found == {
        "id": 7,
        "text": "hello you",
        "scores": {"toxicity": 0.7},
        "over": ["toxicity"],
        "worst": {"head": "toxicity", "score": 0.7, "start": 0, "end": 5},
        "unscored": None,
    }


def test_what_has_no_score_is_null_with_a_reason():
    assessment = Assessment(scores={"toxicity": Score(value=None)}, reason=Unscored.DEADLINE)
    found = json.loads(text_scoring.result_line(scored("x", assessment), HEADS))
    assert found["scores"] == {"toxicity": None}
    assert (found["worst"], found["over"], found["unscored"]) == (None, [], "deadline")


@pytest.mark.parametrize("text", ["\ud800", "a\nb\x00c", "‮‏é漢👩‍👩‍👧", '"\\'])
def test_any_text_comes_back_from_one_ascii_line(text):
    line = text_scoring.result_line(scored(text, Assessment(), id_=text), HEADS)
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line)["text"] == json.loads(line)["id"] == text
