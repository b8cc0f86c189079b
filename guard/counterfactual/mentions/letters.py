"""The letters that fields say a sex with: "Sex: F", "Gender: M"."""

from __future__ import annotations

from typing import Final

from guard.counterfactual.lexicons.forms import Form, Kind

SEX: Final = "gender"
"""The attribute whose groups letters name."""
_ROW: Final = "letter"
_GROUPS: Final = {"f": "female", "w": "female", "m": "male"}  # w: as in German forms


def letter_form(letter: str) -> Form | None:
    """The form that the letter is; None of any other."""
    group = _GROUPS.get(letter.lower())
    return None if group is None else _form(letter.upper(), group)


def letter_of(group: str) -> Form | None:
    """The letter of another group; None where it has none."""
    letters = [letter for letter, other in _GROUPS.items() if other == group]
    return _form(letters[0].upper(), group) if letters else None


def is_letter(form: Form) -> bool:
    """Whether the form is a letter that says a sex."""
    return form.row == _ROW


def _form(letter: str, group: str) -> Form:
    return Form(
        text=letter,
        attribute=SEX,
        group=group,
        kind=Kind.NOUN,
        slot="sg",
        row=_ROW,
        person=1.0,
    )
