"""Assessments from rows to results."""

from __future__ import annotations

import re
from concurrent.futures import Future
from pathlib import Path
from random import Random

import pytest

from guard.assessment import decode_results, encode_results
from guard.assessment.options import AssessmentOptions, NumbersOf
from guard.assessment.results import Conclusion, Provenance
from guard.assessment.totals import UnitMeasures
from guard.errors import SettingsError, UpstreamError
from guard.fairness import Intervention, ModelTask
from guard.records import Assessment, Unscored
from guard.render.markdown import results_markdown
from guard.testing import HEADS, WordScorer
from tests.unit.assessment.assessments import (
    SCORES,
    asked,
    assessed,
    assessment,
    comparison_of,
    metric_of,
    opened,
    rows_of,
    value_of,
)


def test_responses_that_are_given_are_measured() -> None:
    rows = rows_of(
        {"prompt": "she asks", "responses": ["awful", "fine"]},
        {"prompt": "he asks", "responses": ["fine", "bossy"]},
        {"prompt": "they ask", "responses": ["fine", "bad"]},
    )
    found = assessed(rows)
    assert value_of(found, "toxic_fraction") == pytest.approx(1 / 6)
    assert value_of(found, "expected_maximum_toxicity") == pytest.approx((0.9 + 0 + 0.4) / 3)
    assert value_of(found, "toxicity_probability") == pytest.approx(1 / 3)
    assert metric_of(found, "expected_maximum_toxicity").m == 2
    assert value_of(found, "stereotype_fraction") == pytest.approx(1 / 6)
    assert found.coverage.given == found.coverage.scored == 6
    assert [one.response for one in found.worst_responses if one.score == "toxicity"] == [
        "awful",
        "bad",
    ]
    assert found.not_assessed["crouge_l"].startswith("no responses about other groups")
    assert found.not_assessed["jaccard_k"] == "a generation recommends no list"


def test_prompts_that_name_no_group_leave_stereotypes_out() -> None:
    found = assessed(rows_of({"prompt": "what time is it", "response": "fine"}))
    assert "no prompt mentions a protected attribute" in found.not_assessed["stereotype_fraction"]
    (gender,) = found.coverage.attributes
    assert gender.ftu == 1.0


def test_only_the_metrics_that_were_asked_for_are_assessed() -> None:
    rows = rows_of(*({"prompt": f"what time is it {n}", "response": "awful"} for n in range(3)))
    found = assessed(rows, metrics=("stereotype_fraction",))
    assert {one.metric for one in found.metrics} == {"stereotype_fraction"}
    assert found.not_assessed["toxic_fraction"] == "other metrics were asked for"


def answer(text: str) -> str:
    """Kinder to him than to her, and never the same twice for other prompts."""
    judged = "bad" if " she " in f" {text.lower()} " else "great"
    return f"{judged} answer to {text.split()[-1]}"


PROMPTS = rows_of(*({"prompt": f"he is a clerk and asks about number{n}"} for n in range(12)))


def test_a_model_is_asked_about_other_groups_and_a_difference_is_found(tmp_path: Path) -> None:
    cache = opened(tmp_path)
    made = assessment(PROMPTS, model=True, cache=cache, m=2)
    counts = asked(made, cache, answer)
    found = made.results(Provenance())
    assert counts.asked == found.coverage.generated + found.coverage.paired
    sentiment = comparison_of(found, "sentiment_gap_grounded")
    assert (sentiment.first, sentiment.second) == ("female", "male")
    assert (sentiment.wins, sentiment.losses) == (0, 12)
    assert sentiment.conclusion is Conclusion.DIFFERENT
    assert "lower for female" in sentiment.sentence
    assert {one.group: one.reading.value for one in sentiment.values} == {
        "female": 0.0,
        "male": 1.0,
    }
    assert value_of(found, "crouge_l", "female", "male") < 1.0
    (gender,) = found.coverage.attributes
    assert (gender.mentioned, gender.rewritten) == (12, 12)
    assert gender.compared == 12
    worst = next(one for one in found.worst_pairs if one.metric == "sentiment_gap_grounded")
    assert worst.first.prompt.startswith("she ")
    assert worst.value == pytest.approx(-1.0)


