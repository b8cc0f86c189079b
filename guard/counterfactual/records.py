"""What a rewrite is, and why one was not made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from guard.counterfactual.mentions.find import Mention
from guard.records import Span


class Declined(StrEnum):
    """Why there is no rewrite. Each is counted; none of them is an error."""

    NO_TEXT = "no_text"  # nothing but markup, code, addresses or white space
    NOT_ENGLISH = "not_english"  # mostly, or in good part, another language
    NO_MENTION = "no_mention"  # nobody of the source group is surely mentioned
    AMBIGUOUS_GROUPS = "ambiguous_groups"  # people of several groups, and no source was given
    CONTRAST = "contrast"  # the text sets the groups side by side ("men earn more than women")
    NO_COUNTERPART = "no_counterpart"  # the other group has no such word or name
    UNKNOWN_NAME = "unknown_name"  # a name of whose background or generation nothing is known
    UNSURE = "unsure"  # grammar or reference leaves two readings
    TIED = "tied"  # words near the person belong to the old group ("hijab", "pregnant")
    TOO_LONG = "too_long"  # longer than a chat model is asked to rewrite
    NO_ANSWER = "no_answer"  # a chat model was asked and gave nothing that can be read
    INVALID = "invalid"  # the rewrite was made and failed a check


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """One change: `original[span]`, which is `old`, became `new`, which is `rewritten[at]`.

    why: the kind and slot ("pronoun.object", "noun.sg", "name", "title"), or "article",
    "agreement", "possessive".
    """

    span: Span
    old: str
    new: str
    at: Span
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One validity check of a rewrite. detail: what failed, empty when it passed."""

    name: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """The same text about another group, or the reason why there is none.

    text: None when declined. source_group: empty when nobody was found.
    detail: which words or which check led to declining.
    unsure: mentions that may be people and were left as they are.
    checks: those that ran.
    """

    text: str | None
    attribute: str
    source_group: str = ""
    target_group: str = ""
    replacements: tuple[Replacement, ...] = ()
    declined: Declined | None = None
    detail: str = ""
    unsure: tuple[Mention, ...] = ()
    checks: tuple[Check, ...] = ()
