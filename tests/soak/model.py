"""A model that is slow, breaks off, talks nonsense and refuses, as the prompt tells it to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from tests.servers_openai import Behaviour, Upstream, breaks_off, canned, closes, huge, says, status
from tests.servers_openai.acts import Act, Gate
from tests.servers_openai.server import Asked
from tests.soak.texts import Kind, kind_in, reply_to

PAUSE_SECONDS = 1.0
KEPT_REQUESTS = 1000


class HostileModel(Upstream):
    """Every request decides by its own words what becomes of it."""

    def answer(self, asked: Asked) -> Iterable[Act]:
        self.requests.append(asked)
        del self.requests[:-KEPT_REQUESTS]
        prompt = asked.raw.decode("utf-8", "replace")
        return behaviour_for(kind_in(prompt), reply_to(prompt))(asked)


def behaviour_for(kind: Kind, reply: str) -> Behaviour:
    """How a request is answered."""
    behaviours: dict[Kind, Behaviour] = {
        Kind.SLOW: slowly(says(reply)),
        Kind.BROKEN: breaks_off("would", said=reply),
        Kind.GARBLED: canned(200, b'{"choices": [{"message": {"content": "' + reply.encode()),
        Kind.FAILING: status(500, "out of order"),
        Kind.BUSY: status(429, "later", retry_after="1"),
        Kind.CLOSING: closes,
        Kind.HUGE: huge(2),
    }
    return behaviours.get(kind, says(reply))


def slowly(behaviour: Behaviour) -> Behaviour:
    """The same with a pause before the first and in the middle of what is sent."""

    def slow(asked: Asked) -> Iterator[Act]:
        acts = list(behaviour(asked))
        for number, act in enumerate(acts):
            if number in {0, len(acts) // 2}:
                gate = Gate()
                asyncio.get_running_loop().call_later(PAUSE_SECONDS, gate.open)
                yield gate
            yield act

    return slow
