"""Who speaks in a transcript: the names and the group of each speaker.

Labels tell them ("Mary:", "Customer (Mary):", "Mr. Smith:"), introductions ("this is Mary", "Mary
here"), and in a talk of two what the other says ("Thanks, Mary.").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from guard.counterfactual.english.words import english, word_set
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.people import NEUTRAL, AnnotatedText
from guard.counterfactual.tokens import is_word
from guard.counterfactual.transcript import SpeakerTurn, Transcript

_VOCATIVES = word_set("ma'am madam sir miss ma’am missus mister")
_GREETINGS = word_set(
    "hi hello hey thanks thank you dear sorry okay ok yes no bye goodbye morning afternoon evening"
    " sure done please welcome and well right great understand see course"
)
_LONGEST_NAME = 4  # words, a title among them
_INTRODUCTIONS = (
    *(["i", "am"], ["i", "'m"], ["this", "is"], ["it", "'s"]),
    *(["my", "name", "is"], ["my", "name", "'s"], ["talking", "to"], ["speaking", "with"]),
)


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who speaks.

    label: in lower case. group: empty until a name or a title tells it. names: first names and
    surnames, in lower case.
    """

    label: str
    group: str = ""
    names: frozenset[str] = field(default_factory=frozenset)


def known_speakers(pages: Sequence[AnnotatedText], transcript: Transcript) -> tuple[Speaker, ...]:
    """The speakers in the order of their first turns, with what is known of them."""
    found = {label: Speaker(label) for label in transcript.speakers}
    for number, page in enumerate(pages):
        for mention in page.people:
            turn = transcript.turn_at(number, mention.span.start)
            label = turn and _whose_name(page, turn, mention, transcript.speakers)
            if label:
                found[label] = _learn(found[label], page, mention)
    return tuple(found.values())


def full_name(page: AnnotatedText, mention: Mention) -> frozenset[str]:
    """The first name and the surname after it, or the names after a title, in lower case."""
    words, found = page.words, set[str]()
    titled = mention.form.kind is Kind.TITLE
    at = words.at(mention.span.end if titled else mention.span.start)
    for place in (at, at + 1):
        if not words.surface(place)[:1].isupper() or words.word(place) in english().closed:
            break
        found.add(words.word(place))
    return frozenset(found)


def is_vocative(mention: Mention) -> bool:
    """ "ma'am", "sir": the one who is spoken to."""
    return mention.form.text.lower() in _VOCATIVES


def names_nobody_else(page: AnnotatedText, mention: Mention) -> bool:
    """Whether a name calls or introduces somebody, so that no pronoun goes with it."""
    addressed = is_vocative(mention) or _is_addressed(page, mention)
    return addressed or _is_introduced(page, mention)


def _learn(speaker: Speaker, page: AnnotatedText, mention: Mention) -> Speaker:
    group = mention.form.group
    if speaker.group not in ("", NEUTRAL, group):
        return speaker
    return replace(speaker, group=group, names=speaker.names | full_name(page, mention))


def _whose_name(
    page: AnnotatedText, turn: SpeakerTurn, mention: Mention, speakers: Sequence[str]
) -> str | None:
    """The label of whom the name or title belongs to; None where that is not said."""
    if mention.form.kind not in (Kind.NAME, Kind.TITLE):
        return None
    labelled = mention.span.start < turn.start or _is_all(page, turn)
    if labelled or _is_introduced(page, mention):
        return turn.speaker
    others = [label for label in speakers if label != turn.speaker] if len(speakers) == 2 else []
    return others[0] if others and _is_addressed(page, mention) else None


def _is_all(page: AnnotatedText, turn: SpeakerTurn) -> bool:
    """ "Customer: Mary Jones": the turn is but a name."""
    content = page.text[turn.start : turn.end].strip(" \n*_")
    names = content.replace(". ", " ").split()
    return (
        len(names) <= _LONGEST_NAME
        and all(name[:1].isupper() for name in names)
        and not (set(content[-1:]) & set(".,!?"))
    )


def _is_introduced(page: AnnotatedText, mention: Mention) -> bool:
    """ "I am Mary", "Mary here", "Tom Baker speaking"."""
    words, at = page.words, page.words.at(mention.span.start)
    says = any(words.lower[max(0, at - len(one)) : at] == one for one in _INTRODUCTIONS)
    return says or any(words.word(at + step) in ("here", "speaking") for step in (1, 2))


def _is_addressed(page: AnnotatedText, mention: Mention) -> bool:
    """Whether the name or title calls the other: "Thanks, Mary.", "Hi Mary,"."""
    words = page.words
    at, after = words.at(mention.span.start), words.at(mention.span.end)
    if mention.form.kind is Kind.TITLE or words.surface(after)[:1].isupper():
        after += 1
    before = words.word(at - 1)
    called = before in _GREETINGS or before == "," or words.starts_sentence(at)
    return called and not (is_word(words.word(after)) or words.word(after) == "")
