"""What the shadow path and the assessment need of a language model."""

from __future__ import annotations

from typing import Protocol

from guard.records import Ask, Generated


class Upstream(Protocol):
    """Asks one model. Used from one event loop."""

    async def generate(self, ask: Ask) -> Generated:
        """One reply. Refusals, filtered replies, time-outs and failures are results as well.

        Raises UpstreamBusy when nothing was generated and the same may be asked later (too many
        requests, nobody listens), and UpstreamError when asking again is of no use (a wrong key,
        no such model).
        """
