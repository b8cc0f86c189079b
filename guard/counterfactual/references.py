"""One speaker of a talk between people of several groups, and which words are about that one.

In a talk of two, "she" is a third person: whoever speaks says "I", and "you" to the other. So a
pronoun inside a turn stays, unless the speaker who changes was named there before it. Outside of
the turns it goes with a name in its sentence, or with the only woman there is. What cannot be told
is a doubt, and the talk is declined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from guard.counterfactual.english.words import english, word_set
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.people import NEUTRAL, AnnotatedText
from guard.counterfactual.speakers import (
    Speaker,
    full_name,
    is_vocative,
    known_speakers,
    names_nobody_else,
)
from guard.counterfactual.tokens import is_word
from guard.counterfactual.transcript import SpeakerTurn, Transcript, read_transcript

_FAR = 400  # characters; so far back a sentence or a quotation is looked for
_OWNERS = word_set("my your his her their our 's")
_SPOUSES = word_set(
    "husband husbands wife wives girlfriend boyfriend bride groom bridegroom fiancé fiancée fiance"
    " fiancee hubby widow widower"
)


class UnknownReference(Exception):  # noqa: N818 - no error: an outcome
    """Of some word nobody can say whether it is about the speaker who is to change."""


class CoupleSpoken(Exception):  # noqa: N818 - no error: an outcome
    """The speaker's husband or wife is spoken of: the change would be one of orientation too."""


@dataclass(frozen=True, slots=True)
class _Talk:
    """A talk and the speaker of it who changes.

    others: whether somebody else of that one's group is named. nouns: what the turns call others.
    """

    transcript: Transcript
    speaker: Speaker
    others: bool = False
    nouns: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Named:
    """Whether names and nouns in some turn meant the speaker, and somebody else."""

    speaker: bool = False
    other: bool = False

    def __or__(self, more: _Named) -> _Named:
        return _Named(self.speaker or more.speaker, self.other or more.other)


@dataclass(frozen=True, slots=True)
class _Context:
    """What was said before a mention: in its sentence, its turn, the turn before, and at all."""

    turn: SpeakerTurn | None = None
    sentence: int = 0
    in_sentence: _Named = _Named()
    in_turn: _Named = _Named()
    turn_before: _Named = _Named()
    third: bool = False


def with_one_speaker(
    pages: Sequence[AnnotatedText], target: str
) -> tuple[str, tuple[AnnotatedText, ...]] | None:
    """The group of the speaker who changes, and the pages where all others are set aside.

    None where it is no talk between named speakers of different groups. Raises UnknownReference or
    CoupleSpoken, with the words, where that one cannot be changed alone.
    """
    groups = {one.form.group for page in pages for one in page.people} - {NEUTRAL}
    transcript = read_transcript([page.text for page in pages]) if len(groups) > 1 else None
    speakers = () if transcript is None else known_speakers(pages, transcript)
    chosen = next((one for one in speakers if one.group not in ("", NEUTRAL, target)), None)
    if transcript is None or chosen is None:
        return None
    if any(chosen.names & other.names for other in speakers if other is not chosen):
        raise CoupleSpoken(", ".join(sorted(chosen.names)))
    talk = _with_others(_Talk(transcript, chosen), pages)
    _check_couples(talk, pages)
    return chosen.group, tuple(_divided(talk, pages))


def outside_turns(pages: Sequence[AnnotatedText]) -> Sequence[AnnotatedText]:
    """The pages of a talk with those people alone who are spoken of outside of its turns."""
    transcript = read_transcript([page.text for page in pages])
    if transcript is None:
        return pages
    return tuple(
        replace(
            page,
            people=tuple(_outside(page.people, number, transcript)),
            both=tuple(_outside(page.both, number, transcript)),
        )
        for number, page in enumerate(pages)
    )


def _outside(found: Sequence[Mention], page: int, transcript: Transcript) -> Iterator[Mention]:
    return (one for one in found if transcript.turn_at(page, one.span.start) is None)


def _with_others(talk: _Talk, pages: Sequence[AnnotatedText]) -> _Talk:
    others, nouns = False, set[str]()
    for number, page in enumerate(pages):
        for mention in page.people:
            turn = talk.transcript.turn_at(number, mention.span.start)
            if mention.form.group != talk.speaker.group or mention.form.kind is Kind.PRONOUN:
                continue
            if turn is None and mention.form.kind is Kind.NOUN:
                continue
            if not _is_named(talk, page, mention, turn):
                others = True
                nouns.add(mention.form.text)
    return replace(talk, others=others, nouns=frozenset(nouns))


def _divided(talk: _Talk, pages: Sequence[AnnotatedText]) -> Iterator[AnnotatedText]:
    """The pages, the mentions of others of the speaker's group among those that stay."""
    context = _Context()
    for number, page in enumerate(pages):
        changing: list[Mention] = []
        staying: list[Mention] = []
        for mention in page.people:
            if mention.form.group != talk.speaker.group:
                changing.append(mention)
                continue
            context = _moved(context, talk.transcript.turn_at(number, mention.span.start))
            context = _in_sentence(context, page.text, mention)
            own = _is_speaker(talk, page, mention, context)
            (changing if own else staying).append(mention)
            context = _with_mention(context, talk, page, mention, own=own)
        yield replace(page, people=tuple(changing), staying=tuple(staying))
        context = replace(context, sentence=-1)


