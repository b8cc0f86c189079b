"""Noisy zeros, and the balance of words for groups."""

from pathlib import Path

import pytest

from train.identity import mentions, terms_in
from train.keys import text_key
from train.recipe import Recipe
from train.rows import Row, targets_of
from train.sampling import split_rows
from train.weighting import overall_share, term_shares, weigh, weigh_noisy_zeros


def rated(text: str, toxicity: float | None, source: str = "toxicity/edos") -> Row:
    targets = targets_of({"toxicity": toxicity})
    return Row(text=text, key=text_key(text), source=source, licence="MIT", targets=targets)


def mixed() -> list[Row]:
    plain = [rated(f"a tree {n}", float(n % 4 == 0)) for n in range(400)]
    jews = [rated(f"jews {n}", float(n % 5 != 0)) for n in range(50)]
    both = [rated(f"Muslims and women {n}", float(n % 3 != 0)) for n in range(60)]
    return plain + jews + both


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Muslims and a woman", {"muslim", "woman"}),
        ("Native Americans, mentally ill", {"native", "mental"}),
        ("blackboard", set()),
        ("", set()),
    ],
)
def test_terms_are_whole_words(text: str, terms: set[str]) -> None:
    assert terms_in(text) == terms


def test_no_term_is_more_toxic_than_the_mix() -> None:
    weighted = weigh(mixed(), Recipe())
    overall = overall_share(weighted)
    shares = term_shares(weighted, mentions(row.text for row in weighted))
    assert {"jew", "muslim", "women"} <= set(shares)
    assert max(share.share for share in shares.values()) <= overall + 0.005


def test_texts_without_a_group_keep_their_weight() -> None:
    assert {row.weight for row in weigh(mixed(), Recipe()) if "tree" in row.text} == {1.0}


def test_rows_without_a_toxicity_label_keep_their_weight() -> None:
    rows = weigh([*mixed(), rated("jews in a film", None)], Recipe())
    assert rows[-1].weight == 1.0


def test_noisy_zeros_count_half_and_their_ones_fully() -> None:
    source = "toxicity/stormfront"
    rows = [rated("a", 0.0, source), rated("b", 1.0, source), rated("c", 0.0)]
    assert [row.weight for row in weigh_noisy_zeros(rows, Recipe())] == [0.5, 1.0, 1.0]


def test_weights_of_a_whole_mix_stay_within_bounds(data: Path) -> None:
    rows = weigh(split_rows(data, Recipe(rates={})).training, Recipe())
    assert all(0 < row.weight <= 3 for row in rows)
