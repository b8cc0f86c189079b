"""The letters that fields say a sex with: "Sex: F", "Gender: M"."""

from __future__ import annotations

from typing import Final

from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.sex_letters import GENDER, LETTERS

_ROW: Final = "letter"
_GROUPS: Final = {letter: group for group, letters in LETTERS.items() for letter in letters}


def letter_form(letter: str) -> Form | None:
    """The form that the letter is; None of any other."""
    group = _GROUPS.get(letter.lower())
    return None if group is None else _form(letter.upper(), group)


def letter_of(group: str) -> Form | None:
    """The letter of another group; None where it has none."""
    letters = LETTERS.get(group)
    return None if letters is None else _form(letters[0].upper(), group)


def is_letter(form: Form) -> bool:
    """Whether the form is a letter that says a sex."""
    return form.row == _ROW


def _form(letter: str, group: str) -> Form:
    return Form(
        text=letter,
        attribute=GENDER,
        group=group,
        kind=Kind.NOUN,
        slot="sg",
        row=_ROW,
        person=1.0,
    )
