"""What a case keeps of claims: the sentences of a reply, and how they stand to the other reply."""

from __future__ import annotations

from guard.fairness import MeasuredReply
from guard.records import ClaimBody
from guard.text.differences import carried


def claim_bodies(
    reply: MeasuredReply, other: MeasuredReply, *, text: str, masked: str
) -> tuple[ClaimBody, ...]:
    """The claims of a reply against another one; none where they were not checked.

    They were checked in texts of which only the group's words are masked. text, masked: what the
    case shows of the reply, as it is and with every person masked; the ranges are of these.
    """
    checked = reply.claims.get(other.masked, ())
    spans = [one.claim.span for one in checked]
    places = carried(spans, reply.masked, text), carried(spans, reply.masked, masked)
    return tuple(
        ClaimBody(
            span=span,
            masked=hidden,
            entailed=one.chances[0],
            neutral=one.chances[1],
            contradicted=one.chances[2],
        )
        for one, span, hidden in zip(checked, *places, strict=True)
        if span.start < span.end and hidden.start < hidden.end
    )
