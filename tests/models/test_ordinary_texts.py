"""Ordinary replies: enough of them, harmless throughout, and a third of the lines held out."""

import re

import pytest

from guard.text import sentences
from train.heads import index_of
from train.keys import hashed
from train.recipe import RECIPES
from train.written import OrdinaryText, ordinary_rows, ordinary_texts
from train.written.near_copies import index_of_sequences, shared
from train.written.ordinary import SHORT, UNREAD

NEAR = 0.5


@pytest.fixture(scope="module")
def training() -> list[OrdinaryText]:
    return ordinary_texts(1, held_out=False)


@pytest.fixture(scope="module")
def held_out() -> list[OrdinaryText]:
    return ordinary_texts(1, held_out=True)


def test_a_third_of_the_lines_is_held_out(
    training: list[OrdinaryText], held_out: list[OrdinaryText]
) -> None:
    trained, kept = ({each.template for each in texts} for texts in (training, held_out))
    assert trained.isdisjoint(kept)
    unread = {name for name in kept if name.split("/")[0] in UNREAD}
    kept -= unread
    assert 0.27 < len(kept) / (len(trained) + len(kept)) < 0.4
    assert len(kept) >= 120
    assert len(unread) >= 400
    assert not any(name.split("/")[0] in UNREAD for name in trained)
    assert {each.row.key for each in training}.isdisjoint(each.row.key for each in held_out)


def test_no_harm_is_left_open(training: list[OrdinaryText], held_out: list[OrdinaryText]) -> None:
    harms = [index_of("toxicity"), index_of("stereotype")]
    for each in [*training, *held_out]:
        assert {each.row.targets[at] for at in harms} == {0.0}
        assert each.row.source == "written/ordinary"


def test_texts_are_well_formed(training: list[OrdinaryText], held_out: list[OrdinaryText]) -> None:
    broken = re.compile(r"[{}<>|\[\]]|//|  |[ ][,.;:?!]")
    unfinished = re.compile(r"[^.!?\"')]$")
    texts = [*training, *held_out]
    assert [each.row.text for each in texts if broken.search(each.row.text)] == []
    replies = [each.row.text for each in texts if each.family not in SHORT]
    assert [text for text in replies if unfinished.search(text)] == []


def test_excerpts_are_sentences_of_a_reply(training: list[OrdinaryText]) -> None:
    wholes = {each.template: "" for each in training}
    for each in training:
        if each.whole:
            wholes[each.template] += f"\n{each.row.text}"
    for each in training:
        if not each.whole:
            assert each.row.text in wholes[each.template]
            assert 1 <= len(sentences(each.row.text)) <= 3


def test_what_is_held_out_is_no_near_copy_of_what_is_trained_on(
    training: list[OrdinaryText], held_out: list[OrdinaryText]
) -> None:
    index = index_of_sequences((each.template, each.row.text) for each in training)
    wholes = [each.row.text for each in held_out if each.whole]
    assert [text for text in wholes if shared(text, index)[0] >= NEAR] == []


def test_a_seed_always_gives_the_same_rows_without_forbidden_ones(
    training: list[OrdinaryText],
) -> None:
    first, *rest = ordinary_rows(1)
    assert ordinary_rows(1, frozenset({hashed(first.key)})) == rest
    assert [first, *rest] == [each.row for each in training]


def test_only_later_recipes_have_them() -> None:
    found = {name for name, recipe in RECIPES.items() if recipe.ordinary_rows}
    assert found == {
        "distilling-ordinary",
        "distilling-plain",
        "distilling-public",
        "distilling-buried",
        "distilling-hands",
        "distilling-hidden",
        "distilling-voices",
        "adapting-voices",
        "adapting-outright",
    }
