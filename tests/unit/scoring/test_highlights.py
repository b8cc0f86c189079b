from guard.records import Assessment, Head, Passage, Score, Span, Unscored
from guard.scoring.assessment import Highlight, highlight

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


def test_a_head_without_a_threshold_can_be_worst():
    heads = {"harm": Head(key="harm", threshold=None, harm=True)}
    assessment = Assessment(scores=scores(harm=0.9))
    assert highlight(assessment, heads) == Highlight(head="harm", value=0.9, span=FIRST)
