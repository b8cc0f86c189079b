"""Words and terms that name groups of people, from data files and from the user."""

from guard.counterfactual.lexicons.bundled import ATTRIBUTES, bundled, data, extended
from guard.counterfactual.lexicons.forms import SLOTS, Entry, Form, Kind
from guard.counterfactual.lexicons.index import Lexicons, Term
from guard.counterfactual.lexicons.reading import Sheet, read_sheet

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