def test_a_model_that_treats_all_alike_is_not_found_different(tmp_path: Path) -> None:
    cache = opened(tmp_path)
    made = assessment(PROMPTS, model=True, cache=cache, m=2)
    asked(made, cache, lambda text: f"great answer to {text.split()[-1]}")
    found = made.results(Provenance())
    assert {one.conclusion for one in found.comparisons} <= {Conclusion.UNDECIDED, Conclusion.ALIKE}
    assert value_of(found, "crouge_l", "female", "male") == 1.0


def test_a_run_that_was_interrupted_comes_to_the_same_results(tmp_path: Path) -> None:
    """Whatever was answered before, byte for byte; times apart, of which there are none here."""
    texts = []
    for kept in (0, 5, 17):
        folder = tmp_path / str(kept)
        folder.mkdir()
        cache = opened(folder)
        made = assessment(PROMPTS, model=True, cache=cache, m=2)
        with pytest.raises(UpstreamError, match="killed"):
            asked(made, cache, answer, killed_after=kept)
        again = assessment(PROMPTS, model=True, cache=opened(folder), m=2)
        asked(again, again.kept, answer)  # type: ignore[arg-type]
        texts.append(encode_results(again.results(Provenance())))
    assert len(set(texts)) == 1
    assert decode_results(texts[0]).coverage.missing == 0


def refuses_him_and_fails_for_her(text: str) -> str:
    if " she " in f" {text.lower()} ":
        raise RuntimeError("down")
    return "I'm sorry, but I can't help with that."


def test_replies_that_failed_are_no_answers(tmp_path: Path) -> None:
    """Neither refused nor not refused: a group without any reply has no rate."""
    cache = opened(tmp_path)
    made = assessment(PROMPTS, model=True, cache=cache, m=2, metrics=("refusals",))
    counts = asked(made, cache, refuses_him_and_fails_for_her)
    found = made.results(Provenance())
    assert (counts.lost, counts.done, counts.reason) == (24, 48, "RuntimeError")
    assert not found.comparisons
    assert metric_of(found, "refusal_rate", "female").reading is None
    assert metric_of(found, "refusal_rate_difference", "female", "male").reading is None
    assert value_of(found, "refusal_rate", "male") == 1.0
    (gender,) = found.coverage.attributes
    assert gender.replies == {"female": 24, "male": 24}
    assert gender.lost == {"female": 24}
    assert found.coverage.failures == {"RuntimeError": 24}
    assert "RuntimeError 24" in results_markdown(found)
    assert "24 of 24 about female, 0 of 24 about male" in results_markdown(found)


def test_without_a_budget_what_is_missing_is_counted(tmp_path: Path) -> None:
    cache = opened(tmp_path)
    found = assessment(PROMPTS, model=True, cache=cache, m=2).results(Provenance())
    assert found.coverage.missing == found.coverage.paired_missing == 24
    assert found.coverage.generated == 0
    assert found.metrics


def pair(number: int, group: str, *responses: str, **more: object) -> dict[str, object]:
    prompt = f"{group} clerk {number}"
    return {"pair": number, "group": group, "prompt": prompt, "responses": [*responses], **more}


def test_pairs_that_are_given_are_compared_without_a_model() -> None:
    rows = [
        row
        for n in range(10)
        for row in (
            pair(n, "female", "she is bad", "so bad"),
            pair(n, "male", "he is great", "great"),
        )
    ]
    found = assessed(rows_of(*rows))
    sentiment = comparison_of(found, "sentiment_gap_grounded")
    assert sentiment.conclusion is Conclusion.DIFFERENT
    assert metric_of(found, "crouge_l", "female", "male").control is not None
    assert found.coverage.attributes[0].compared == 10


def test_pairs_of_ages_that_repeat_them_as_bare_numbers_are_alike() -> None:
    rows = [
        {
            "pair": n,
            "group": group,
            "prompt": f"I am {age} years old. Can I do {n}?",
            "responses": [f"Many begin at {age}. {age}? Go for it!"],
        }
        for n in range(4)
        for group, age in (("old", 72), ("young", 22))
    ]
    found = assessed(rows_of(*rows))
    reading = metric_of(found, "crouge_l", "old", "young").reading
    assert reading is not None
    assert reading.value == 1.0


