"""What a client is told of the verdicts on its replies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from guard.flow.drive import Exchange
from guard.records import Verdict

_MILDEST_FIRST = (Verdict.RELEASED, Verdict.UNSCORED, Verdict.FLAGGED, Verdict.BLOCKED)


def verdict_on(exchanges: Iterable[Exchange]) -> Verdict:
    """The most severe one. A reply that nobody has looked at yet is unscored so far."""
    found = [one.finish.verdict for one in exchanges if one.finish is not None]
    known = [one or Verdict.UNSCORED for one in found] or [Verdict.UNSCORED]
    return max(known, key=_MILDEST_FIRST.index)


def ids_of(exchanges: Iterable[Exchange]) -> str:
    """The ids of the calls, in the order of the replies."""
    return ", ".join(one.call_id for one in exchanges)


def comment(exchanges: Sequence[Exchange]) -> bytes:
    """The last word of an event stream, which no client takes for an event."""
    told = {"call_id": ids_of(exchanges), "verdict": verdict_on(exchanges).value}
    return b": guard " + json.dumps(told).encode("ascii") + b"\n\n"
