"""Texts made of several rows."""

from dataclasses import replace

import pytest

from train.heads import KEYS, index_of
from train.joined import joined_rows, together
from train.keys import text_key
from train.recipe import Recipe
from train.rows import Row, targets_of
from train.written.hard import Side, source_of

RECIPE = Recipe(joined=200, noisy_zeros=("noisy",))


def row(text: str, toxic: float, source: str = "calm") -> Row:
    targets = targets_of({key: toxic if key.startswith("toxicity") else None for key in KEYS})
    return Row(text=text, key=text_key(text), source=source, licence="MIT", targets=targets)


@pytest.fixture
def rows() -> list[Row]:
    calm = [row(f"the river number {n} is calm and long today", 0.0) for n in range(40)]
    noisy = [row(f"doubtful {n}", 0.0, "noisy") for n in range(10)]
    return [*calm, *noisy, row("open", 0.5), row("x" * 500, 0.0), row("you are nasty", 1.0)]


def test_a_text_is_toxic_where_one_of_its_parts_is(rows: list[Row]) -> None:
    found = list(joined_rows(rows, RECIPE))
    assert len(found) == RECIPE.joined
    for each in found:
        assert (each.targets[index_of("toxicity")] == 1.0) == ("nasty" in each.text)
    assert 0.2 < sum("nasty" in each.text for each in found) / len(found) < 0.5


def test_sentiment_and_what_a_part_leaves_open_stay_open(rows: list[Row]) -> None:
    for each in joined_rows(rows, RECIPE):
        assert each.targets[index_of("sentiment")] is None
        assert each.targets[index_of("stereotype")] is None


def test_doubtful_and_overlong_rows_are_no_parts(rows: list[Row]) -> None:
    texts = " ".join(each.text for each in joined_rows(rows, RECIPE))
    assert not any(word in texts for word in ("doubtful", "open", "xxx"))


def test_texts_are_about_a_window_long_and_the_same_for_a_seed(rows: list[Row]) -> None:
    found = list(joined_rows(rows, RECIPE))
    assert found == list(joined_rows(rows, RECIPE))
    assert found != list(joined_rows(rows, replace(RECIPE, seed=9)))
    assert max(len(each.text) for each in found) < RECIPE.joined_room[1] + 120
    assert all(each.key == text_key(each.text) for each in found)


def test_length_and_share_of_toxic_texts_are_the_recipes(rows: list[Row]) -> None:
    long = replace(RECIPE, joined_room=(900, 2000), joined_toxic=0.0)
    found = list(joined_rows(rows, long))
    assert min(len(each.text) for each in found) > 850
    assert not any("nasty" in each.text for each in found)


def test_a_share_is_made_of_parts_that_are_known_to_be_neither(rows: list[Row]) -> None:
    at = index_of("stereotype")
    known = [
        replace(each, targets=(*each.targets[:at], 0.0, *each.targets[at + 1 :]))
        for each in (row(f"the hill number {n} is green", 0.0) for n in range(40))
    ]
    settled = replace(RECIPE, joined_toxic=0.0, joined_settled=0.5)
    found = list(joined_rows([*rows, *known], settled))
    share = sum(each.targets[at] == 0.0 for each in found) / len(found)
    assert 0.4 < share < 0.6
    assert all("river" not in each.text for each in found if each.targets[at] == 0.0)


def test_a_share_of_the_toxic_parts_are_hard_texts(rows: list[Row]) -> None:
    subtle = row("at your weight try a tent", 1.0, source_of(Side.HARMFUL))
    recipe = replace(RECIPE, joined_toxic=1.0, joined_hard=0.6)
    texts = [each.text for each in joined_rows([*rows, subtle], recipe)]
    # those that are not wanted are drawn from both texts
    assert 0.7 < sum("tent" in text for text in texts) / len(texts) < 0.9
    assert all("nasty" in each.text for each in joined_rows(rows, recipe))


def test_nothing_is_made_of_nothing() -> None:
    assert list(joined_rows([], RECIPE)) == []
    assert list(joined_rows([row("calm", 0.0)], RECIPE)) == []


@pytest.mark.parametrize(
    ("parts", "whole"),
    [([0.0, 0.0], 0.0), ([0.0, 1.0, None], 1.0), ([0.0, None], None), ([0.2, 0.7], 0.7)],
)
def test_a_whole_is_what_any_part_is(parts: list[float | None], whole: float | None) -> None:
    assert together(parts) == whole
