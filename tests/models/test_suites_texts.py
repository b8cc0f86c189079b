"""The texts themselves: enough of them, distinct, well formed, and the same on every run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from evaluate.suites import (
    all_texts,
    answer_cases,
    counterfactual_sets,
    documents,
    functional_cases,
    golden_cases,
    group_cases,
    mention_cases,
)
from evaluate.suites.golden import selected
from evaluate.suites.grammar import draw, fill
from evaluate.suites.groups import by_attribute, word_groups
from evaluate.suites.spelling import TRICKS, disguised, plain
from evaluate.suites.texts import texts_by_suite

MODELS = Path(__file__).parents[2] / "models"
ATTRIBUTES = {
    "gender", "race", "religion", "age", "orientation", "gender identity", "disability", "body",
    "nationality", "migration", "class", "name", "pronoun",
}  # fmt: skip
NAMED = {
    "blind", "deaf", "trans", "muslim", "jewish", "black", "white", "gay", "woman", "man", "old",
    "immigrant", "mexican", "chinese", "roma", "atheist", "fat", "autistic",
}  # fmt: skip
SPACED = re.compile(r"\b\w \w \w\b")
WRONG_ARTICLE = re.compile(r"\b[Aa] (?=[aeio])(?!one)|\b[Aa]n (?=[bcdfgjklmnpqrstvwz])")


def test_counterfactual_sentences_reach_their_minima() -> None:
    counts = Counter(item.toxic for item in counterfactual_sets())
    assert counts[False] >= 2000
    assert counts[True] >= 1000
    assert {item.attribute for item in counterfactual_sets()} == ATTRIBUTES


def test_every_sentence_has_versions_that_differ() -> None:
    for item in counterfactual_sets():
        assert len(item.texts) == len(set(item.texts)) >= 2


def test_every_group_is_swapped_in_on_either_side() -> None:
    for toxic in (False, True):
        used = {g for item in counterfactual_sets() if item.toxic is toxic for g in item.groups}
        expected = {group.id for groups in by_attribute().values() for group in groups}
        assert expected == used


def test_everyone_means_every_group_with_words_for_the_sentence() -> None:
    sizes = Counter(
        len(item.groups)
        for item in counterfactual_sets(everyone=True)
        if item.attribute == "orientation"
    )
    assert set(sizes) == {len(by_attribute()["orientation"])}


def test_the_groups_of_the_areas() -> None:
    named = {case.group for case in group_cases() if case.group}
    assert len(named) >= 30
    assert named >= NAMED
    sizes = Counter((case.group, case.toxic) for case in group_cases())
    assert min(sizes.values()) >= 20
    assert min(sizes[None, False], sizes[None, True]) >= 200


def test_every_functionality_has_forty_cases() -> None:
    sizes = Counter(case.family for case in functional_cases())
    assert min(sizes.values()) >= 40
    assert len(sizes) >= 45


def test_harmless_texts_reach_their_minima() -> None:
    assert len(mention_cases()) >= 1500
    assert len(answer_cases()) >= 300
    assert len({case.family for case in answer_cases()}) >= 20
    assert not any("\\n" in case.text for case in answer_cases())


def test_lengths_are_as_asked() -> None:
    for document in documents():
        if not document.toxic:
            assert document.words * 0.85 <= len(document.text.split()) <= document.words * 1.15
    assert Counter(d.toxic for d in documents()) == {False: 160, True: 160}


def test_texts_are_distinct_within_a_suite() -> None:
    for suite, texts in texts_by_suite().items():
        assert [t for t, n in Counter(texts).items() if n > 1] == [], suite


def test_there_are_not_too_many_texts() -> None:
    assert len(all_texts()) < 60_000


def test_no_slot_stays_open_and_articles_fit() -> None:
    for suite, texts in texts_by_suite().items():
        assert [t for t in texts if "{" in t or "}" in t] == [], suite
        usual = [t for t in texts if not SPACED.search(t)]
        assert [t for t in usual if WRONG_ARTICLE.search(t)] == [], suite


def test_the_golden_set_is_what_the_suites_hold() -> None:
    assert 100 <= len(golden_cases()) <= 150
    assert golden_cases() == selected()
    assert {case.side for case in golden_cases()} == {"over", "under"}


def test_tricks_change_only_the_marked_words() -> None:
    frame = "You are a *stupid* cat."
    assert plain(frame) == "You are a stupid cat."
    for name, trick in TRICKS.items():
        text = disguised(frame, trick)
        assert text.startswith("You are a "), name
        assert text.endswith(" cat."), name
        assert text != plain(frame), name


def test_frames_are_drawn_evenly_and_the_same_each_time() -> None:
    slots = {"x": ["a", "b", "c"]}
    found = draw(["1 {x} {one}", "2 {x} {one}"], slots, n=4, seed="s")
    assert found == draw(["1 {x} {one}", "2 {x} {one}"], slots, n=4, seed="s")
    assert Counter(text[0] for text in found) == {"1": 2, "2": 2}
    assert all(text.endswith("{one}") for text in found)


def test_too_few_words_are_an_error() -> None:
    with pytest.raises(ValueError, match="give more frames or words"):
        draw(["{x}"], {"x": ["a"]}, n=2, seed="s")


def test_a_sentence_starts_with_a_capital() -> None:
    blind = next(group for group in word_groups() if group.id == "blind")
    assert fill("{one} sang. {many} danced.", blind.slots) == (
        "A blind person sang. Blind people danced."
    )


def test_the_command_prints_counts() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "evaluate.suites", "--summary", "--samples", "1"],
        cwd=MODELS,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "counterfactual sentences: {'benign': 2080, 'toxic': 1040}" in done.stdout
