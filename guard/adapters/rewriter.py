"""A rewriter over any chat function. What the model answers is believed only after the checks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Final

from guard.adapters.rewrite_changes import NEUTRAL, changes
from guard.counterfactual import Check, Declined, Lexicons, Replacement, Rewrite, check, find
from guard.counterfactual.names import are_alike
from guard.counterfactual.people import annotate
from guard.counterfactual.pronouns_in_doubt import pronouns_in_doubt
from guard.errors import may_be_signal
from guard.ports import Chat, Message

_ESCAPED = 6  # characters that one may take in JSON
_ROOM = 1000  # characters an answer may have besides

_AGAIN: Final = "\n\nAn earlier answer could not be used ({fault}). Keep to these rules exactly."
_FENCE: Final = "```"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRewriter:
    """Rewrites with a chat model, see `ports.Rewriter`.

    chat: any function from messages to the text of a reply; what it raises becomes a decline.
    tries: how often the model is asked for one text, at least 1.
    max_characters: a longer text is declined, and so is an answer out of proportion to its text.
    Raises ValueError for a bound that is below 1.
    """

    chat: Chat
    lexicons: Lexicons
    tries: int = 2
    max_characters: int = 20_000

    def __post_init__(self) -> None:
        if self.tries < 1 or self.max_characters < 1:
            raise ValueError("tries and max_characters must be at least 1")

    def rewrite(self, text: str, *, attribute: str, to: str, source: str | None = None) -> Rewrite:
        """See `ports.Rewriter`. `detail` of a declined one names what failed in each try."""
        blank = Rewrite(text=None, attribute=attribute, source_group=source or "", target_group=to)
        asked = self._before_asking(text, blank)
        return asked if asked.declined else self._ask(text, asked)

    def _before_asking(self, text: str, blank: Rewrite) -> Rewrite:
        """The rewrite with its source group, or declined without a word to the model."""
        if not text.strip():
            return replace(blank, declined=Declined.NO_TEXT)
        if len(text) > self.max_characters:
            return replace(blank, declined=Declined.TOO_LONG, detail=f"{len(text)} characters")
        found = find(text, self.lexicons, attributes={blank.attribute})
        groups = {mention.form.group for mention in found.mentions}
        named = replace(blank, unsure=found.unsure)
        if blank.source_group:
            groups &= {blank.source_group}
        else:
            groups -= {blank.target_group, NEUTRAL}
        if len(groups) != 1:
            several = Declined.AMBIGUOUS_GROUPS if groups else Declined.NO_MENTION
            return replace(named, declined=several, detail=", ".join(sorted(groups)))
        named = replace(named, source_group=groups.pop())
        doubtful = () if blank.source_group else self._in_doubt(text, named)
        if doubtful:
            return replace(named, declined=Declined.UNSURE, detail=", ".join(doubtful))
        return named

    def _in_doubt(self, text: str, named: Rewrite) -> tuple[str, ...]:
        """Pronouns that would mean two people, however well the text is rewritten."""
        pages = annotate((text,), self.lexicons, named.attribute)
        return pronouns_in_doubt(pages, self.lexicons, named.source_group, named.target_group)

    def _ask(self, text: str, blank: Rewrite) -> Rewrite:
        """The first answer that holds, or the last one's fault."""
        done, faults = blank, list[str]()
        for _ in range(self.tries):
            done = self._once(text, blank, faults[-1] if faults else "")
            if done.declined is None:
                return done
            faults.append(done.detail)
        return replace(done, detail="; ".join(faults))

    def _once(self, text: str, blank: Rewrite, fault: str) -> Rewrite:
        try:
            answer = self.chat(messages(text, blank, fault))
        except BaseException as error:  # of a client: the caller gets a reason, not this
            if may_be_signal(error):
                raise
            return replace(blank, declined=Declined.NO_ANSWER, detail=type(error).__name__)
        written = text_of(answer, _ESCAPED * len(text) + _ROOM)
        if written is None:
            return replace(blank, declined=Declined.NO_ANSWER, detail="not the JSON asked for")
        return self._check_rewrite(text, written, blank)

    def _check_rewrite(self, text: str, written: str, blank: Rewrite) -> Rewrite:
        """The rewrite if every check passes."""
        made = changes(text, written, self.lexicons, blank)
        own = (
            Check(name="something_changed", passed=written != text),
            Check(name="only_the_group_changed", passed=made is not None),
            _names_alike(made or (), self.lexicons),
        )
        general = check(text, written, self.lexicons, blank.attribute, blank.source_group)
        checks = (*own, *general)
        failed = [one.name for one in checks if not one.passed]
        if failed:
            invalid = Declined.INVALID
            return replace(blank, declined=invalid, detail=", ".join(failed), checks=checks)
        return replace(blank, text=written, replacements=made or (), checks=checks)


def _names_alike(made: Sequence[Replacement], lexicons: Lexicons) -> Check:
    """Each first name became one of the same background: Priya Rahul, but not Robert."""
    record = lexicons.people.first.record
    pairs = [(record(one.old), record(one.new)) for one in made]
    mixed = [two.name for one, two in pairs if one and two and not are_alike(one, two)]
    return Check(name="names_alike", passed=not mixed, detail=", ".join(mixed))


@cache
def instructions() -> str:
    """What the model is told to do, read once."""
    text = files("guard.adapters").joinpath("rewriter_instructions.txt").read_text("utf-8")
    return text.removesuffix("\n")


def messages(text: str, wanted: Rewrite, fault: str) -> tuple[Message, ...]:
    """The conversation that asks for a rewrite; `fault` says what was wrong the last time."""
    groups = {"attribute": wanted.attribute, "from": wanted.source_group, "to": wanted.target_group}
    asked = {**groups, "text": text}
    again = _AGAIN.format(fault=fault) if fault else ""
    return (
        {"role": "system", "content": instructions() + again},
        {"role": "user", "content": json.dumps(asked, ensure_ascii=False)},
    )


def text_of(answer: object, most_characters: int) -> str | None:
    """The text in a model's answer; None if it is not the JSON that was asked for."""
    if not isinstance(answer, str) or len(answer) > most_characters:
        return None
    try:
        found = json.loads(strip_fence(answer.strip()))
    except (ValueError, RecursionError):
        return None
    text = found.get("text") if isinstance(found, dict) and len(found) == 1 else None
    return text if isinstance(text, str) and text.strip() and _is_writable(text) else None


def strip_fence(answer: str) -> str:
    """Without the fence that many models put around JSON."""
    if not (answer.startswith(_FENCE) and answer.endswith(_FENCE)):
        return answer
    return answer.removesuffix(_FENCE).partition("\n")[2]


def _is_writable(text: str) -> bool:
    """Whether it holds no half of a surrogate pair, which no file and no client would take."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
