"""Words and terms that name groups of people, from data files and from the user."""

from guard.counterfactual.lexicons.files import (
    ATTRIBUTES,
    Sheet,
    bundled,
    data,
    extended,
    read_sheet,
)
from guard.counterfactual.lexicons.forms import SLOTS, Entry, Form, Kind
from guard.counterfactual.lexicons.index import Lexicons, Term

__all__ = [
    "ATTRIBUTES",
    "SLOTS",
    "Entry",
    "Form",
    "Kind",
    "Lexicons",
    "Sheet",
    "Term",
    "bundled",
    "data",
    "extended",
    "read_sheet",
]
