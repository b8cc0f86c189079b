"""Everything between a request that was accepted and the bytes its client gets."""

from __future__ import annotations

from guard.flow import Flow
from guard.gateway.judging.judged import judged
from guard.gateway.judging.relayed import relayed
from guard.gateway.records import Asked, Reply

__all__ = ["reply_to"]


async def reply_to(asked: Asked, flow: Flow) -> Reply:
    """Ask the upstream and give what may be released of its answer.

    Raises RefusedRequest for a body that cannot be judged, and UpstreamBusy, TimedOut, Broken and
    TooLarge where no answer began.
    """
    policy = flow.policy(asked.use_case)
    if policy.off:
        return await relayed(asked, flow)
    return await judged(asked, flow, policy)
