"""The same text about the same group in other words: what a rewrite by itself does to a reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

from guard.counterfactual.edits import applied, edits_for, is_plain
from guard.counterfactual.english.agreement import Edit
from guard.counterfactual.english.words import is_english
from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.people import NEUTRAL, AnnotatedText, annotate, groups_of
from guard.counterfactual.records import Check, Declined, Replacement, Rewrite
from guard.counterfactual.validity import names_gone, nothing_else


def control(
    texts: Sequence[str], lexicons: Lexicons, attribute: str, seed: int
) -> tuple[Rewrite, ...]:
    """The texts with other names, or other words, for the same people of the same groups.

    Names are exchanged where there are any, else nouns and adjectives for synonyms; one word is
    always exchanged for the same other one. Declined where only pronouns speak of somebody, or
    where a name would stay that was exchanged elsewhere.
    seed: chooses among the words that fit.
    """
    pages = annotate(texts, lexicons, attribute)
    chosen = _chosen(pages, lexicons, seed)
    reason = None
    if not any(chosen.values()):
        reason = Declined.NO_COUNTERPART if groups_of(pages) else Declined.NO_MENTION
    elif not all(is_english(page.words) for page in pages):
        reason = Declined.NOT_ENGLISH
    if reason is None:
        done = [applied(page.shown, list(_edits(page, chosen))) for page in pages]
        names = tuple(one for _, made in done for one in made)
        rewrites = tuple(
            _exchanged(page, text, made, attribute, names_gone(page, text, names, lexicons))
            for page, (text, made) in zip(pages, done, strict=True)
        )
        if all(check.passed for one in rewrites for check in one.checks):
            return rewrites
        reason = Declined.INVALID
    return tuple(
        Rewrite(text=None, attribute=attribute, declined=reason, unsure=page.unsure_as_written)
        for page in pages
    )


def _chosen(
    pages: Sequence[AnnotatedText], lexicons: Lexicons, seed: int
) -> Mapping[Form, Form | None]:
    forms = dict.fromkeys(one.form for page in pages for one in page.people)
    names = [form for form in forms if form.kind is Kind.NAME]
    kinds = (Kind.NOUN, Kind.ADJECTIVE)
    wanted = names or [form for form in forms if form.kind in kinds and form.group != NEUTRAL]
    taken = {word for page in pages for word in page.words.lower}
    chosen: dict[Form, Form | None] = {}
    for form in wanted:
        free = [
            one
            for one in lexicons.synonyms(form)
            if one.text.lower() not in taken and _follows(one, lexicons) == _follows(form, lexicons)
        ]
        other = free[_draw(form, seed, len(free))] if free else None
        chosen[form] = other
        taken |= {other.text.lower()} if other else set()
    return chosen


def _follows(form: Form, lexicons: Lexicons) -> bool:
    """Whether it stands behind the person: "with autism", and not "autistic"."""
    return form.text.partition(" ")[0] in lexicons.cues.function


def _draw(form: Form, seed: int, choices: int) -> int:
    digest = blake2b(f"{seed}\0{form.text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % choices


def _exchanged(
    page: AnnotatedText,
    text: str,
    made: tuple[Replacement, ...],
    attribute: str,
    gone: Check,
) -> Rewrite:
    groups = ", ".join(groups_of((page,)))
    return Rewrite(
        text=text,
        attribute=attribute,
        source_group=groups,
        target_group=groups,
        replacements=made,
        unsure=page.unsure_as_written,
        checks=(gone, nothing_else(page.shown.written, text, made)),
    )


def _edits(page: AnnotatedText, chosen: Mapping[Form, Form | None]) -> Iterator[Edit]:
    for mention in page.people:
        other = chosen.get(mention.form)
        if other is not None:
            made = tuple(edits_for(page, mention, other))
            if all(is_plain(page.shown, edit) for edit in made):
                yield from made
