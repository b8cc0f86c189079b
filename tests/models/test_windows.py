"""Long texts in windows, and copies that must agree."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from guard.scoring.vocabulary import open_vocabulary
from tests.models.real_models import STUDENT
from train.batches import Example, bundled, collate, encode, planned, read_tokenizer
from train.consistency import apart, head_shares, inconsistency
from train.heads import KEYS, index_of
from train.keys import text_key
from train.loop import logits_of, loss_of, steps
from train.model import pretrained, seeded
from train.recipe import INVARIANT, Recipe
from train.rows import Row, targets_of
from train.sampling import chosen, repeated
from train.tokens import tokens_of
from train.windows import OVERLAP, together, windows
from train.written import counterfactuals

LONG = Recipe(batch_rows=4, pool_batches=2, max_tokens=40, max_windows=3)


def row(text: str, toxic: float = 0.0, bundle: str = "") -> Row:
    targets = targets_of({"toxicity": toxic})
    key = text_key(text)
    return Row(text=text, key=key, source="s", licence="MIT", targets=targets, bundle=bundle)


def example(*lengths: int, bundle: str = "", toxic: float = 1.0) -> Example:
    pieces = tuple((2, *[5] * (length - 2), 3) for length in lengths)
    return Example(
        windows=pieces, targets=targets_of({"toxicity": toxic}), weight=1.0, bundle=bundle
    )


def test_a_long_text_is_read_in_windows_up_to_a_number(base: Path) -> None:
    rows = [row("tree " * 30), row("tree " * 60), row("tree " * 900)]
    short, long, longest = encode(rows, read_tokenizer(base), LONG)
    assert [len(piece) for piece in short.windows] == [32]
    assert [len(piece) for piece in long.windows][:2] == [40, 40]
    assert len(longest.windows) == 3
    (once,) = encode(rows[2:], read_tokenizer(base), replace(LONG, max_windows=1))
    assert once.windows == longest.windows[:1]


def test_windows_share_their_edges() -> None:
    first, second, *_ = windows(range(100), 50, OVERLAP)
    assert list(first)[-OVERLAP:] == list(second)[:OVERLAP]


def test_texts_are_read_made_plain(base: Path) -> None:
    plain, disguised = encode([row("stupid"), row("s t u p i d")], read_tokenizer(base), LONG)
    assert plain.windows == disguised.windows


@pytest.mark.parametrize(
    "text",
    [
        "You are a 😀 waste of air.",
        "😀worthless",
        "☣ s t u p i d ☣, and 🙄 so on",
        "ကျေးဇူး thank you",
        "Two of these: 😀😀 🫠",
        "plain",
    ],
)
def test_tokens_are_those_that_the_guard_reads(text: str) -> None:
    served = open_vocabulary(
        (STUDENT / "tokenizer.json").read_bytes(), window=128, overlap=OVERLAP, name="tokenizer"
    )
    (found,) = tokens_of([text], read_tokenizer(STUDENT))
    assert found == [token for window in served.windows(text) for token in window.ids]
    assert found


def test_harm_is_the_highest_window_and_sentiment_the_mean() -> None:
    logits = torch.zeros(3, len(KEYS))
    toxicity, sentiment = index_of("toxicity"), index_of("sentiment")
    logits[:, toxicity] = torch.tensor([-1.0, 2.0, -3.0])
    logits[:, sentiment] = torch.tensor([1.0, 4.0, -2.0])
    texts, tokens = torch.tensor([0, 0, 1]), torch.tensor([30.0, 10.0, 5.0])
    found = together(logits, texts, tokens)
    assert found[:, toxicity].tolist() == [2.0, -3.0]
    assert found[:, sentiment].tolist() == pytest.approx([1.75, -2.0])


def test_a_batch_knows_which_windows_and_bundles_belong_together() -> None:
    batch = collate([example(9, 4, bundle="a"), example(6), example(5, bundle="a")])
    assert batch.texts.tolist() == [0, 0, 1, 2]
    assert batch.bundles.tolist() == [0, 1, 0]
    assert batch.input_ids.shape == (4, 9)
    assert batch.attention_mask.sum(1).tolist() == [9, 4, 6, 5]


def test_batches_keep_bundles_whole_and_bear_only_so_many_tokens() -> None:
    given = [example(12, bundle=f"b{n // 3}") for n in range(30)] + [example(40, 40, 40)] * 4
    plan = list(planned(given, replace(LONG, batch_tokens=200), seeded(1)))
    places = {n: turn for turn, batch in enumerate(plan) for n in batch}
    assert all(len({places[n] for n in bundle}) == 1 for bundle in bundled(given, range(30)))
    assert max(Counter(places[n] for n in range(30, 34)).values()) == 1


def test_copies_that_agree_cost_nothing() -> None:
    logits, shares = torch.randn(4, len(KEYS)), head_shares(INVARIANT)
    assert inconsistency(logits, torch.arange(4), shares).item() == pytest.approx(0, abs=1e-6)
    same = logits[:1].expand(4, -1)
    assert inconsistency(same, torch.tensor([0, 0, 1, 1]), shares).item() == pytest.approx(0)


def test_the_price_pulls_copies_together_and_leaves_categories_alone() -> None:
    logits = torch.zeros(2, len(KEYS), requires_grad=True)
    with torch.no_grad():
        logits[0] = 1.0
    inconsistency(logits, torch.tensor([0, 0]), head_shares(INVARIANT)).backward()
    assert logits.grad is not None
    assert (logits.grad[0] >= 0).all()
    assert logits.grad[0, index_of("toxicity")] == -logits.grad[1, index_of("toxicity")] > 0
    assert logits.grad[0, index_of("stereotype.race")] == 0
    assert apart(logits, torch.tensor([0, 0])).max().item() == pytest.approx(0.125)


def test_training_with_the_price_brings_copies_together(base: Path) -> None:
    def gap(consistency: float) -> float:
        seeded(2)
        model = pretrained(base, dropout=0.0)
        given = [
            replace(
                example(6, bundle=f"{n // 2}"),
                windows=((2, 10 + n % 2, 20, 3),),
                targets=targets_of({"toxicity": float(n % 2)}),
            )
            for n in range(40)
        ]
        recipe = replace(LONG, epochs=4, encoder_rate=3e-3, consistency=consistency)
        list(steps(model, given, recipe))
        batch = collate(given[:2])
        with torch.inference_mode():
            logits = model.eval()(batch.input_ids, batch.attention_mask)
        return float((logits[0, 0] - logits[1, 0]).abs())

    assert gap(30.0) < 0.5 * gap(0.0)


def test_a_batch_cut_short_by_long_texts_counts_less(base: Path) -> None:
    seeded(2)
    model = pretrained(base, dropout=0.0).eval()
    batches = [collate([example(8)] * rows) for rows in (4, 2)]
    full, half = (loss_of(logits_of(model, batch), batch, LONG) for batch in batches)
    assert half.item() == pytest.approx(full.item() / 2, rel=1e-3)


def test_copies_share_the_bundle_of_their_row() -> None:
    given = row("many mexicans live in this street", bundle="")
    (copy,) = counterfactuals([given], seed=1)
    assert copy.row.bundle == given.key


def test_copies_are_sampled_together() -> None:
    recipe = replace(LONG, rates={"s": 0.5})
    pairs = [[row(f"{n} {who}", bundle=f"pair {n}") for who in "abc"] for n in range(40)]
    taken = [{chosen(each, recipe) for each in pair} for pair in pairs]
    assert all(len(found) == 1 for found in taken)
    assert {True} in taken
    assert {False} in taken


def test_a_repeated_row_does_not_meet_itself() -> None:
    recipe = replace(LONG, repeats={"s": 3})
    found = list(
        repeated([row("one"), row("two", bundle="pair"), row("three", bundle="pair")], recipe)
    )
    assert len(found) == 9
    sizes = Counter(each.bundle or each.key for each in found)
    assert sorted(sizes.values()) == [1, 1, 1, 2, 2, 2]
