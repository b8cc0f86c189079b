"""Scores a stream of texts, in order, with a bounded number of them on their way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

from guard.cli.texts.channel import Channel
from guard.cli.texts.reading import BadLine, Item, Text
from guard.records import Assessment

CHARACTERS_UNDERWAY: Final = 4_000_000
TEXTS_UNDERWAY: Final = 256

Submit = Callable[[str], Future[Assessment]]
_Sent = tuple[Text, Future[Assessment]] | BadLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A text and what the classifiers say about it."""

    text: Text
    assessment: Assessment


Result = Scored | BadLine


def scored(items: Iterator[Item], submit: Submit) -> Generator[Result, None, None]:
    """A result for every item, in order, each as soon as it and those before it are there.

    The items are read by a thread of their own: a result never waits for the next line of an
    input that is still being written.
    """
    channel: Channel[_Sent] = Channel(CHARACTERS_UNDERWAY)
    threading.Thread(
        target=_feed, args=(items, submit, channel), name="guard-reader", daemon=True
    ).start()
    try:
        yield from map(_answered, channel)
    finally:
        channel.end()


def _answered(sent: _Sent) -> Result:
    if isinstance(sent, BadLine):
        return sent
    text, future = sent
    return Scored(text=text, assessment=future.result())


def _feed(items: Iterator[Item], submit: Submit, channel: Channel[_Sent]) -> None:
    try:
        for item in items:
            weight = _weight(item)
            if not channel.wait_for_room(weight):
                return
            channel.send(_sent(item, submit), weight)
    except BaseException as error:  # noqa: BLE001, RUF100 - it is raised where results are taken
        channel.end(error)
    else:
        channel.end()


def _sent(item: Item, submit: Submit) -> _Sent:
    return item if isinstance(item, BadLine) else (item, submit(item.text))


def _weight(item: Item) -> int:
    least = CHARACTERS_UNDERWAY // TEXTS_UNDERWAY
    return max(least, len(item.text)) if isinstance(item, Text) else least
