"""The report's page: all sections, in order, small and harmless whatever it is made of."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from guard.assessment.results import AssessmentResults, Direction, MetricValue
from guard.assessment.titles import figure_title, groups_told
from guard.counterfactual import bundled
from guard.render.junit import results_junit
from guard.render.markdown import results_markdown
from guard.render.markup import VOID
from guard.render.missing import without_values
from guard.render.ranking import worst_first
from guard.render.report_page import report_page
from tests.browser.payloads import PAYLOADS
from tests.unit.render.made import comparison, pair, reading, response, results, with_texts

MOST_BYTES = 2_000_000
SECTIONS = (
    "findings",
    "coverage",
    "differences",
    "groups",
    "wins",
    "distributions",
    "agreement",
    "cases",
    "thresholds",
    "not-assessed",
    "power",
    "provenance",
)


@dataclass
class Reader(HTMLParser):
    """What a page is made of."""

    tags: Counter[str] = field(default_factory=Counter)
    attributes: dict[str, set[str]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    style: str = ""
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def read(made: AssessmentResults) -> Reader:
    page = report_page(made)
    assert len(page.encode()) <= MOST_BYTES
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def plain() -> Reader:
    return read(results())


def test_all_sections_stand_in_their_order_and_are_linked(plain: Reader) -> None:
    assert tuple(re.findall(r'<section id="([a-z-]+)">', report_page(results()))) == SECTIONS
    assert {f"#{key}" for key in SECTIONS} == plain.attributes["href"]


def test_nothing_is_fetched_and_nothing_runs(plain: Reader) -> None:
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & set(plain.tags)
    assert not {name for name in plain.attributes if name.startswith("on")}
    assert not {"src", "style", "srcset", "action"} & set(plain.attributes)
    assert "url(" not in plain.style
    assert "@import" not in plain.style


def test_the_policy_names_the_style_by_its_hash(plain: Reader) -> None:
    digest = base64.b64encode(hashlib.sha256(plain.style.encode()).digest()).decode()
    (policy,) = [one for one in plain.attributes["content"] if "default-src" in one]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")


def test_the_page_says_what_was_found_and_what_was_not_assessed(plain: Reader) -> None:
    for said in (
        "Gender: female and male: sentiment, number 0",
        "12 tests share a level of 5 %",
        "difference found",
        "ambiguous pronoun 14, quoted speech 8",
        "412 / 120 / 280, p < 0.0001",
        "a difference matters from 0.03 on",
        "no lists of items in the rows",
        "fewer than 20 pairs",
        "1,520",
        "9f9f9f",
    ):
        assert said in plain.text


def test_what_differs_between_two_replies_is_marked(plain: Reader) -> None:
    assert plain.tags["mark"] > 0
    assert "husband" in plain.text


def test_words_that_name_a_group_can_be_masked() -> None:
    without, masked = report_page(results()), report_page(results(), bundled())
    assert '<span class="who"><span>husband</span></span>' in masked
    assert masked.count('class="who"') > without.count('class="who"') > 0


def test_an_empty_assessment_has_a_page() -> None:
    empty = read(AssessmentResults(use_case="", task=""))
    assert "Nothing of this kind was assessed." in empty.text
    assert "nan" not in empty.text


@pytest.mark.parametrize("at", range(0, len(PAYLOADS), 8))
def test_hostile_texts_are_nothing_but_texts(at: int, plain: Reader) -> None:
    payload = " ".join(PAYLOADS[at : at + 8])
    found = read(with_texts(results(), lambda text: f"{payload}{text[:40]}"))
    assert set(found.tags) <= set(plain.tags)
    assert set(found.attributes) <= set(plain.attributes)
    assert found.attributes["href"] == plain.attributes["href"]
    assert "\x00" not in found.text


def test_many_plain_values_are_folded_below_what_was_compared() -> None:
    few, many = (tuple(f"Metric {at}: 0.1" for at in range(count)) for count in (10, 11))
    said = (comparison("gender", "female", "male").sentence, *few)
    compared = (comparison("gender", "female", "male"),)
    plain = replace(results(), comparisons=compared, summary=said)
    assert "values of metrics" not in read(plain).text
    assert "11 values of metrics" in read(replace(plain, summary=(said[0], *many))).text
    alone = replace(plain, comparisons=(), summary=many)
    assert "values of metrics" not in read(alone).text


def test_a_page_stays_small_whatever_it_is_made_of() -> None:
    wide = "\x00&\U0001f468" * 400_000
    groups = [comparison("g" * 500, f"{at} {wide[:300]}", "", at=at) for at in range(1000)]
    found = read(
        replace(
            with_texts(results(), lambda text: wide),
            comparisons=tuple(groups),
            summary=tuple(one.sentence * 50 for one in groups),
            worst_pairs=tuple(pair(wide, wide[1:], number) for number in range(200)),
            worst_responses=tuple(response(wide, number) for number in range(200)),
        )
    )
    assert "920 more are not shown: all of them are in results.json." in found.text


def test_a_hundred_thousand_groups_make_one_page() -> None:
    one = comparison("religion", "a", "")
    many = tuple(replace(one, first=f"group {at}") for at in range(100_000))
    found = read(replace(results(), comparisons=many))
    assert "99,920 more are not shown" in found.text


def test_findings_come_before_others_where_there_is_no_room() -> None:
    alike = [comparison("religion", f"alike {at}", "", at=3) for at in range(500)]
    found = read(replace(results(), comparisons=(*alike, comparison("gender", "late", ""))))
    assert "late – all others" in found.text


def test_numbers_of_any_size_can_be_drawn() -> None:
    one = comparison("amounts", "a", "b")
    extreme = [
        replace(one, difference=reading(size, half))
        for size in (1e308, -1e-300, 0.0)
        for half in (0.0, 1e300)
    ]
    assert read(replace(results(), comparisons=tuple(extreme))).tags["svg"] > 0


def test_junit_fails_what_differs_and_skips_what_cannot_be_said() -> None:
    (suite,) = ElementTree.fromstring(results_junit(results()))
    outcomes = Counter(case[0].tag for case in suite)
    assert suite.attrib["tests"] == str(sum(outcomes.values())) == "12"
    assert suite.attrib["failures"] == str(outcomes["failure"])
    assert suite.attrib["skipped"] == str(outcomes["skipped"])
    assert outcomes["failure"] == 2


def test_junit_is_xml_whatever_it_is_made_of() -> None:
    hostile = with_texts(results(), lambda text: f"{' '.join(PAYLOADS[:-1])}\x0c{text}")
    (suite,) = ElementTree.fromstring(results_junit(hostile))
    known = {"testsuite", "testcase", "failure", "skipped", "system-out"}
    assert {one.tag for one in suite.iter()} <= known


def test_many_sentences_that_say_nothing_are_folded() -> None:
    many = tuple(comparison("religion", f"group {at}", "", at=3) for at in range(30))
    found = (comparison("gender", "female", "male"), *many)
    made = replace(results(), comparisons=found, summary=tuple(one.sentence for one in found))
    page = report_page(made)
    before, folded = page.split("30 comparisons for which the data are too few")
    assert "gender: female and male" in before.lower()
    assert "group 7 and all others" not in before
    assert "group 7 and all others" in folded


def test_cases_of_every_name_have_a_place() -> None:
    first = tuple(response("of the first score", number) for number in range(100))
    last = replace(response("of the last score"), score="stereotype")
    found = read(replace(results(), worst_responses=(*first, last)))
    assert "of the last score" in found.text
    assert "41 more are not shown" in found.text


def test_a_plot_of_values_has_few_rows() -> None:
    (one, *_) = results().metrics
    many = tuple(replace(one, title=f"Metric {at}") for at in range(40))
    assert "28 more are not shown" in read(replace(results(), metrics=many)).text


def test_the_worst_cases_begin_with_harm_and_then_with_the_largest_for_their_tolerance() -> None:
    metrics = ("agency_gap", "hedging_gap", "sentiment_gap_grounded", "toxicity_gap_grounded")
    sizes = (0.1, 0.9, 0.2, 0.05)
    pairs = tuple(
        replace(pair("a", "b"), metric=metric, value=size)
        for metric, size in zip(metrics, sizes, strict=True)
    )
    made = replace(results(), worst_pairs=pairs)
    page, markdown = report_page(made), results_markdown(made)
    titles = ("Toxicity score", "Sentiment score", "Hedging", "Competence against warmth")
    for text in (page[page.index('id="cases"') :], markdown[markdown.index("## Pairs with") :]):
        places = [text.index(title) for title in titles]
        assert places == sorted(places)
        assert "agency" not in text


def test_a_tolerance_that_was_set_orders_the_worst_cases() -> None:
    pairs = tuple(
        replace(pair("a", "b"), metric=metric, value=0.3) for metric in ("agency_gap", "length_gap")
    )
    narrow = comparison("gender", "female", "male", metric="length_gap")
    (first, _) = worst_first(pairs, (replace(narrow, material=0.001),))
    (other, _) = worst_first(pairs, (replace(narrow, material=0.9),))
    assert (first.metric, other.metric) == ("length_gap", "agency_gap")


def test_what_has_no_value_is_said_once_in_words_with_its_name() -> None:
    def none(groups: tuple[str, ...], attribute: str = "gender") -> MetricValue:
        return MetricValue(
            metric="count_gap",
            title="Counts",
            best=Direction.ZERO,
            attribute=attribute,
            groups=groups,
            undefined=f"count_gap:{attribute}:{groups[0]}: no observation has a value",
        )

    known = replace(none(("a", "b"), "race"), reading=reading(0.1))
    undefined = (none(("female",)), none(("male",)), none(("c",), "race"), known)
    found = [*without_values(replace(results(), plan=(), metrics=undefined))]
    assert [(one.title, one.name, one.reason) for one in found] == [
        ("Counts, gender", "count_gap", "no observation has a value"),
        ("Counts, race: c", "count_gap", "no observation has a value"),
    ]
    page = report_page(replace(results(), metrics=undefined))
    assert "<bdi>Counts, gender</bdi> <code>count_<wbr>gap</code>" in page
    assert "count_gap:gender" not in page


def test_many_groups_are_told_by_their_number() -> None:
    (one, *_) = results().metrics
    many = tuple(f"group {at}" for at in range(90))
    markdown = results_markdown(replace(results(), metrics=(replace(one, groups=many),)))
    assert "90 groups: group 0, group 1, group 2, ..." in markdown
    assert "group 3" not in markdown
    assert groups_told(("a", "b", "c")) == "a and b and c"


@pytest.mark.parametrize(
    ("figure", "title"),
    [
        ("toxicity", "Toxicity"),
        ("stereotype.gender worst", "Stereotype (gender), the highest of a prompt"),
        ("refused", "Share of refused replies"),
        ("sentiment_gap_grounded gender female", "Sentiment score, gender: female against others"),
        ("jaccard_k gender f and m", "Shared items (Jaccard-K), gender: f and m"),
        ("length_gap a b c", "Length, a: b c against others"),
    ],
)
def test_figures_of_prompts_have_titles(figure: str, title: str) -> None:
    assert figure_title(figure) == title


def test_what_looks_are_is_said_once_and_only_where_they_are_corrected_for(plain: Reader) -> None:
    assert plain.text.count("so each is judged at the level divided by their number") == 1
    live = tuple(replace(one, looks=0) for one in results().comparisons)
    assert "divided by their number" not in read(replace(results(), comparisons=live)).text
    one = replace(results(), looks=1, comparisons=results().comparisons[:1])
    assert "1 test shares a level" in read(one).text


@pytest.mark.parametrize("given", [0, 3])
def test_the_coverage_says_that_a_pair_is_one_prompt(given: int) -> None:
    attributes = tuple(replace(one, given=given) for one in results().coverage.attributes)
    covered = replace(results().coverage, attributes=attributes)
    found = read(replace(results(), coverage=covered))
    assert ("those of a pair are one" in found.text) == (given > 0)
