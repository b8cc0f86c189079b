"""What a generator returns beside its pieces, as `yield from` or `StopIteration.value` shows it."""

from __future__ import annotations

from typing import Any

from guard.flow import Exchange, Flow
from guard.flow.blocking import run_blocking
from guard.flow.waiting import wait_blocking
from guard.policy import Hold, OnUnscored
from guard.records import Action
from guard.replies.json_text import texts_in
from guard.wrap.known_replies import UnreadNotice
from guard.wrap.reply_objects import UnknownObjectError, as_text, plain_value


def shown_value(
    value: Any, exchange: Exchange, flow: Flow, use_case: str, notice: UnreadNotice
) -> Any:
    """`value` where the caller may have it, otherwise None.

    It often repeats the reply, so one with words is not shown where the reply was changed, and is
    judged by itself where it was not: nothing says that both have the same words. exchange: of the
    reply, at its end. notice: told of a value that is not read, about which `on_unscored` decides.
    """
    policy, text = flow.policy(use_case), _text_of(value)
    if text == "" or not policy.may_withhold or policy.hold is Hold.NONE:
        return value
    if exchange.finish is None or exchange.finish.action is not Action.RELEASE:
        return None
    if text is None:
        notice.tell(value)
        return value if policy.on_unscored is OnUnscored.RELEASE else None
    return value if run_blocking(flow.passes(use_case, text, wait_blocking)) else None


def _text_of(value: object) -> str | None:
    """All words in it; None for what is not read."""
    try:
        return "\n\n".join(texts_in(plain_value(value, of_bytes=as_text)))
    except UnknownObjectError:
        return None
