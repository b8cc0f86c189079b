"""What a case shows. `case_codec` has the form in which it is stored. Mappings are dicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from guard.records.response import Passage, Span

Side = Literal["first", "second"]
ClaimStanding = Literal["entailed", "neutral", "contradicted"]
Figures = Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBody:
    """One message of a conversation. masked: with every word of the attribute masked."""

    role: str
    content: str = field(repr=False)
    masked: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyBody:
    """One reply. ending: how it ended, as `records.Ending`. live: what the caller received.

    scores: of the text as it is. grounded: of both sides brought to the same group.
    """

    text: str = field(repr=False)
    masked: str = field(default="", repr=False)
    ending: str = ""
    live: bool = False
    scores: Figures = field(default_factory=dict)
    grounded: Figures = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimBody:
    """A sentence that claims something, and how it stands to a reply of the other side.

    span: of its reply's text; masked: of the masked text. entailed, neutral, contradicted: chances
    that the other reply says so too, does not say it, or says otherwise; together 1.
    """

    span: Span
    masked: Span
    entailed: float = 0.0
    neutral: float = 0.0
    contradicted: float = 0.0

    @property
    def likeliest(self) -> ClaimStanding:
        """Which of the three it is counted as."""
        if self.entailed >= max(self.neutral, self.contradicted):
            return "entailed"
        return "neutral" if self.neutral >= self.contradicted else "contradicted"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSide:
    """One conversation of a pair, about one group, and all replies to it.

    claims: of the reply that is shown, against the one shown of the other side; empty where claims
    were not compared.
    """

    group: str = ""
    turns: tuple[TurnBody, ...] = ()
    replies: tuple[ReplyBody, ...] = ()
    claims: tuple[ClaimBody, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReplacement:
    """What a rewrite changed: `old` at `source` of one message became `new` at `target`."""

    source: Span
    target: Span
    old: str = field(default="", repr=False)
    new: str = field(default="", repr=False)
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlReply:
    """A reply to compare with, as it is and masked."""

    text: str = field(repr=False)
    masked: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LikenessFigures:
    """Similarities in [0, 1] between the groups' replies, and among replies to one prompt."""

    between: tuple[float, ...] = ()
    control: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmedDifference:
    """A difference that persisted when both sides of a pair were asked again.

    reason: the flag that it was raised by. size: in [-1, 1], positive in the direction that was
    seen at first; of similarities, how much less alike the sides are than replies of one side. low:
    the lower end of its 95 % interval, one-sided. unit: the flag's threshold. p_value: of the
    permutation test, corrected for the flags tested. replies: of each side that have a value.
    """

    reason: str = ""
    size: float = 0.0
    low: float = 0.0
    unit: float = 1.0
    p_value: float = 1.0
    replies: tuple[float, ...] = ()

    @property
    def priority(self) -> float:
        """How large the difference surely is, in thresholds of its flag; at least 0."""
        return max(0.0, self.low) / self.unit if self.unit > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PairBody:
    """Two conversations that differ in a group. Sides are in alphabetical order of their groups.

    source: the side that is the conversation as it was. replacements: by message. shown: which
    reply of each side tells the difference best. same_prompt: another reply to the conversation as
    it was; same_group: one to other people of the same group. gaps, grounded_gaps: first minus
    second, in [-1, 1], of the replies that were flagged. confirmed: what persisted when both sides
    were asked again; those replies stand behind the others. None where that was not done.
    grounded_by: mask or rewrite. versions: of what made texts and scores.
    """

    source: Side = "first"
    first: PairSide = field(default_factory=PairSide)
    second: PairSide = field(default_factory=PairSide)
    replacements: tuple[tuple[TextReplacement, ...], ...] = ()
    shown: tuple[int, int] | None = None
    same_prompt: ControlReply | None = None
    same_group: ControlReply | None = None
    gaps: Figures = field(default_factory=dict)
    grounded_gaps: Figures = field(default_factory=dict)
    grounded_by: str = ""
    similarity_deficit: float | None = None
    likeness: Mapping[str, LikenessFigures] = field(default_factory=dict)
    p_values: Figures = field(default_factory=dict)
    corrected_p_value: float | None = None
    confirmed: ConfirmedDifference | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def claims_deficit(self) -> float | None:
        """How much smaller a share of claims is common to the groups than to one prompt."""
        claims = self.likeness.get("claims")
        if claims is None or not claims.between or not claims.control:
            return None
        across = sum(claims.between) / len(claims.between)
        return sum(claims.control) / len(claims.control) - across

    def side(self, name: Side) -> PairSide:
        """The side of this name."""
        return self.first if name == "first" else self.second

    def shown_reply(self, name: Side) -> ReplyBody | None:
        """The reply of a side to show, the first one where none is named; None without any."""
        replies = self.side(name).replies
        at = 0 if self.shown is None else self.shown[name == "second"]
        return replies[at] if 0 <= at < len(replies) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FiredScore:
    """A score that reached the threshold of a rule."""

    score: str
    threshold: float | None = None
    value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseBody:
    """A reply on which a rule fired. reply: what the model said; text: what the caller received.

    passages, withheld, uncovered: ranges of `reply`: scored sentences, what the caller did not
    get, what has no score. shadow: the reply to a shadow request, which no caller received.
    second_look: what a second scorer made of it, as `records.LookResult`; empty where none looked.
    second_scores: its highest scores. read_again: the ranges of `reply` that it read.
    versions: of what made the scores. candidate: of an example, the action that a candidate policy
    asks for; `fired` is what it fired on, and `action` what the policy in force asks for.
    """

    prompt: str = field(default="", repr=False)
    reply: str = field(default="", repr=False)
    text: str = field(default="", repr=False)
    verdict: str = ""
    action: str = ""
    candidate: str = ""
    observed_only: bool = False
    shadow: bool = False
    scores: Figures = field(default_factory=dict)
    fired: tuple[FiredScore, ...] = ()
    passages: tuple[Passage, ...] = ()
    withheld: tuple[Span, ...] = ()
    uncovered: tuple[Span, ...] = ()
    second_look: str = ""
    second_scores: Figures = field(default_factory=dict)
    read_again: tuple[Span, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
