import pytest

from guard.errors import ModelError
from guard.importing.labels import heads_of

JIGSAW = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")
UNBIASED = ("toxicity", "severe_toxicity", "obscene", "identity_attack", "insult", "threat")
STEREOTYPE = ("unrelated", "stereotype_gender", "anti-stereotype_gender", "stereotype_race")


def weights(*arguments, **options):
    return {head.key: head.weights for head in heads_of(*arguments, **options)}


def test_the_labels_of_jigsaw_are_known_under_both_of_their_names():
    keys = [
        "toxicity",
        "toxicity.severe_toxicity",
        "toxicity.obscene",
        "toxicity.threat",
        "toxicity.insult",
        "toxicity.identity_attack",
    ]
    assert [head.key for head in heads_of(JIGSAW, exclusive=False)] == keys
    assert {head.key for head in heads_of(UNBIASED, exclusive=False)} == set(keys)


def test_labels_can_be_the_names_of_our_heads():
    labels = ("toxicity", "toxicity.insult", "stereotype", "stereotype.gender", "sentiment")
    assert tuple(weights(labels, exclusive=False)) == labels


def test_identities_are_no_heads():
    labels = (*UNBIASED, "male", "homosexual_gay_or_lesbian", "psychiatric_or_mental_illness")
    assert len(heads_of(labels, exclusive=False)) == len(UNBIASED)


def test_a_family_of_which_only_parts_are_named_is_their_sum():
    assert weights(STEREOTYPE, exclusive=True) == {
        "stereotype": (0, 1, 0, 1),
        "stereotype.gender": (0, 1, 0, 0),
        "stereotype.race": (0, 0, 0, 1),
    }


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("NEGATIVE", "POSITIVE"), (0, 1)),
        (("negative", "neutral", "positive"), (0, 0.5, 1)),
        (("1 star", "2 stars", "3 stars", "4 stars", "5 stars"), (0, 0.25, 0.5, 0.75, 1)),
    ],
)
def test_sentiment_is_how_positive_a_text_is_and_no_harm(labels, expected):
    (head,) = heads_of(labels, exclusive=True)
    assert (head.key, head.weights, head.harm, head.threshold) == (
        "sentiment",
        expected,
        False,
        None,
    )


def test_a_map_stands_for_names_that_say_nothing():
    given = {"LABEL_0": {}, "LABEL_1": {"stereotype.gender": 1.0}}
    assert weights(("LABEL_0", "LABEL_1"), exclusive=True, given=given) == {
        "stereotype": (0, 1),
        "stereotype.gender": (0, 1),
    }


def test_a_purpose_keeps_its_family_and_names_the_one_output():
    labels = ("toxic", "stereotype")
    assert list(weights(labels, exclusive=False, family="stereotype")) == ["stereotype"]
    assert weights(("LABEL_0",), exclusive=False, family="toxicity") == {"toxicity": (1,)}


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (("LABEL_0", "LABEL_1"), {}, "'LABEL_0' says nothing"),
        (("toxic", "spam"), {}, "'spam' is no name of ours"),
        (("ENTAILMENT", "neutral", "contradiction"), {}, "import it with --as nli"),
        (("neutral", "normal"), {}, "none of the labels"),
        (("toxic",), {"family": "stereotype", "given": {"toxic": {"toxicity": 1.0}}}, "of stereo"),
        (("toxic", "obscene"), {"given": {"toxik": {}}}, "did you mean 'toxic'"),
        (("toxic",), {"given": {"toxic": {"Toxic!": 1.0}}}, "the head 'Toxic!'"),
        (("toxic",), {"given": {"toxic": {"toxicity": 0.5}}}, "not 0 or 1"),
        (("a", "b"), {"exclusive": True, "given": {"a": {"x": 2.0}, "b": {}}}, r"not a number in"),
        (
            ("a", "b"),
            {"exclusive": True, "given": {"a": {"toxicity": 1.0}, "b": {"toxicity": 1.0}}},
            "always be 1",
        ),
    ],
)
def test_what_is_unclear_is_refused_with_what_to_do(labels, options, message):
    with pytest.raises(ModelError, match=message):
        heads_of(labels, **({"exclusive": False} | options))
