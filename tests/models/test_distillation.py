"""A teacher's labels: how they are made, kept and found, and what a student learns from them."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
import torch
from torch import Tensor

from export import labelling as labelling_command
from export.build import bare_tokenizer, calibrate, scorer_of
from export.calibration import write_calibration
from export.manifest import LARGE
from export.outputs import classifier_graph
from export.texts import gather
from train import __main__ as command
from train import labelling
from train.batches import Example, collate, encode, read_tokenizer
from train.checkpoint import fingerprint
from train.consistency import head_shares
from train.distillation import mixed_loss, softened, teacher_loss
from train.heads import KEYS, index_of
from train.keys import text_key
from train.labelling import earlier, waiting, write_on
from train.loop import loss_of, steps
from train.loss import masked_loss
from train.model import Classifier, load, pretrained, save, seeded, weights_sha256
from train.recipe import DISTILLING, RECIPES, Recipe
from train.replayed import pieces, replayed_rows
from train.rows import Row, targets_of
from train.soft_labels import (
    MIDDLE,
    SoftLabels,
    coded,
    mean_labels,
    read_soft_labels,
    short,
    write_soft_labels,
)
from train.written import LICENCE

TEXTS = ("the tree is awful", "they are calm", "a lovely song and a stupid river", "women")


def row(text: str, source: str = "toxicity/sbic_dev", **known: float) -> Row:
    targets = targets_of(dict(known))
    return Row(text=text, key=text_key(text), source=source, licence="MIT", targets=targets)


def fresh(base: Path) -> Classifier:
    seeded(7)
    return pretrained(base, dropout=0.0).eval()


def labels_of(*texts: str) -> SoftLabels:
    found = {short(text_key(text)): bytes([128 + n] * 13) for n, text in enumerate(texts)}
    return SoftLabels(teacher="abc", found=found)


def test_codes_are_close_to_the_logits_they_stand_for() -> None:
    logits = np.linspace(-7.9, 7.9, 13 * 50, dtype=np.float32).reshape(50, 13)
    found = {short(str(n)): line.tobytes() for n, line in enumerate(coded(logits))}
    labels = SoftLabels(teacher="", found=found)
    read = np.array([labels.logits(str(n)) for n in range(50)])
    assert np.abs(read - logits).max() <= 1 / 32 + 1e-6
    gap = 1 / (1 + np.exp(-read)) - 1 / (1 + np.exp(-logits))
    assert np.abs(gap).max() < 0.008


def test_what_is_far_out_is_cut_and_not_wrapped_around() -> None:
    assert coded(np.array([[-90.0, 90.0]], np.float32)).tolist() == [[0, 255]]


def test_labels_are_the_same_after_a_file_which_has_no_text(tmp_path: Path) -> None:
    labels = labels_of(*TEXTS)
    write_soft_labels(labels, tmp_path / "soft.npz")
    assert read_soft_labels(tmp_path / "soft.npz") == labels
    assert b"women" not in (tmp_path / "soft.npz").read_bytes()
    again = SoftLabels(teacher="abc", found=dict(reversed(labels.found.items())))
    write_soft_labels(again, tmp_path / "again.npz")
    assert (tmp_path / "soft.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()


def test_labels_of_other_heads_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_soft_labels(labels_of("a"), tmp_path / "soft.npz")
    monkeypatch.setattr("train.soft_labels.KEYS", KEYS[::-1])
    with pytest.raises(ValueError, match="other heads"):
        read_soft_labels(tmp_path / "soft.npz")


def test_of_a_text_that_several_teachers_have_read_the_mean_of_their_logits_counts() -> None:
    first, second = labels_of("read by both", "by one"), labels_of("read by both", "by another")
    both, one = short(text_key("read by both")), short(text_key("by one"))
    codes = dict(first.found)
    codes[both] = bytes([MIDDLE + 32] * len(KEYS))
    first = SoftLabels(teacher="first", found=codes)
    joint = mean_labels([first, second])
    assert joint.logits(text_key("read by both")) == (1.0,) * len(KEYS)
    assert joint.found[one] == first.found[one]
    assert joint.found.keys() == first.found.keys() | second.found.keys()
    assert joint.teacher == "first abc"
    assert mean_labels([second, first]).found == joint.found


def test_texts_that_differ_in_case_and_space_share_their_labels() -> None:
    labels = labels_of("They are CALM.")
    assert labels.logits(text_key("they  are calm")) == (0.0,) * 13
    assert labels.logits(text_key("they are")) is None


def test_answers_come_whole_and_sentence_by_sentence() -> None:
    assert list(pieces("One two three.")) == [("answer", "One two three.")]
    assert list(pieces("It is so. Is it not?")) == [
        ("answer", "It is so. Is it not?"),
        ("sentence", "It is so."),
        ("sentence", "Is it not?"),
    ]


def test_no_one_has_labelled_recorded_answers(data: Path) -> None:
    rows = list(replayed_rows(data))
    assert {source.split("/")[1] for source in (r.source for r in rows)} == {"answer"}
    assert {target for each in rows for target in each.targets} == {None}


def test_chunks_are_read_side_by_side_and_come_in_order() -> None:
    meeting = Barrier(3)

    def read(rows: Sequence[Row]) -> Mapping[int, bytes]:
        meeting.wait(timeout=60)
        return {short(each.key): each.text.encode() for each in rows}

    chunks = [[row(f"text {n}")] for n in range(9)]
    found = list(labelling_command.labelled(read, chunks, threads=3))
    assert [next(iter(one.values())) for one in found] == [f"text {n}".encode() for n in range(9)]


def test_each_text_is_read_once_and_none_that_was_read_before() -> None:
    rows = [row(text) for text in (*TEXTS, *TEXTS)]
    assert sorted(each.text for each in waiting(rows, labels_of("women"))) == sorted(TEXTS[:3])


def test_rows_that_tell_most_are_read_first() -> None:
    sources = ("toxicity/implicit_hate", "toxicity/jigsaw_6label")
    rows = [row(f"text {n}", sources[n % 2]) for n in range(400)]
    early = waiting(rows, labels_of())[:100]
    assert sum(each.source == sources[0] for each in early) > 65


def test_labelling_ends_when_the_time_is_up_and_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 6000, 60))
    monkeypatch.setattr(labelling.time, "monotonic", lambda: float(next(clock)))
    chunks = ({n: bytes(13)} for n in range(50))
    labels = write_on(labels_of(), chunks, tmp_path / "soft.npz", minutes=4)
    assert len(labels.found) == 5
    assert read_soft_labels(tmp_path / "soft.npz") == labels


def test_labels_of_two_teachers_do_not_mix(base: Path, tmp_path: Path) -> None:
    model = fresh(base)
    save(model, tmp_path / "one")
    write_soft_labels(
        SoftLabels(teacher=weights_sha256(tmp_path / "one"), found={}), tmp_path / "soft.npz"
    )
    assert earlier(tmp_path / "soft.npz", weights_sha256(tmp_path / "one")).found == {}
    with torch.no_grad():
        model.heads.bias += 1
    save(model, tmp_path / "two")
    with pytest.raises(ValueError, match="another teacher"):
        earlier(tmp_path / "soft.npz", weights_sha256(tmp_path / "two"))


def bare() -> tuple[Tensor, Tensor, Tensor]:
    """Logits of a student, and targets and judgements of which nothing is known yet."""
    unknown = torch.full((2, len(KEYS)), math.nan)
    return torch.zeros(2, len(KEYS), requires_grad=True), unknown, unknown.clone()


def test_without_a_teacher_the_loss_is_that_of_the_labels() -> None:
    logits, targets, soft = bare()
    targets[0, 0] = targets[1, 6] = 1.0
    weights = torch.tensor([1.0, 0.5])
    found = mixed_loss(logits, targets, soft, weights, (0.6, 2.0))
    assert found.item() == pytest.approx(masked_loss(logits, targets, weights).item())


def test_what_people_have_not_labelled_is_learnt_from_the_teacher() -> None:
    logits, targets, soft = bare()
    soft[0, index_of("stereotype")] = 3.0
    mixed_loss(logits, targets, soft, torch.ones(2), (0.6, 2.0)).backward()
    assert logits.grad is not None
    assert logits.grad.nonzero().tolist() == [[0, index_of("stereotype")]]
    assert logits.grad[0, index_of("stereotype")] < 0


def test_labels_and_teacher_pull_by_their_shares() -> None:
    for share, sign in ((0.1, -1), (0.9, 1)):
        logits, targets, soft = bare()
        targets[0, 0], soft[0, 0] = 1.0, -8.0
        mixed_loss(logits, targets, soft, torch.ones(2), (share, 1.0)).backward()
        assert logits.grad is not None
        assert torch.sign(logits.grad[0, 0]) == sign


def test_the_temperature_leaves_gradients_about_as_large() -> None:
    sizes = []
    for temperature in (1.0, 4.0):
        logits, _, soft = bare()
        soft[0, 0] = 0.5
        softened(logits, soft, temperature).sum().backward()
        assert logits.grad is not None
        sizes.append(float(logits.grad[0, 0]))
    assert sizes[1] == pytest.approx(sizes[0], rel=0.03)


def test_a_student_that_agrees_has_nothing_left_to_learn() -> None:
    _, _, soft = bare()
    soft[0] = torch.linspace(-4, 4, len(KEYS))
    agreed = soft.nan_to_num().requires_grad_()
    loss = teacher_loss(agreed, soft, 2.0)
    loss.backward()
    assert loss.item() == pytest.approx(0.0, abs=1e-6)
    assert agreed.grad is not None
    assert agreed.grad.abs().max() < 1e-6
    assert teacher_loss(agreed + 1, soft, 2.0) > 0.01


def test_copies_have_no_price_on_stereotypes_for_the_student() -> None:
    shares = head_shares(DISTILLING.invariant)
    unpriced = {key for key, share in zip(KEYS, shares.tolist(), strict=True) if not share}
    assert unpriced == {key for key in KEYS if key.startswith("stereotype")}
    assert DISTILLING.unknown_in_copies == ("stereotype",)


def test_copies_that_differ_in_their_stereotype_cost_nothing() -> None:
    examples = [
        Example(windows=((2, 5, 3),), targets=targets_of({}), weight=1.0, bundle="a", soft=line)
        for line in ((0.0,) * 13, (1.0,) * 13)
    ]
    logits = torch.zeros(2, len(KEYS), requires_grad=True)
    with torch.no_grad():
        logits[1, index_of("stereotype")] = 4.0
    alone = replace(DISTILLING, consistency=0.0)
    found = loss_of(logits, collate(examples), DISTILLING)
    assert found.item() == pytest.approx(loss_of(logits, collate(examples), alone).item())


def test_a_student_comes_to_agree_with_its_teacher(base: Path) -> None:
    tokenizer = read_tokenizer(base)
    recipe = replace(
        DISTILLING,
        batch_rows=4,
        epochs=20,
        encoder_rate=3e-3,
        word_rate=0.0,
        head_rate=3e-2,
        dropout=0.0,
        consistency=0.0,
    )
    examples = [
        replace(example, soft=tuple(2.0 if n % 2 else -2.0 for _ in KEYS))
        for n, example in enumerate(encode([row(text) for text in TEXTS], tokenizer, recipe))
    ]
    gaps = [step.parts["teacher"] for step in steps(fresh(base), examples, recipe)]
    assert gaps[-1] < 0.3 * gaps[0]


def test_other_judgements_make_another_run(base: Path) -> None:
    example = Example(windows=((2, 5, 3),), targets=targets_of({}), weight=1.0, soft=(0.0,) * 13)
    other = replace(example, soft=(1.0,) * 13)
    model = fresh(base)
    prints = {fingerprint(DISTILLING, [each], [[0]], model) for each in (example, other)}
    assert len(prints) == 2


def test_the_commands_label_and_learn(
    data: Path, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(fresh(base), tmp_path / "teacher")
    material = gather(data, range_texts=20)
    write_calibration(calibrate(fresh(base), base, material, LARGE), tmp_path / "teacher")
    small = Recipe(max_tokens=24, replayed_rows=True, soft_share=0.5, temperature=2.0)
    monkeypatch.setitem(RECIPES, "distilling", small)
    shared = ["--data", data, "--base", base, "--threads", "1"]
    soft = tmp_path / "soft.npz"
    words = ["label", "--weights", tmp_path / "teacher", "--out", soft, *shared]
    for _ in range(2):
        monkeypatch.setattr(sys, "argv", [*map(str, words)])
        labelling_command.main()
    labels = read_soft_labels(soft)
    assert labels.logits(text_key("the answer is calm song 3"))
    words = ["train", "--recipe", "distilling", "--out", tmp_path / "student", *shared]
    monkeypatch.setattr(sys, "argv", [*map(str, words)])
    with pytest.raises(ValueError, match="--soft"):
        command.main()
    monkeypatch.setattr(sys, "argv", [*map(str, words), "--soft", str(soft)])
    command.main()
    assert load(tmp_path / "student")
    assert (tmp_path / "student" / "train.log").exists()


def test_rows_of_which_nothing_is_known_are_left_out(data: Path, base: Path) -> None:
    small = Recipe(max_tokens=24, replayed_rows=True, soft_share=0.5)
    known = command.read_examples(data, base, small, labels_of())
    assert all(any(t is not None for t in each.targets) for each in known)
    more = command.read_examples(data, base, small, labels_of("the answer is calm song 3"))
    assert len(more) == len(known) + 1


def test_of_the_rows_that_no_teacher_has_read_a_share_is_used() -> None:
    rows = [row(f"text {n}", toxicity=1.0) for n in range(400)]
    example = Example(windows=((2, 5, 3),), targets=rows[0].targets, weight=1.0)
    pairs = [(each, example) for each in rows]
    read = labels_of("text 1", "text 2")
    taught = list(command.taught(pairs, read, 0.2))
    assert sum(each.soft is not None for each in taught) == 2
    assert 50 < len(taught) < 110
    assert len(list(command.taught(pairs, read, 0.0))) == 2
    assert len(list(command.taught(pairs, read, 1.0))) == 400
    ours = [(replace(each, licence=LICENCE), example) for each in rows]
    assert len(list(command.taught(ours, read, 0.0))) == 400


def test_a_second_classifier_counts_for_public_rows_alone(base: Path) -> None:
    tokenizer, model = bare_tokenizer(base), fresh(base)
    one = scorer_of(classifier_graph(model, None), tokenizer, LARGE)
    with torch.no_grad():
        model.heads.bias += 1
    other = scorer_of(classifier_graph(model, None), tokenizer, LARGE)
    public, ours, replayed = (
        row("they are calm", toxicity=0.0),
        replace(row("women are calm", toxicity=0.0), licence=LICENCE),
        row("people are calm"),
    )
    rows = [public, ours, replayed]
    alone = labelling_command.judged(one, None, rows)
    mixed = labelling_command.judged(one, other, rows)
    assert np.allclose(mixed - alone, np.array([[0.3], [0.0], [0.0]]), atol=1e-5)
