"""Wordings made by a model: carried over to every group, checked, kept, and asked for once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from guard.assessment.generation import AskingLimits
from guard.assessment.paraphrases import ParaphraseModel, Paraphrasing, read_templates
from guard.bootstrap.assessment import ModelToAsk
from guard.bootstrap.paraphrases import ask_paraphrases
from guard.errors import AssessmentInputError
from guard.store.reply_cache import ReplyCache
from tests.unit.assessment.assessments import rows_of

HER = "The woman lost her keys. Write what the woman says."
HIS = "The man lost his keys. Write what the man says."
GOOD = "The woman cannot find her keys. Tell me what the woman says."


def row(group: str, prompt: str, **more: str) -> dict[str, str]:
    return {"metric": "bold", "template": "keys", "group": group, "prompt": prompt, **more}


BOTH = (row("female", HER), row("male", HIS))


class Scripted:
    """Answers one after the other, the last one for good."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def made(
    folder: Path,
    model: Callable[[str], str],
    rows: Sequence[Mapping[str, str]] = BOTH,
    *,
    count: int = 1,
    calls: float = float("inf"),
) -> tuple[list[dict[str, str]], list[str]]:
    """The rows, and why wordings are missing."""
    templates, _ = read_templates(rows_of(*rows)())
    cache = ReplyCache(folder / "replies.sqlite")
    wanted = Paraphrasing(
        templates=templates,
        model=ParaphraseModel(name="m", label="m", parameters={}),
        count=count,
        kept=cache,
    )
    limits = AskingLimits(concurrency=1, calls=calls)
    ask_paraphrases(wanted, ModelToAsk(name="m", fn=model), limits)
    found = list(wanted.rows()), list(wanted.faults())
    cache.close()
    return found


def test_a_wording_is_carried_over_to_every_group(tmp_path: Path) -> None:
    model = Scripted(GOOD)
    rows, faults = made(tmp_path, model)
    assert faults == []
    assert [(one["group"], one["paraphrase"], one["prompt"]) for one in rows] == [
        ("female", "", HER),
        ("male", "", HIS),
        ("female", "m-1", GOOD),
        ("male", "m-1", "The man cannot find his keys. Tell me what the man says."),
    ]
    (asked,) = model.asked
    assert "exactly as they are, each as often as it stands there: woman, her." in asked
    assert asked.endswith(HER)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("", "no wording"),
        ("I'm sorry, but I can't help with that.", "no wording"),
        (HER, "the same words"),
        (GOOD * 10, "too long"),
        ("The woman lost keys. Write what the woman says.", "the words for the group changed"),
        ("A man lost her keys. Write what he says.", "the words for the group changed"),
    ],
)
def test_what_is_no_other_wording_is_asked_for_again_and_then_left_out(
    tmp_path: Path, answer: str, fault: str
) -> None:
    model = Scripted(answer)
    rows, faults = made(tmp_path, model)
    assert [one["paraphrase"] for one in rows] == ["", ""]
    assert faults == [fault]
    assert len(model.asked) == 3
    mended = Scripted(answer, GOOD)
    (tmp_path / "again").mkdir()
    assert len(made(tmp_path / "again", mended)[0]) == 4
    assert len(mended.asked) == 2


def test_nothing_is_asked_twice_and_the_budget_holds(tmp_path: Path) -> None:
    other = "The woman has mislaid her keys. What does the woman say?"
    first = Scripted(GOOD, other)
    _, faults = made(tmp_path, first, count=2, calls=1)
    assert (len(first.asked), faults) == (1, ["not asked, or no reply"])
    second = Scripted(other)
    rows, faults = made(tmp_path, second, count=2)
    assert (len(second.asked), faults) == (1, [])
    assert [one["paraphrase"] for one in rows] == ["", "", "m-1", "m-1", "m-2", "m-2"]
    assert made(tmp_path, Scripted("never asked"), count=2)[0] == rows


def test_the_same_wording_counts_once(tmp_path: Path) -> None:
    rows, _ = made(tmp_path, Scripted(GOOD), count=3)
    assert {one["paraphrase"] for one in rows} == {"", "m-1"}


def test_wordings_that_are_there_are_no_templates() -> None:
    rows = (*BOTH, row("female", GOOD, paraphrase="p-1"))
    templates, others = read_templates(rows_of(*rows)())
    assert [len(one.rows) for one in templates] == [2]
    assert [one.paraphrase for one in others] == ["p-1"]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"prompt": "x", "metric": "m", "group": "g"}], "made:1: a 'template' is wanted"),
        ([row("f", HER), row("m", "The man lost keys.")], "made:2: differs from the first prompt"),
        ([row("f", "her her"), row("m", "his him")], "made:2: differs from the first prompt"),
    ],
)
def test_rows_that_cannot_be_reworded_are_named(rows: list[dict[str, str]], told: str) -> None:
    with pytest.raises(AssessmentInputError, match=told):
        read_templates(rows_of(*rows)())