def _moved(context: _Context, turn: SpeakerTurn | None) -> _Context:
    if turn is context.turn:
        return context
    return replace(context, turn=turn, in_turn=_Named(), turn_before=context.in_turn)


def _in_sentence(context: _Context, text: str, mention: Mention) -> _Context:
    place = mention.span.start
    start = max(text.rfind(mark, max(0, place - _FAR), place) for mark in ".!?\n")
    if start == context.sentence:
        return context
    return replace(context, sentence=start, in_sentence=_Named())


def _with_mention(
    context: _Context, talk: _Talk, page: AnnotatedText, mention: Mention, *, own: bool
) -> _Context:
    turn = context.turn
    if mention.form.kind is Kind.PRONOUN:
        said = turn is not None and turn.speaker == talk.speaker.label and not own
        return replace(context, third=context.third or said)
    context = replace(context, third=context.third or not own)
    labelled = turn is not None and mention.span.start < turn.start
    if labelled or (turn is not None and names_nobody_else(page, mention)):
        return context
    named = _Named(speaker=own, other=not own)
    return replace(
        context, in_turn=context.in_turn | named, in_sentence=context.in_sentence | named
    )


def _is_speaker(talk: _Talk, page: AnnotatedText, mention: Mention, context: _Context) -> bool:
    """Whether a mention of the speaker's group is about the speaker. Raises UnknownReference."""
    pronoun = mention.form.kind is Kind.PRONOUN
    if pronoun and _is_quoted(page.text, mention):
        raise UnknownReference(mention.form.text)
    if context.turn is None and (pronoun or mention.form.kind is Kind.NOUN):
        return _is_meant(talk, page, mention, context)
    if not pronoun:
        return _is_named(talk, page, mention, context.turn)
    named = context.in_turn
    if named == _Named():
        if context.turn is not None and context.turn.speaker == talk.speaker.label:
            return False
        named = context.turn_before
    if named.speaker == (named.other or context.third):
        raise UnknownReference(mention.form.text)
    return named.speaker


def _is_named(talk: _Talk, page: AnnotatedText, mention: Mention, turn: SpeakerTurn | None) -> bool:
    """Whether a name, a title, or a noun in a turn means the speaker."""
    if mention.form.kind in (Kind.NAME, Kind.TITLE):
        return not full_name(page, mention).isdisjoint(talk.speaker.names)
    own = turn is not None and turn.speaker == talk.speaker.label
    if not is_vocative(mention):
        return own and _said_of_oneself(page, mention)
    if not own and len(talk.transcript.speakers) > 2:
        raise UnknownReference(mention.form.text)
    return not own


def _said_of_oneself(page: AnnotatedText, mention: Mention) -> bool:
    """ "I am a woman", "as a mother of two, I"."""
    words = page.words
    at = words.at(mention.span.start) - 1
    while is_word(words.word(at)) and words.word(at) not in ("am", "'m", "as"):
        if words.word(at) in _OWNERS or words.word(at) in english().auxiliaries:
            return False
        at -= 1
    return words.word(at) in ("am", "'m") or (words.word(at) == "as" and words.starts_sentence(at))


def _is_meant(talk: _Talk, page: AnnotatedText, mention: Mention, context: _Context) -> bool:
    """Outside of the turns: the only one of the group, or the one named in the sentence before."""
    if not talk.others:
        return True
    if mention.form.kind is Kind.NOUN:
        owner = page.words.word(page.words.at(mention.span.start) - 1)
        if owner in _OWNERS or mention.form.text in talk.nouns:
            return False
    if mention.form.kind is Kind.NOUN or context.in_sentence != _Named(speaker=True):
        raise UnknownReference(mention.form.text)
    return True


def _is_quoted(text: str, mention: Mention) -> bool:
    place = mention.span.start
    line = text[max(0, place - _FAR, text.rfind("\n", max(0, place - _FAR), place) + 1) : place]
    return line.count('"') % 2 == 1 or line.count("“") > line.count("”")


def _check_couples(talk: _Talk, pages: Sequence[AnnotatedText]) -> None:
    """Raises CoupleSpoken where the speaker's partner, of whatever sex, is spoken of."""
    for number, page in enumerate(pages):
        for at in page.words.places(english().of_couples):
            turn = talk.transcript.turn_at(number, page.words.starts[at])
            if _is_own_couple(talk, page, at, turn):
                raise CoupleSpoken(page.words.word(at))


def _is_own_couple(talk: _Talk, page: AnnotatedText, at: int, turn: SpeakerTurn | None) -> bool:
    owner, word = page.words.word(at - 1), page.words.word(at)
    if turn is None or len(talk.transcript.speakers) > 2:
        return True
    own = turn.speaker == talk.speaker.label
    if word in _SPOUSES and owner in ("my", "your"):
        return own == (owner == "my")
    return own or word not in _SPOUSES or owner not in _OWNERS
