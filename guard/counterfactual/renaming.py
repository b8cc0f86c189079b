"""Which name stands for which: one to one within a conversation, and none that is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.people import Page

_STEPS = 800  # enough for the rarest name to reach one with a partner
Partner = Callable[[Form], "Form | None"]


def renamed(
    pages: Sequence[Page], source: str, lexicons: Lexicons, partner: Partner
) -> Mapping[str, Form | None]:
    """For each name of the group, in small letters, the name that takes its place.

    None where there is no partner, or everyone near it occurs in the conversation already.
    """
    named = list(_names(pages, source))
    taken = set[str]().union(*(page.words.vocabulary for page in pages if named))
    chosen: dict[str, Form | None] = {}
    for form in named:
        name = form.text.lower()
        if name not in chosen:
            chosen[name] = _free(_partner(form, lexicons, partner), taken, lexicons)
            taken.update(_lower(chosen[name]))
    return chosen


def _names(pages: Sequence[Page], source: str) -> Iterable[Form]:
    for page in pages:
        for one in page.people:
            if one.form.kind is Kind.NAME and one.form.group == source:
                yield one.form


def _partner(form: Form, lexicons: Lexicons, partner: Partner) -> Form | None:
    """The partner of the name, or of the most alike of the names before it that has one."""
    for _ in range(_STEPS):
        found = partner(form)
        more_common = lexicons.synonyms(form)[-1:]
        if found is not None or not more_common:
            return found
        form = more_common[0]
    return None


def _free(wanted: Form | None, taken: set[str], lexicons: Lexicons) -> Form | None:
    if wanted is None:
        return None
    candidates = (wanted, *lexicons.synonyms(wanted))
    return next((one for one in candidates if one.text.lower() not in taken), None)


def _lower(form: Form | None) -> tuple[str, ...]:
    return () if form is None else (form.text.lower(),)
