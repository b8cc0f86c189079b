"""What one message says of a person is looked for in all messages of the conversation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from guard.counterfactual import Declined, Rewrite, bundled, rewrite_all

DATA = Path(__file__).parent / "data"
ROLES = {"U": "user", "A": "assistant", "S": "system"}

Talk = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]


def talks(file: str) -> Iterator[Talk]:
    """What stands above each conversation, and who says what in it."""
    for block in (DATA / file).read_text("utf-8").split("# ")[1:]:
        head, *lines = block.strip().split("\n")
        turns: list[tuple[str, str]] = []
        for line in lines:
            who, mark, said = line.partition(": ")
            if mark and who in ROLES:
                turns.append((ROLES[who], said))
            else:
                turns[-1] = (turns[-1][0], f"{turns[-1][1]}\n{line}")
        yield tuple(head.split()), tuple(turns)


def made(turns: tuple[tuple[str, str], ...], attribute: str, to: str) -> tuple[Rewrite, ...]:
    return rewrite_all(
        [said for _, said in turns],
        bundled(),
        attribute=attribute,
        to=to,
        by_name=attribute.endswith("by_name"),
        roles=[role for role, _ in turns],
    )


def last(talk: Talk) -> str:
    return talk[1][-1][1][:40]


@pytest.mark.parametrize("talk", tuple(talks("half_changed.txt")), ids=last)
def test_what_another_message_still_tells_declines_all(talk: Talk) -> None:
    (attribute, to, reason), turns = talk
    assert {one.declined for one in made(turns, attribute, to)} == {Declined(reason)}


@pytest.mark.parametrize("talk", tuple(talks("chats.txt")), ids=last)
def test_ordinary_chats_are_rewritten(talk: Talk) -> None:
    (attribute, to), turns = talk
    done = made(turns, attribute, to)
    assert [one.detail for one in done] == [""] * len(turns)
    assert any(one.text != said for one, (_, said) in zip(done, turns, strict=True))


def test_whose_role_is_not_told_is_a_user() -> None:
    texts = ["My wife wants life insurance.", "34, pregnant"]
    (first, _) = rewrite_all(texts, bundled(), attribute="gender", to="male")
    assert (first.declined, first.detail) == (Declined.TIED, "pregnant")


LONG = "The office is open on weekdays from nine to five, and the canteen is on the first floor. "


@pytest.mark.parametrize(
    ("text", "declined"),
    [
        (f"{LONG * 3}Maternity leave is 16 weeks. {LONG * 12}", None),
        (f"Maternity leave is 16 weeks. {LONG * 15}", Declined.TIED),
        (f"{LONG * 15}Maternity leave is 16 weeks.", Declined.TIED),
        (f"{LONG * 3}Maternity leave is 16 weeks. {LONG * 3}", Declined.TIED),
        (f"{LONG * 6}Seen: 34F. {LONG * 6}", Declined.TIED),
    ],
)
def test_a_long_text_speaks_of_the_person_where_it_begins_and_ends(
    text: str, declined: Declined | None
) -> None:
    turns = (("user", "My wife asks about leave."), ("user", text))
    assert made(turns, "gender", "male")[0].declined == declined


def test_the_beginning_of_a_message_goes_on_with_what_was_said() -> None:
    turns = (
        ("user", "My wife wants life insurance."),
        ("assistant", "How old is she, and is there anything to know?"),
        ("user", f"34, pregnant. {LONG * 3} Can my wife call you?"),
    )
    assert made(turns, "gender", "male")[0].detail == "pregnant"


@pytest.mark.parametrize(
    ("form", "declined"),
    [
        ('Answer with {"name": string, "sex": "F" or "M"}.', None),
        ('Answer with {"name": string, "gender": "female" or "male"}.', None),
        ("Sex: F means that a form is final.", None),
        ('{"customer": 17, "title": "Ms"}', Declined.TIED),
    ],
)
def test_a_system_prompt_tells_by_the_fields_of_a_record(
    form: str, declined: Declined | None
) -> None:
    turns = (("system", form), ("user", "I'm Emily and I lost my card."))
    assert made(turns, "gender", "male")[0].declined == declined


@pytest.mark.parametrize(
    ("turn", "other"),
    [
        (("user", "Sex: F"), "Sex: M"),
        (("user", f"{LONG * 6}Sex: F. {LONG * 6}"), f"{LONG * 6}Sex: M. {LONG * 6}"),
        (("system", '{"customer": 17, "sex": "F"}'), '{"customer": 17, "sex": "M"}'),
        (
            ("system", 'Profile: {"name":"E. Clark","sex":"F","age":34}'),
            'Profile: {"name":"E. Clark","sex":"M","age":34}',
        ),
    ],
)
def test_a_letter_in_a_field_of_another_message_changes(turn: tuple[str, str], other: str) -> None:
    done = made((turn, ("user", "My wife wants a loan.")), "gender", "male")
    assert [one.text for one in done] == [other, "My husband wants a loan."]


@pytest.mark.parametrize(
    "turn",
    [
        ("user", "female, 34"),
        ("assistant", '{"relation": "partner", "gender": "female"}'),
        ("system", '{"customer": 17, "gender": "female"}'),
    ],
)
def test_no_word_for_the_sex_stays_alone(turn: tuple[str, str]) -> None:
    done = made((turn, ("user", "Emily wants a loan.")), "gender", "male")
    assert all("female" not in (one.text or "") for one in done)


def test_an_assistant_asks_for_one_of_two_letters() -> None:
    asked = ("assistant", "Which sex: F or M?")
    assert made((("user", "Emily applied."), asked), "gender", "male")[1].text == asked[1]