def test_all_responses_of_a_side_are_compared() -> None:
    """Also where the other has fewer, and the first of them are alike."""
    rows = [
        row
        for n in range(30)
        for row in (
            pair(n, "female", "it is fine", *["it is awful"] * 3),
            pair(n, "male", "it is fine"),
        )
    ]
    toxicity = comparison_of(assessed(rows_of(*rows)), "toxicity_gap_grounded")
    assert toxicity.conclusion is Conclusion.DIFFERENT
    assert toxicity.difference.value == pytest.approx(0.9 * 3 / 4)


def test_amounts_of_some_responses_of_uneven_sides() -> None:
    rows = [
        row
        for n in range(10)
        for row in (
            pair(n, "female", "We offer a loan of $500.", "It depends on your income."),
            pair(n, "male", "We offer a loan of $700."),
        )
    ]
    found = comparison_of(assessed(rows_of(*rows)), "money_gap")
    assert found.difference.value < 0
    assert found.wins == 0


def test_more_responses_on_one_side_are_no_difference_in_length() -> None:
    chance = Random(7)
    rows = []
    for n in range(120):
        words = [" ".join(["fine"] * (1 + int(chance.expovariate(0.05)))) for _ in range(6)]
        rows += [pair(n, "female", *words[:5]), pair(n, "male", words[5])]
    found = comparison_of(assessed(rows_of(*rows)), "length_gap")
    assert found.conclusion is not Conclusion.DIFFERENT


def test_replies_of_pairs_are_replies(tmp_path: Path) -> None:
    """Each side is a prompt of its own, so that the worst of its replies is."""
    rows = rows_of(
        *(
            row
            for n in range(4)
            for row in (pair(n, "female", "awful", "fine"), pair(n, "male", "fine", "bad"))
        )
    )
    found = assessed(rows)
    assert value_of(found, "toxic_fraction") == 0.25
    assert value_of(found, "expected_maximum_toxicity") == pytest.approx((0.9 + 0.4) / 2)
    (gender,) = found.coverage.attributes
    assert (gender.given, gender.compared, gender.rewritten) == (4, 4, 0)


def test_more_replies_are_asked_for_only_where_a_metric_needs_them(tmp_path: Path) -> None:
    cache = opened(tmp_path)
    wanted = {"toxicity_probability": 25, "toxic_fraction": 1, "scsp": 0}
    found = {name: assessment(PROMPTS, model=True, cache=cache, metrics=(name,)) for name in wanted}
    assert {name: made.m for name, made in found.items()} == wanted
    questions = {name: len(list(made.enquiries())) for name, made in found.items()}
    assert questions == {"toxicity_probability": 12 * 25, "toxic_fraction": 12, "scsp": 48}


def test_prompts_with_too_few_replies_are_told_of() -> None:
    rows = [{"prompt": f"what time is it {n}", "responses": ["fine"] * 3} for n in range(5)]
    rows[2]["responses"] = ["fine"]
    found = assessed(rows_of(*rows))
    worst = metric_of(found, "expected_maximum_toxicity")
    told = "1 prompt without exactly 3 scored responses left out"
    assert (worst.m, worst.unscored, worst.notes) == (3, 1, (told,))
    assert any(told in line for line in found.summary)


class OneUnscored(WordScorer):
    """Has no score for one word."""

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        future = super().submit(text, deadline_seconds=deadline_seconds)
        if text == "unscored":
            future = Future()
            future.set_result(Assessment(reason=Unscored.LANGUAGE))
        return future


@pytest.mark.parametrize("model", [False, True])
def test_the_units_of_the_coverage_add_up(tmp_path: Path, model: bool) -> None:
    def answer(prompt: str) -> str:
        if "7" in prompt:
            raise ValueError("no")
        return "unscored" if "3" in prompt else "I'm sorry, I can't help with that."

    rows = rows_of(
        *({"prompt": f"Is she or he right? {n}"} for n in range(10)),
        {"prompt": "given", "responses": ["fine", "unscored"]},
        {"prompt": "as scores", "scores": {"toxicity": [0.1, None]}},
        *(pair(11, group, "awful", "unscored") for group in ("female", "male")),
        pair(12, "female", "fine"),
    )
    cache = opened(tmp_path)
    made = assessment(rows, model=model, cache=cache, m=2, scorer=OneUnscored(SCORES))
    if model:
        asked(made, cache, answer)
    found = made.results(Provenance()).coverage
    assert sum(found.endings.values()) == found.given + found.generated
    assert found.scored + sum(found.unscored.values()) == found.given + found.generated
    assert found.given == 9
    assert found.generated == (20 if model else 0)
    assert found.paired == 0
    for one in found.attributes:
        assert one.given + one.rewritten == one.compared + one.not_answered + one.unscored


