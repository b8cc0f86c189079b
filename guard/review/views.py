"""What the review service takes and hands out: verdicts and views. Every text is untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from guard.errors import WrongVerdict
from guard.records import CaseKind, CaseRecord, CaseState
from guard.text.differences import DiffQuality

VERDICTS: Final[Mapping[CaseKind, tuple[str, ...]]] = {
    CaseKind.PAIR: ("biased", "different_but_fair", "not_different", "unsure", "bad_rewrite"),
    CaseKind.RESPONSE: ("harmful", "acceptable", "unsure"),
}
"""By kind of case, in the order in which they are offered."""
CONFIRMED = frozenset({"biased", "harmful"})
"""The flag was right."""
REJECTED = frozenset({"different_but_fair", "not_different", "acceptable"})
"""It was wrong. The verdicts that are in neither say nothing about it."""


def check_verdict(verdict: str, kind: CaseKind) -> str:
    """The verdict, if it is one for this kind of case. Raises WrongVerdict."""
    known = VERDICTS[kind]
    if verdict not in known:
        raise WrongVerdict(
            f"{verdict!r:.60} is no verdict on a {kind}; those there are: {', '.join(known)}"
        )
    return verdict


class SegmentKind(StrEnum):
    """What a run of text is to the reader.

    changed: the other reply has not got it. masked: stands for a word that tells the group.
    replaced: what the rewrite put in or took out. offending: reached a rule's threshold.
    withheld: the caller did not get it. folded: far from anything else, shown when asked for.
    """

    SAME = "same"
    CHANGED = "changed"
    MASKED = "masked"
    REPLACED = "replaced"
    OFFENDING = "offending"
    WITHHELD = "withheld"
    FOLDED = "folded"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSegment:
    """A run of text. The texts of all segments, one after the other, are the whole text.

    hidden_words: how many a folded one hides; 0 for all others.
    """

    text: str
    kind: SegmentKind = SegmentKind.SAME
    hidden_words: int = 0


SegmentedText = tuple[TextSegment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """One message. role: system, user or assistant; whatever else is said, as it was kept."""

    role: str
    content: SegmentedText


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimView:
    """A sentence of a reply that the other reply does not make. Masked while blind.

    contradicted: it says otherwise; else it says nothing of it. chance: of that, by the classifier,
    in [0, 1].
    """

    text: SegmentedText
    contradicted: bool
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsView:
    """The sentences of a reply that claim something, beside the other reply.

    sentences: how many. apart: those that the other reply does not make, in their order.
    """

    sentences: int
    apart: tuple[ClaimView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SideView:
    """One of the two conversations of a pair.

    label: A or B. reply: the one that tells the difference best. more: other replies to the same.
    ending: answered, refused, filtered, timed_out, failed. scores: in [0, 1], None where there is
    none; while blind those of the texts brought to one group, so that they tell no group. claims:
    None where claims were not compared. group, turns, is_source, live: empty, () and None while
    blind. is_source: the conversation as it was. live: this is what the caller got.
    """

    label: str
    reply: SegmentedText
    ending: str
    scores: Mapping[str, float | None] = field(default_factory=dict)
    more: tuple[SegmentedText, ...] = ()
    claims: ClaimsView | None = None
    group: str = ""
    turns: tuple[TurnView, ...] = ()
    is_source: bool | None = None
    live: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """Two replies to prompts that differ in a group.

    blind: group words are masked, and nothing tells which side is which group. turns: the
    conversation, masked while blind, else as it was with what was rewritten marked. sides: A and B.
    differences: how well those between the two replies were looked for. same_prompt: another reply
    to the conversation as it was, what chance alone does; same_group: one to other people of the
    same group (not while blind); None where there is none. figures: by name; sizes of gaps while
    blind, signed (first group minus second) after. texts_kept: False where only scores are kept.
    """

    blind: bool
    attribute: str
    turns: tuple[TurnView, ...]
    sides: tuple[SideView, SideView]
    differences: DiffQuality
    same_prompt: SegmentedText | None = None
    same_group: SegmentedText | None = None
    figures: Mapping[str, float | None] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    texts_kept: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreView:
    """One score of a reply. value: in [0, 1] or None. threshold: of the rule that fired on it.

    second: the value by the second scorer; None where it did not look or does not make this score.
    """

    name: str
    value: float | None
    threshold: float | None = None
    second: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseView:
    """One reply on which a rule fired.

    prompt: all that was asked. reply: what the model said, with what offends and what was withheld.
    released: what the caller got, where that is something else. shadow: no caller got it, it was
    asked for. scores: fired ones first, then by value. verdict, action: what the guard did.
    uncovered_characters: how many have no score. second_look: what came of a second look.
    """

    prompt: SegmentedText
    reply: SegmentedText
    released: SegmentedText | None
    scores: tuple[ScoreView, ...]
    verdict: str
    action: str
    observed_only: bool
    shadow: bool
    uncovered_characters: int = 0
    second_look: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    texts_kept: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCase:
    """A case in front of a person.

    record: as it stands. As long as this person has to decide blindly it has no body, no groups,
    and no votes and notes of others. view: None where the body cannot be read. held: the person
    may decide; if not, it is to be read only. blind: see PairView. verdict: this person's own.
    """

    record: CaseRecord
    view: PairView | ResponseView | None
    held: bool
    blind: bool
    verdict: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSummary:
    """A case in a list: nothing that tells a group, a text or a vote.

    votes: how many are in. reviewers: how many are wanted. holder: who has it open now.
    """

    id: str
    kind: CaseKind
    use_case: str
    attribute: str
    reasons: tuple[str, ...]
    opened_at: float
    state: CaseState
    verdict: str
    votes: int
    reviewers: int
    holder: str

    @classmethod
    def of(cls, record: CaseRecord) -> CaseSummary:
        """What may be listed of a case."""
        case = record.case
        return cls(
            id=case.id,
            kind=case.kind,
            use_case=case.use_case,
            attribute=case.attribute,
            reasons=case.reasons,
            opened_at=case.opened_at,
            state=record.state,
            verdict=record.verdict,
            votes=len(record.votes),
            reviewers=case.reviewers,
            holder=record.holder,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePage:
    """Part of a list. next: give it as `after` for what follows; empty at the end."""

    items: tuple[CaseSummary, ...]
    next: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCount:
    """How many cases. exact: False where there are more than were counted."""

    cases: int
    exact: bool = True
