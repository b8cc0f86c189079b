"""The same texts about another group, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from guard.counterfactual.conversation import Conversation, MessagePart
from guard.counterfactual.edits import applied, counterpart, edits_for, is_plain
from guard.counterfactual.english.ages import birth_years
from guard.counterfactual.english.agreement import Edit
from guard.counterfactual.english.words import is_english
from guard.counterfactual.given_names import names_that_stay, short_forms
from guard.counterfactual.group_words import words_left
from guard.counterfactual.kept_names import kept_names, places_alike
from guard.counterfactual.lexicons.forms import Form
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.lexicons.name_forms import NAMES, told_by_names
from guard.counterfactual.likely_names import likely_names
from guard.counterfactual.mentions.age_words import is_former
from guard.counterfactual.mentions.find import AGE, Mention
from guard.counterfactual.names_in_doubt import names_in_doubt
from guard.counterfactual.other_ages import other_ages, other_gaps
from guard.counterfactual.people import (
    NEUTRAL,
    AnnotatedText,
    annotate,
    contrasted,
    groups_of,
    merged,
    refers_to_one,
)
from guard.counterfactual.pronouns_in_doubt import pronouns_in_doubt
from guard.counterfactual.records import Declined, Replacement, Rewrite
from guard.counterfactual.references import (
    CoupleSpoken,
    UnknownReference,
    outside_turns,
    with_one_speaker,
)
from guard.counterfactual.sex_letters import GENDER, sex_letters
from guard.counterfactual.ties import beside_names, couples, named_in_code, own_words, tied_words
from guard.counterfactual.unknown_names import names_to_come, unknown_names
from guard.counterfactual.validity import checked

_NOT_FORMER = "elderly"  # for "old" where that would be "former": "my young landlord"


@dataclass(frozen=True, slots=True)
class _Task:
    """Whom to rewrite into whom; told: whether the caller says whom. roles: who says each text."""

    lexicons: Lexicons
    attribute: str
    source: str
    target: str
    contrasts: bool = False
    told: bool = False
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Refusal(Exception):  # noqa: N818 - no error: an outcome
    """Ends the making of a rewrite."""

    reason: Declined
    detail: str = ""


def rewrite(
    text: str,
    lexicons: Lexicons,
    *,
    attribute: str,
    to: str,
    source: str | None = None,
    by_name: bool = False,
    contrasts: bool = False,
) -> Rewrite:
    """The text with everybody of the group `source` spoken of as one of the group `to`.

    source: by default the one group that is mentioned besides `to`; people of the group `to` stay
    as they are, and so do those of a neutral group. Declined where several others are mentioned,
    or where two genders may be a couple, for then the change would be one of orientation as well
    ("his wife"); with a source given they are rewritten. Of a talk with labels between people of
    both sexes one named speaker changes alone, unless a source is given. by_name: exchange names
    that tell the group too, where there are any; otherwise such a name ties the text to its group.
    contrasts: rewrite even what sets the two groups side by side and is no longer true then, for
    texts that are compared and not asked.
    Raises ValueError for an attribute or a group that the lexicons do not have.
    """
    _known(lexicons, attribute, to, source)
    pages = annotate((text,), lexicons, attribute, generic=source == NEUTRAL, by_name=by_name)
    return _all(pages, _Task(lexicons, attribute, source or "", to, contrasts))[0]


def rewrite_all(
    texts: Sequence[str],
    lexicons: Lexicons,
    *,
    attribute: str,
    to: str,
    source: str | None = None,
    by_name: bool = False,
    roles: Sequence[str] = (),
) -> tuple[Rewrite, ...]:
    """As `rewrite`, for the messages of one conversation: the same person changes everywhere.

    If one text has to be declined all are, since half a conversation about another person is
    none; texts that mention nobody stay as they are, and decline all where they would still tell
    the old group ("Sex: F"). roles: who says each text ("user", "assistant", "system"), a user
    where it is not told; see `conversation` for what follows from it.
    """
    _known(lexicons, attribute, to, source)
    pages = annotate(texts, lexicons, attribute, generic=source == NEUTRAL, by_name=by_name)
    return _all(pages, _Task(lexicons, attribute, source or "", to, roles=tuple(roles)))


def _all(pages: Sequence[AnnotatedText], task: _Task) -> tuple[Rewrite, ...]:
    try:
        task = replace(task, told=bool(task.source))
        task, pages = _one_speaker(pages, task)
        task = _resolve_source(pages, task)
        names = _names(pages, task)
        return _rewritten(pages, task, names)
    except _Refusal as refusal:
        return tuple(_decline(page, task, refusal) for page in pages)


def _one_speaker(
    pages: Sequence[AnnotatedText], task: _Task
) -> tuple[_Task, Sequence[AnnotatedText]]:
    """Of a talk between people of both sexes one speaker alone, unless a source was named."""
    if task.source or task.attribute != GENDER:
        return task, pages
    try:
        found = with_one_speaker(pages, task.target)
    except UnknownReference as doubt:
        raise _Refusal(Declined.UNSURE, str(doubt)) from doubt
    except CoupleSpoken as couple:
        raise _Refusal(Declined.AMBIGUOUS_GROUPS, str(couple)) from couple
    return (task, pages) if found is None else (replace(task, source=found[0]), found[1])


def variants(
    texts: Sequence[str],
    lexicons: Lexicons,
    attribute: str,
    *,
    to: Collection[str] | None = None,
    source: str | None = None,
    by_name: bool = False,
    roles: Sequence[str] = (),
) -> Mapping[str, tuple[Rewrite, ...]]:
    """The texts about every other group of the attribute: group to one rewrite for each text.

    As `rewrite_all` to each group, but the texts are read only once. to: some groups; None for
    all. source: for each group by default the one that is mentioned besides it, as in `rewrite`.
    """
    wanted = lexicons.attributes.get(attribute, ("",)) if to is None else to
    for group in wanted:
        _known(lexicons, attribute, group, None)
    pages = annotate(texts, lexicons, attribute, generic=source == NEUTRAL, by_name=by_name)
    only = (source,) if source else groups_of(pages)
    task = _Task(lexicons, attribute, source or "", target="", roles=tuple(roles))
    return {group: _all(pages, replace(task, target=group)) for group in wanted if (group,) != only}


def _known(lexicons: Lexicons, attribute: str, to: str, source: str | None) -> None:
    groups = lexicons.attributes.get(attribute)
    if groups is None:
        raise ValueError(f"no attribute {attribute!r}; there are {sorted(lexicons.attributes)}")
    for group in (to, source):
        if group is not None and group not in groups:
            raise ValueError(f"{attribute} has no group {group!r}; it has {list(groups)}")
    if to == source:
        raise ValueError(f"source and to are both {to!r}; `control` rewrites within a group")


def _resolve_source(pages: Sequence[AnnotatedText], task: _Task) -> _Task:
    """The task with its source group. Refuses where nothing, or no one group, is to change."""
    if not any(_has_words(page) for page in pages):
        raise _Refusal(Declined.NO_TEXT)
    talk = bool(task.source) and not task.told
    source = task.source or _only_group(pages, task)
    task = replace(task, source=source)
    if not all(is_english(page.words) for page in pages):
        raise _Refusal(Declined.NOT_ENGLISH)
    if source not in groups_of(pages):
        both = [one.form.text for page in pages for one in page.both]
        raise _Refusal(Declined.CONTRAST if both else Declined.NO_MENTION, ", ".join(both[:6]))
    talked = Conversation.read(pages, task.roles, task.lexicons, task.attribute, task.source)
    for number, page in enumerate(pages):
        _check_sides(page, task)
        for part in talked.parts(number):
            _check_ties(part, task)
    gaps = other_gaps(pages, task.source, task.target) if task.attribute == AGE else ()
    if gaps:
        raise _Refusal(Declined.TIED, ", ".join(gaps))
    alike = "" if task.contrasts else merged(pages, task.source, task.target)
    if alike:
        raise _Refusal(Declined.CONTRAST, alike)
    _check_names(talked, task)
    _check_code(pages, task)
    _check_pronouns(pages, task, talk=talk)
    return task


def _has_words(page: AnnotatedText) -> bool:
    """Whether anything but markup, code and addresses is there."""
    spans = iter(page.found.untouchable)
    span = next(spans, None)
    for word, start in zip(page.words.lower, page.words.starts, strict=True):
        while span is not None and span.end <= start:
            span = next(spans, None)
        if word[0].isalpha() and not (span is not None and span.start <= start):
            return True
    return False


def _only_group(pages: Sequence[AnnotatedText], task: _Task) -> str:
    """The one group that is to change when none is named; empty where nobody is mentioned."""
    groups = groups_of(pages)
    others = [group for group in groups if group not in (NEUTRAL, task.target)]
    if len(others) > 1:
        raise _Refusal(Declined.AMBIGUOUS_GROUPS, ", ".join(groups))
    couple = others and task.target in groups and couples(pages, task.attribute)
    if couple:
        raise _Refusal(Declined.AMBIGUOUS_GROUPS, ", ".join(couple))
    return others[0] if others else ""


def _check_sides(page: AnnotatedText, task: _Task) -> None:
    """Refuses where the groups stand side by side, or nobody can say who "they" are."""
    side_by_side = "" if task.contrasts else contrasted(page, task.source, task.target)
    if side_by_side:
        raise _Refusal(Declined.CONTRAST, side_by_side)
    if task.source == NEUTRAL and not refers_to_one(page):
        raise _Refusal(Declined.UNSURE, "they")


def _check_ties(part: MessagePart, task: _Task) -> None:
    """Refuses where the words around would no longer be true."""
    page, changing = part.page, part.changing
    tied = tied_words(page.words, changing, task.attribute, task.source, task.target)
    tied += (*own_words(page, changing, task.lexicons, task.source), *part.said)
    if task.attribute == GENDER:
        places = [one.span for one in changing]
        tied += tuple(sex_letters(part.letters, task.source, places))
    if changing and task.attribute != GENDER:
        tied += words_left(page, changing, task.lexicons)
    if told_by_names(task.attribute):
        tied += beside_names(page, changing, task.lexicons)
    if changing and task.attribute == AGE:
        tied += (*birth_years(page.text), *other_ages(page, changing, task.target))
    if tied:
        raise _Refusal(Declined.TIED, ", ".join(dict.fromkeys(tied)))


def _check_names(talked: Conversation, task: _Task) -> None:
    """Refuses where a first name would stay that belongs to somebody who changes, or become two."""
    pages = talked.pages
    if twice := short_forms(pages, task.lexicons, task.source):
        raise _Refusal(Declined.UNSURE, ", ".join(twice))
    if task.attribute != GENDER:
        return
    parts = [name for page in pages for name in names_that_stay(page, task.lexicons, task.source)]
    if parts:
        raise _Refusal(Declined.TIED, ", ".join(dict.fromkeys(parts)))
    unknown = [name for page in pages for name in unknown_names(page, task.lexicons, task.source)]
    unknown += names_to_come(pages, task.lexicons, task.source)
    unknown += (*likely_names(pages, task.lexicons, task.source), *talked.names_answered())
    if unknown:
        raise _Refusal(Declined.UNKNOWN_NAME, ", ".join(dict.fromkeys(unknown)))
    places = (name for page in pages for name in places_alike(page, _changing(page, task)))
    doubtful = names_in_doubt(pages, task.lexicons, task.source)
    if kept := (*kept_names(pages, task.source), *doubtful, *places):
        raise _Refusal(Declined.UNSURE, ", ".join(dict.fromkeys(kept)))


def _check_code(pages: Sequence[AnnotatedText], task: _Task) -> None:
    """Refuses where code, which stays, names somebody of the group."""
    searched = (task.lexicons, task.attribute, task.source)
    named = [name for page in pages for name in named_in_code(page, *searched)]
    if named:
        raise _Refusal(Declined.TIED, ", ".join(dict.fromkeys(named)))


def _check_pronouns(pages: Sequence[AnnotatedText], task: _Task, *, talk: bool) -> None:
    """Refuses where a pronoun would no longer tell who is meant; in a talk, outside of turns."""
    if task.told or task.contrasts:
        return
    beside = outside_turns(pages) if talk else pages
    doubtful = pronouns_in_doubt(beside, task.lexicons, task.source, task.target)
    if doubtful:
        raise _Refusal(Declined.UNSURE, ", ".join(doubtful))


def _changing(page: AnnotatedText, task: _Task) -> tuple[Mention, ...]:
    return tuple(one for one in page.people if one.form.group == task.source)


def _names(pages: Sequence[AnnotatedText], task: _Task) -> Mapping[str, Form | None]:
    """For each name of the group, in small letters, the name that takes its place.

    None where there is none, or everyone near it occurs in the conversation already.
    """
    named = [one.form for page in pages for one in _changing(page, task) if one.form.kind in NAMES]
    taken = set[str]().union(*(page.words.vocabulary for page in pages if named))
    chosen: dict[str, Form | None] = {}
    for form in named:
        name = form.text.lower()
        if name not in chosen:
            other = task.lexicons.counterpart(form, task.target)
            if other is not None and other.text.lower() != name:
                other = _free(other, taken, task.lexicons)
            chosen[name] = other
            taken |= {other.text.lower()} if other else set()
    return chosen


def _rewritten(
    pages: Sequence[AnnotatedText], task: _Task, names: Mapping[str, Form | None]
) -> tuple[Rewrite, ...]:
    done = [applied(page.shown, list(_edits(page, task, names))) for page in pages]
    of_all = {(one.why, one.old, one.new): one for _, made in done for one in made}
    return tuple(
        _validated(page, text, made, tuple(of_all.values()), task)
        for page, (text, made) in zip(pages, done, strict=True)
    )


def _validated(
    page: AnnotatedText,
    text: str,
    made: tuple[Replacement, ...],
    of_all: Sequence[Replacement],
    task: _Task,
) -> Rewrite:
    """The text if it passes its checks. of_all: what was replaced in all messages, each once."""
    told = (task.lexicons, task.attribute, task.source)
    checks = checked(page, text, *told, replacements=made, elsewhere=of_all)
    failed = [one for one in checks if not one.passed]
    if failed:
        raise _Refusal(Declined.INVALID, f"{failed[0].name}: {failed[0].detail}")
    return Rewrite(
        text=text,
        attribute=task.attribute,
        source_group=task.source,
        target_group=task.target,
        replacements=made,
        unsure=page.unsure_as_written,
        checks=checks,
    )


def _edits(page: AnnotatedText, task: _Task, names: Mapping[str, Form | None]) -> Iterator[Edit]:
    for mention in _changing(page, task):
        other = _counterpart(mention.form, task, names)
        if other.text == "old" and is_former(page.text, mention.span, task.lexicons):
            other = replace(other, text=_NOT_FORMER)
        for edit in edits_for(page, mention, other):
            if not (edit.sure and is_plain(page.shown, edit)):
                raise _Refusal(Declined.UNSURE, page.text[edit.start : edit.end])
            yield edit


def _counterpart(form: Form, task: _Task, names: Mapping[str, Form | None]) -> Form:
    if form.kind in NAMES:
        found = names.get(form.text.lower())
        if found is None and not task.lexicons.people.is_exchangeable(form):
            raise _Refusal(Declined.UNKNOWN_NAME, form.text)
    else:
        found = counterpart(form, task.lexicons, task.target)
    if found is None:
        raise _Refusal(Declined.NO_COUNTERPART, form.text)
    return found


def _decline(page: AnnotatedText, task: _Task, refusal: _Refusal) -> Rewrite:
    return Rewrite(
        text=None,
        attribute=task.attribute,
        source_group=task.source,
        target_group=task.target,
        declined=refusal.reason,
        detail=refusal.detail,
        unsure=page.unsure_as_written,
    )


def _free(wanted: Form, taken: set[str], lexicons: Lexicons) -> Form | None:
    """The name, or one as common, that nobody in the conversation has."""
    candidates = (wanted, *lexicons.synonyms(wanted))
    return next((one for one in candidates if one.text.lower() not in taken), None)