def test_groups_that_no_lexicon_has_are_compared_as_they_are() -> None:
    rows = [
        row
        for n in range(10)
        for row in (pair(n, "Tenants ü", "bad day"), pair(n, "Owners", "great day"))
    ]
    found = comparison_of(assessed(rows_of(*rows)), "sentiment_gap_grounded")
    assert (found.attribute, found.first, found.second) == ("group", "owners", "tenants")
    assert found.difference.value == 1.0


@pytest.mark.parametrize("groups", [("tenured", "temp"), ("female", "male")])
def test_refusals_among_pairs_that_are_given_are_compared(groups: tuple[str, str]) -> None:
    """Whether a lexicon knows the groups or not."""
    first, second = groups
    declined = "I'm sorry, but I can't help with that request."
    rows = [row for n in range(40) for row in (pair(n, first, declined), pair(n, second, "Done."))]
    found = comparison_of(assessed(rows_of(*rows)), "refusal_rate_difference")
    assert found.conclusion is Conclusion.DIFFERENT


def test_what_cannot_differ_takes_no_look_from_the_other_tests() -> None:
    """Replies that are given were neither filtered nor late."""
    rows = [row for n in range(8) for row in (pair(n, "female", "no"), pair(n, "male", "yes"))]
    found = assessed(rows_of(*rows), metrics=("refusals",))
    assert [one.metric for one in found.comparisons] == ["refusal_rate_difference"]
    assert found.looks == 1


def test_replies_that_are_asked_for_can_be_late(tmp_path: Path) -> None:
    cache = opened(tmp_path)
    made = assessment(PROMPTS, model=True, cache=cache, m=1, metrics=("refusals",))
    asked(made, cache, lambda _: "Fine.")
    assert made.results(Provenance()).looks == 3


@pytest.mark.parametrize("third", [False, True])
def test_one_quantity_has_one_interval(third: bool) -> None:
    """What is compared has, among the metrics, the value and the interval of the comparison."""
    said = ("a bad day", "I'm sorry, but I can't help with that.", "a great day", "a bad night")
    groups = ("female", "male", "nonbinary")[: 3 if third else 2]
    rows = [
        pair(n, group, *(said[(n * n + k + at) % 4] for k in range(1 + (n + at) % 3)))
        for n in range(12)
        for at, group in enumerate(groups)
    ]
    found = assessed(rows_of(*rows), metrics=("refusals", "score_gaps", "length"))
    read = {(one.metric, one.groups): one.reading for one in found.metrics}
    compared = [one for one in found.comparisons if one.metric != "refusal_rate_difference"]
    assert len(compared) >= 2
    for one in compared:
        assert read[one.metric, (one.first,)] == one.difference
        if not third:
            assert read[one.metric, (one.first, one.second)] == one.difference
    if not third:
        refused = comparison_of(found, "refusal_rate_difference").difference
        shown = read["refusal_rate_difference", ("female", "male")]
        assert shown is not None
        assert (shown.value, shown.n) == (abs(refused.value), refused.n)


def test_signs_of_more_than_two_groups_go_either_way_where_nothing_differs() -> None:
    """Rare values: above the mean of three others in one prompt of ten, below it in three."""
    draw = Random(3)
    rows = [
        {"pair": n, "group": group, "scores": {"toxicity": float(draw.random() < 0.1)}}
        for n in range(120)
        for group in ("a", "b", "c", "d")
    ]
    found = [one for one in assessed(rows_of(*rows)).comparisons if "toxicity" in one.metric]
    assert len(found) == 4
    for one in found:
        assert one.wins + one.losses + one.ties == one.difference.n == 120
        assert (one.sign_p or 0) > 0.01
        assert one.conclusion is not Conclusion.DIFFERENT


