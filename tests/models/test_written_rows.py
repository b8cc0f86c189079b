"""The written rows: labels, balance, pairs, spelling tricks and swaps."""

import re
from collections import Counter, defaultdict
from random import Random

import pytest

from train.heads import KEYS, index_of
from train.keys import hashed, text_key
from train.rows import Row, targets_of
from train.written import Written, counterfactuals, disguise, written
from train.written.grammar import expand, parse
from train.written.predicates import of_one
from train.written.text import chatty, tidy

SHARE = 0.12
TOXICITY, STEREOTYPE = index_of("toxicity"), index_of("stereotype")


@pytest.fixture(scope="module")
def rows() -> list[Written]:
    return written(1, SHARE)


def row(text: str) -> Row:
    known = targets_of({"toxicity": 1.0})
    return Row(text=text, key=text_key(text), source="s", licence="own", targets=known)


def toxic(each: Written) -> bool:
    return each.row.targets[TOXICITY] == 1.0


def test_a_seed_always_gives_the_same_rows(rows: list[Written]) -> None:
    assert [each.row for each in written(1, SHARE)] == [each.row for each in rows]


def test_no_text_is_written_twice(rows: list[Written]) -> None:
    assert len({each.row.key for each in rows}) == len(rows)
    assert 25_000 < len(rows) / SHARE < 45_000


def test_forbidden_texts_are_left_out(rows: list[Written]) -> None:
    unwanted = rows[0].row
    left = written(1, SHARE, frozenset({hashed(unwanted.key)}))
    assert [each.row for each in left] == [
        e.row for e in rows if text_key(e.row.text) != unwanted.key
    ]


def test_no_slot_or_choice_is_left_in_a_text(rows: list[Written]) -> None:
    broken = re.compile(r"[{}]|\[.*\||\\n|(?<!\n)  \w")
    plain = [each.row.text for each in rows if each.family != "disguised"]
    assert [text for text in plain if broken.search(text.replace("    return", ""))] == []


def test_targets_fit_the_heads(rows: list[Written]) -> None:
    for each in rows:
        assert len(each.row.targets) == len(KEYS)
        assert all(t is None or 0 <= t <= 1 for t in each.row.targets)
        assert any(t is not None for t in each.row.targets)


def test_the_mention_of_a_group_says_nothing_about_toxicity(rows: list[Written]) -> None:
    rated = [each for each in rows if each.row.targets[TOXICITY] is not None]
    total = Counter(each.group for each in rated)
    harmful = Counter(each.group for each in rated if toxic(each))
    shares = {group: harmful[group] / count for group, count in total.items()}
    assert max(abs(share - shares[None]) for share in shares.values()) < 0.3
    common = [shares[group] for group in ("jews", "muslims", "women", "black", "gay", "blind")]
    assert max(abs(share - shares[None]) for share in common) < 0.12


def test_the_copies_of_a_pair_share_their_targets(rows: list[Written]) -> None:
    pairs: dict[str, list[Written]] = defaultdict(list)
    for each in rows:
        pairs[each.pair].append(each)
    free = {TOXICITY, STEREOTYPE, index_of("sentiment"), index_of("toxicity.threat")}
    for members in pairs.values():
        first = members[0].row.targets
        assert all(w.row.targets[i] == first[i] for w in members for i in free)
    assert sum(len(members) > 1 for members in pairs.values()) > 500


def test_toxic_and_harmless_texts_are_of_like_length(rows: list[Written]) -> None:
    """Among those about groups, so that length is no cue."""
    lengths = defaultdict(list)
    for each in rows:
        if each.family in {"neutral", "toxic_group"}:
            lengths[toxic(each)].append(len(each.row.text.split()))
    means = {key: sum(found) / len(found) for key, found in lengths.items()}
    assert 0.7 < means[True] / means[False] < 1.4


def test_alternatives_and_slots_are_expanded() -> None:
    text = expand("[a|a] {x:1} and {x:1} {GS}", {"x": ("b", "c")}, Random(1))
    assert re.fullmatch(r"a (b and b|c and c) \{GS\}", text)


def test_sections_carry_their_options() -> None:
    (section,) = parse("# remark\n== name labels=toxic threat=1\none\n\ntwo\n")
    assert section.options == {"labels": "toxic", "threat": "1"}
    assert section.lines == ("one", "two")


@pytest.mark.parametrize(
    ("rough", "clean"),
    [
        ("a old man met an unicorn.  he left .", "An old man met a unicorn. He left."),
        ("a hour and an European", "An hour and a European"),
        ("a Ukrainian, a Indian", "A Ukrainian, an Indian"),
        ("a unemployed man and a honest one", "An unemployed man and an honest one"),
    ],
)
def test_articles_and_capitals_are_mended(rough: str, clean: str) -> None:
    assert tidy(rough) == clean


def test_chat_is_lower_case() -> None:
    text = chatty("You are GREAT, really.", Random(3))
    assert text == text.lower()


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("love cars", "loves cars"),
        ("are bad at maths", "is bad at maths"),
        ("never cry", "never cries"),
        ("don't cook", "doesn't cook"),
        ("have money", "has money"),
        ("can't dance", "can't dance"),
    ],
)
def test_predicates_agree_with_one_person(many: str, one: str) -> None:
    assert of_one(many) == one


def test_disguises_change_a_text_and_not_its_length_by_much() -> None:
    text = "Nobody here wanted another complicated explanation."
    found = {disguise(text, Random(seed)) for seed in range(200)}
    assert len(found) > 100
    assert all(len(each) < 4 * len(text) for each in found)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        (
            "I met an Indian man and a blind person.",
            r"I met an? [\w-]+ man and an? [\w-]+ person\.",
        ),
        ("Muslims live here", r"[A-Z]\w+s live here"),
        ("two gay men", r"two \w+ men"),
    ],
)
def test_group_words_are_swapped_whole(text: str, pattern: str) -> None:
    (copy,) = counterfactuals([row(text)], seed=1)
    assert re.fullmatch(pattern, copy.row.text)
    assert copy.row.text != text
    assert copy.row.targets == row(text).targets


@pytest.mark.parametrize(
    "text",
    [
        "a black coffee and a blind date",
        "Muslims pray in the mosque",
        "the old car",
        "no group here",
        "",
    ],
)
def test_what_may_mean_something_else_is_left_alone(text: str) -> None:
    assert list(counterfactuals([row(text)], seed=1)) == []
