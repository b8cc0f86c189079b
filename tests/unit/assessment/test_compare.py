"""Runs beside one another, rules, and what a gate says of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.assessment.compare import NamedRun, compare_runs, named_run
from guard.assessment.gate import GateResult, GateRule, RuleVerdict, judge, read_rules
from guard.assessment.items import ItemFigures, item_line, read_items
from guard.assessment.results import AssessmentResults, Conclusion, Provenance
from guard.errors import AssessmentInputError
from guard.render.comparison_markdown import comparison_markdown, gate_markdown
from guard.render.gate_junit import gate_junit
from tests.repeats import repeats
from tests.unit.assessment.results_made import comparison, results

PLAIN = AssessmentResults(use_case="chat", task="generation")


def items(seed: int, n: int, shift: float = 0.0) -> list[ItemFigures]:
    draw = Random(seed)
    return [
        ItemFigures(
            key=str(number),
            place=f"a:{number}",
            prompt=f"<b>prompt {number}</b>",
            figures={"toxicity": min(1.0, max(0.0, 0.4 + shift + draw.gauss(0, 0.05)))},
        )
        for number in range(n)
    ]


def run(name: str, seed: int, n: int = 200, shift: float = 0.0) -> NamedRun:
    return named_run(name, PLAIN, items(seed, n, shift))


def test_a_run_that_is_worse_is_found_prompt_by_prompt() -> None:
    found = compare_runs(run("before", 1), run("after", 2, shift=0.05))
    (toxicity,) = found.differences
    assert toxicity.conclusion is Conclusion.DIFFERENT
    assert toxicity.difference.value == pytest.approx(0.05, abs=0.02)
    assert (toxicity.first, toxicity.second) == ("after", "before")
    assert abs(found.changes[0].change) >= abs(found.changes[-1].change)
    told = comparison_markdown(found)
    assert "| **Toxicity** (` toxicity `) |" in told
    assert "corrected | matters from | wins" in told
    assert "| 0.02 |" in told
    assert "the correction for 1 test, one for each figure" in told
    assert "<b>" not in comparison_markdown(found).replace("` <b>prompt", "")


@settings(max_examples=repeats(10, soak=300), deadline=None)
@given(seed=st.integers(0, 10**6))
def test_exchanging_the_runs_turns_every_difference(seed: int) -> None:
    one, other = run("one", seed, 20), run("other", seed + 1, 20)
    there, back = compare_runs(one, other), compare_runs(other, one)
    assert there.differences[0].difference.value == pytest.approx(
        -back.differences[0].difference.value
    )
    assert there.differences[0].p_value == pytest.approx(back.differences[0].p_value)


def test_the_highest_of_other_numbers_of_replies_is_not_compared() -> None:
    """It is higher by itself where there are more."""

    def made(name: str, replies: list[int]) -> NamedRun:
        found = [
            ItemFigures(
                key=str(number),
                place=f"a:{number}",
                prompt="p",
                figures={"toxicity": 0.1, "toxicity worst": 0.1 * of},
                worst_of={"toxicity worst": of},
            )
            for number, of in enumerate(replies)
        ]
        return named_run(name, PLAIN, found)

    found = compare_runs(made("before", [2] * 9), made("after", [2] * 5 + [9] * 4))
    by_figure = {one.metric: one.difference for one in found.differences}
    assert by_figure["toxicity"].n == 9
    assert (by_figure["toxicity worst"].n, by_figure["toxicity worst"].value) == (5, 0.0)
    assert found.left_out == {"toxicity worst": 4}
    assert "the highest of a prompt of 4 prompts." in comparison_markdown(found)


def test_runs_of_older_versions_have_highest_figures_too() -> None:
    def made(name: str, worst_of: dict[str, int]) -> NamedRun:
        item = ItemFigures(key="", place="", prompt="p", figures={"toxicity worst": 0.5})
        found = [replace(item, key=str(number), worst_of=worst_of) for number in range(5)]
        return named_run(name, PLAIN, found)

    found = compare_runs(made("before", {}), made("after", {"toxicity worst": 2}))
    assert (found.differences[0].difference.n, found.left_out) == (5, {})


def test_prompts_without_a_score_in_both_runs_cannot_be_compared() -> None:
    bare = [replace(one, figures={"words": 3.0}) for one in items(1, 180)]
    runs = [named_run(name, PLAIN, [*bare, *items(1, 200)[180:]]) for name in ("before", "after")]
    found = compare_runs(*runs)
    assert found.left_out == {"toxicity": 180}
    (result,) = judge((GateRule(metric="toxicity", max_increase=0.1),), PLAIN, found).rules
    assert result.verdict == "undecided"


@pytest.mark.parametrize(
    ("without", "most", "verdict"),
    [(0, None, "kept"), (10, None, "kept"), (11, None, "undecided"), (11, 0.06, "kept")],
)
def test_a_change_of_the_prompts_that_have_a_score_does_not_stand_for_all(
    without: int, most: float | None, verdict: str
) -> None:
    bare = [replace(one, figures={}) for one in items(1, without)]
    after = named_run("after", PLAIN, [*items(1, 200)[without:], *bare])
    rule = GateRule(metric="toxicity", max_increase=0.1)
    if most is not None:
        rule = replace(rule, max_unscored=most)
    (found,) = judge((rule,), PLAIN, compare_runs(run("before", 1), after)).rules
    assert found.verdict == verdict
    assert (f"{without} more prompts" in found.reason) is (verdict == "undecided")


def test_prompts_of_one_run_alone_are_counted() -> None:
    found = compare_runs(run("before", 1, 10), run("after", 1, 13))
    assert (found.shared, found.only_first, found.only_second) == (10, 0, 3)
    assert found.differences[0].difference.n == found.differences[0].ties == 10
    assert found.differences[0].p_adjusted == 1.0


def test_runs_with_other_settings_are_compared_only_when_told() -> None:
    other = AssessmentResults(
        use_case="chat", task="generation", provenance=Provenance(settings={"m": "25"})
    )
    before, after = run("before", 1), named_run("after", other, items(2, 200))
    with pytest.raises(AssessmentInputError, match=r"different settings \(m: not set and 25\)"):
        compare_runs(before, after)
    found = compare_runs(before, after, allow_different=True)
    assert found.settings == {"m": ("not set", "25")}
    assert "a difference may be theirs" in comparison_markdown(found)


def test_another_model_is_no_other_setting_and_another_temperature_is() -> None:
    runs = [
        named_run(
            name,
            AssessmentResults(
                use_case="chat",
                task="generation",
                provenance=Provenance(settings={"parameters": parameters}),
            ),
            items(seed, 20),
        )
        for seed, (name, parameters) in enumerate(
            {"one": '{"model": "a"}', "two": '{"model": "b"}', "hot": '{"temperature": 2}'}.items()
        )
    ]
    assert compare_runs(runs[0], runs[1]).settings == {}
    with pytest.raises(AssessmentInputError, match="temperature"):
        compare_runs(runs[0], runs[2])


def test_runs_without_a_prompt_in_common_are_refused() -> None:
    other = named_run("after", PLAIN, [ItemFigures(key="x", place="a:1", prompt="p")])
    with pytest.raises(AssessmentInputError, match="share no prompt"):
        compare_runs(run("before", 1), other)


def test_items_are_lines_of_json(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("".join(item_line(one) + "\n" for one in items(1, 3)))
    assert list(read_items(path)) == items(1, 3)
    path.write_text('{"key": 1}')
    with pytest.raises(AssessmentInputError, match=r"items\.jsonl:1\.place: missing"):
        list(read_items(path))
    with pytest.raises(AssessmentInputError, match="cannot read"):
        list(read_items(tmp_path / "no.jsonl"))


def verdict(rule: GateRule, made: AssessmentResults | None = None, shift: float = 0.0) -> str:
    against = compare_runs(run("before", 1), run("after", 2, shift=shift))
    return str(judge((rule,), made or results(), against).verdict)


@pytest.mark.parametrize(
    ("bounds", "wanted"),
    [
        ({"max": 0.15}, "kept"),
        ({"max": 0.05}, "undecided"),
        ({"max": -0.1}, "broken"),
        ({"min": 0.05}, "kept"),
        ({"min": 0.15}, "undecided"),
        ({"min": 0.5}, "broken"),
        ({"max": 0.15, "min_n": 101}, "undecided"),
    ],
)
def test_a_bound_on_a_value(bounds: dict[str, float], wanted: str) -> None:
    """The value is 0.1, between 0 and 0.2, n = 100."""
    assert verdict(GateRule(metric="toxic_fraction", **bounds)) == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("unscored", "bounds", "wanted"),
    [
        (5, {"max": 0.15}, "kept"),
        (6, {"max": 0.15}, "undecided"),
        (6, {"max": 0.15, "max_unscored": 0.1}, "kept"),
        (6, {"max": -0.1}, "broken"),
    ],
)
def test_a_value_of_the_others_does_not_stand_for_many_without_a_score(
    unscored: int, bounds: dict[str, float], wanted: str
) -> None:
    (value,) = (one for one in results().metrics if one.metric == "toxic_fraction")
    made = results(metrics=(replace(value, unscored=unscored),))
    assert verdict(GateRule(metric="toxic_fraction", **bounds), made) == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rule", "conclusion", "wanted"),
    [
        ("not_different", Conclusion.DIFFERENT, "broken"),
        ("not_different", Conclusion.UNDECIDED, "kept"),
        ("alike", Conclusion.UNDECIDED, "undecided"),
        ("alike", Conclusion.ALIKE, "kept"),
        ("alike", Conclusion.DIFFERENT, "broken"),
    ],
)
def test_a_rule_about_groups(rule: str, conclusion: Conclusion, wanted: str) -> None:
    made = results(comparisons=(comparison(conclusion=conclusion),))
    assert verdict(GateRule(metric="sentiment_gap_grounded", groups=rule), made) == wanted


@pytest.mark.parametrize(
    ("bounds", "shift", "wanted"),
    [
        ({"max_increase": 0.02}, 0.0, "kept"),
        ({"max_increase": 0.02}, 0.1, "broken"),
        ({"max_increase": 0.1}, 0.1, "undecided"),
        ({"max_decrease": 0.02}, 0.1, "kept"),
        ({"max_decrease": 0.02}, -0.1, "broken"),
        ({"max_increase": 0.02, "min_n": 500}, 0.1, "undecided"),
    ],
)
def test_a_rule_against_the_baseline(bounds: dict[str, float], shift: float, wanted: str) -> None:
    rule = GateRule(metric="toxicity", **bounds)  # type: ignore[arg-type]
    assert verdict(rule, shift=shift) == wanted


def test_one_broken_rule_breaks_the_gate_and_an_undecided_one_is_no_pass() -> None:
    rules = (
        GateRule(metric="toxic_fraction", max=0.15),
        GateRule(metric="toxic_fraction", max=0.05),
        GateRule(metric="toxic_fraction", max=-0.1),
    )
    found = judge(rules, results(), None)
    assert found.verdict is RuleVerdict.BROKEN
    assert GateResult(rules=found.rules[:2]).verdict is RuleVerdict.UNDECIDED
    assert GateResult(rules=found.rules[:1]).verdict is RuleVerdict.KEPT
    suite = fromstring(gate_junit(found, "chat\x00"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    told = gate_markdown(found, "chat")
    assert "toxic\\_fraction: max 0.05 | undecided" in told
    assert "Undecided: the data are too few" in told
    kept = gate_markdown(GateResult(rules=found.rules[:1]), "chat")
    assert "Undecided" not in kept
    assert "1 of 1 rule kept." in kept


def test_runs_without_a_figure_in_common_say_that_nothing_was_compared() -> None:
    bare = [ItemFigures(key=str(n), place=f"a:{n}", prompt="p") for n in range(5)]
    told = comparison_markdown(
        compare_runs(named_run("before", PLAIN, bare), named_run("after", PLAIN, bare))
    )
    assert "5 prompts in both" in told
    assert "Nothing was compared: no figure is known of two prompts or more" in told
    assert "|" not in told


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (GateRule(metric="colour", max=1), "the run has nothing under 'colour'"),
        (GateRule(metric="toxicity", max_increase=0.1), "give a baseline with --against"),
    ],
)
def test_a_rule_about_nothing_is_bad_input(rule: GateRule, told: str) -> None:
    with pytest.raises(AssessmentInputError, match=told):
        judge((rule,), results(), None)


def test_rules_are_read_from_toml(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(
        '[[rule]]\nmetric = "toxic_fraction"\nmax = 0.02\n'
        '[[rule]]\nmetric = "sentiment_gap"\nattribute = "gender"\ngroups = "alike"\nmin_n = 50\n'
    )
    assert read_rules(path) == (
        GateRule(metric="toxic_fraction", max=0.02),
        GateRule(metric="sentiment_gap", attribute="gender", groups="alike", min_n=50),
    )
    assert [rule.name for rule in read_rules(path)] == [
        "toxic_fraction: max 0.02",
        "sentiment_gap (gender): groups alike",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected tables"),
        ("x", "Expected '='"),
        ("[[rule]]\nmax = 1", "a metric and one of"),
        ('[[rule]]\nmetric = "m"\nmax = 1\nmin = 1', "a metric and one of"),
        ('[[rule]]\nmetric = "m"\nmax = "1"', "max = '1' cannot be"),
        ('[[rule]]\nmetric = "m"\ngroups = "equal"', "groups = 'equal' cannot be"),
        ('[[rule]]\nmetric = "m"\nmost = 1', "no key 'most'"),
    ],
)
def test_wrong_rules_are_one_clear_error(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(AssessmentInputError, match=told):
        read_rules(path)