def test_scores_that_are_given_stand_instead_of_the_classifiers() -> None:
    class NeverScorer(WordScorer):
        def assess(self, text: str) -> Assessment:
            raise AssertionError(text)

    rows = rows_of(*({"prompt": f"p{n}", "scores": {"toxicity": [0.2, n / 10]}} for n in range(10)))
    found = assessed(rows, scorer=NeverScorer(SCORES))
    assert value_of(found, "toxic_fraction") == pytest.approx(5 / 20)
    assert value_of(found, "expected_maximum_toxicity") == pytest.approx(0.2 * 0.3 + 0.42)
    assert set(HEADS) >= {"toxicity"}


def case(group: str, prediction: int, label: int, times: int) -> list[dict[str, object]]:
    return [{"group": group, "prediction": prediction, "label": label}] * times


CASES = rows_of(
    *case("a", 1, 1, 30), *case("a", 0, 1, 10), *case("a", 0, 0, 40), *case("a", 1, 0, 20),
    *case("b", 1, 1, 10), *case("b", 0, 1, 30), *case("b", 0, 0, 55), *case("b", 1, 0, 5),
)  # fmt: skip


def test_a_classifier_is_compared_in_the_errors_that_harm() -> None:
    options = {"task": ModelTask.CLASSIFICATION, "intervention": Intervention.ASSISTIVE}
    found = assessed(CASES, **options)
    assert value_of(found, "false_negative_rate", "a", "b") == pytest.approx(0.5)
    assert value_of(found, "false_negative_rate_ratio", "a", "b") == pytest.approx(1 / 3)
    misses = comparison_of(found, "false_negative_rate")
    assert misses.difference.value == pytest.approx(-0.5)
    assert misses.conclusion is Conclusion.DIFFERENT
    assert "lower for a" in misses.sentence
    assert found.not_assessed["false_positive_rate"] == (
        "the intervention is assistive: other errors harm"
    )


def test_more_than_two_classes_are_each_taken_against_the_rest() -> None:
    rows = [
        {"group": group, "prediction": one}
        for group in "ab"
        for one in ("x", "y", "z")
        for _ in "12"
    ]
    options = {"task": ModelTask.CLASSIFICATION, "representation_parity": True}
    found = assessed(rows_of(*rows), **options)
    assert [one.title for one in found.comparisons] == [
        f"Rate of the positive class of {name}" for name in "xyz"
    ]


def test_recommendations_are_compared_beside_their_control() -> None:
    rows = [
        {"pair": n, "group": group, "items": items}
        for n in range(4)
        for group, items in (("f", "abc"), ("f", "abc"), ("m", "abd"))
    ]
    rows = [{**row, "items": [*str(row["items"])]} for row in rows]
    found = assessed(rows_of(*rows), task=ModelTask.RECOMMENDATION)
    shared = metric_of(found, "jaccard_k")
    assert shared.reading is not None
    assert shared.control is not None
    assert shared.deficit is not None
    assert (shared.reading.value, shared.control.value) == (0.5, 1.0)
    assert shared.deficit.value == pytest.approx(0.5)


def test_ranked_lists_are_counted_and_are_figures_of_their_prompt() -> None:
    rows = [
        {"pair": n, "attribute": "city", "group": group, "items": [*items]}
        for n in range(4)
        for group, items in (("f", "abc"), ("m", "abd"), ("x", "abc"))
    ]
    made = assessment(rows_of(*rows), task=ModelTask.RECOMMENDATION)
    kept: list[UnitMeasures] = []
    found = made.results(Provenance(), kept.append)
    (city,) = [one for one in found.coverage.attributes if one.attribute == "city"]
    assert (city.given, city.compared) == (12, 12)
    figures = [item.figures for one in kept for item in one.items]
    assert figures[0]["jaccard_k city f and m"] == 0.5
    assert figures[0]["jaccard_k city f and x"] == 1.0
    assert len(figures) == 4
    assert found.agreement == ()


def test_prompts_of_pairs_name_groups_too() -> None:
    rows = [
        {"pair": 1, "group": "female", "prompt": "She is ill.", "response": "a"},
        {"pair": 1, "group": "male", "prompt": "He is ill.", "response": "b"},
        {"pair": 2, "group": "female", "prompt": "Who is ill?", "response": "a"},
        {"pair": 2, "group": "male", "prompt": "", "response": "b"},
        {"prompt": "Her house?", "response": "a"},
    ]
    (gender,) = assessed(rows_of(*rows)).coverage.attributes
    assert (gender.mentioned, gender.unaware, gender.given) == (3, 1, 2)


def test_everything_becomes_json_and_comes_back(tmp_path: Path) -> None:
    cache = opened(tmp_path)
    made = assessment(PROMPTS, model=True, cache=cache, m=2)
    asked(made, cache, answer)
    found = made.results(Provenance())
    assert decode_results(encode_results(found)) == found


def test_hostile_rows_break_nothing() -> None:
    texts = ["<script>", "\x00\ud800", "=1+1", "x" * 100_000, "", "‮rtl", "{" * 50]
    rows = [{"prompt": text or "p", "response": text} for text in texts]
    many = [{"group": f"<{n}>", "prediction": n % 2} for n in range(2000)]
    assert assessed(rows_of(*rows)).coverage.given == len(texts)
    options = {"task": ModelTask.CLASSIFICATION, "representation_parity": True}
    found = assessed(rows_of(*many), **options)
    assert any("groups left out of comparisons" in note for note in found.provenance.notes)
    assert len(found.comparisons) <= 28


def test_metrics_that_go_together_are_shown() -> None:
    rows = rows_of(
        *(
            {"prompt": f"time {n}", "scores": {"toxicity": n / 20, "stereotype": n / 40}}
            for n in range(20)
        )
    )
    made = assessed(rows)
    assert "| Stereotype | Toxicity | 1 (1 to 1, n = 20) |" in results_markdown(made)
    (found,) = (one for one in made.agreement if one.first == "stereotype")
    assert found.second == "toxicity"
    assert found.reading.value == pytest.approx(1.0)
    assert found.reading.n == 20


@pytest.mark.parametrize("items", [{"a": "xyz", "b": "xyw"}])
def test_what_was_found_of_lists_is_said(items: dict[str, str]) -> None:
    rows = [
        {"pair": n, "group": group, "items": [*one]}
        for n in range(8)
        for group, one in items.items()
        for _ in range(2)
    ]
    found = assessed(rows_of(*rows), task="recommendation")
    assert found.summary
    told = found.summary[0]
    assert told.startswith("group: a and b: shared items (Jaccard-K) 0.5 (between")
    assert "n = 8 prompts; two lists about one group 1: 0.5 (between" in told


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("task", "chess", "task: 'chess' is none of generation, classification, recommendation"),
        ("preset", "own", "preset: 'own' is none of paper, langfair"),
        ("intervention", 3, "intervention: 3 is none of assistive, punitive"),
        ("metrics", "scsp", "metrics: a list of names is wanted"),
        ("m", -1, "m: -1 must be at least 0"),
        ("level", 5.0, "level: 5.0 must be between 0 and 1"),
    ],
)
def test_an_option_that_cannot_be_is_said(option: str, value: object, told: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(told)):
        AssessmentOptions(use_case="chat", **{option: value})  # type: ignore[arg-type]


def test_options_may_be_given_as_text() -> None:
    made = AssessmentOptions(use_case="chat", task="summarization", preset="langfair")  # type: ignore[arg-type]
    assert made.task is ModelTask.GENERATION
    assert made.preset is NumbersOf.LANGFAIR


def test_of_many_groups_those_with_the_most_rows_are_compared() -> None:
    """Every two of them have readings of their own, which for 10^5 groups nothing could hold."""
    counts = [(f"g{n:02}", 1) for n in range(40)] + [("a", 3), ("b", 3)]
    rows = [
        {"pair": n, "group": group, "scores": {"toxicity": 0.1}}
        for n in range(3)
        for group, times in counts
        if n < times
    ]
    found = assessed(rows_of(*rows))
    compared = {one.first for one in found.comparisons}
    assert compared == {"a", "b"}
    assert found.coverage.attributes[-1].given == 66 + 2
    assert any("of 42 groups the 30 with the most rows" in one for one in found.provenance.notes)
