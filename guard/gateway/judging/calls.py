"""What the record says of a request."""

from __future__ import annotations

from guard.counterfactual import never_shadowed, shadow_parameters
from guard.gateway.records import Asked
from guard.records import Call


def call_of(asked: Asked) -> Call:
    """The call as it is recorded; its id is given later."""
    never = asked.never_shadowed or never_shadowed(asked.body) or ""
    return Call(
        id="",
        use_case=asked.use_case,
        lane=asked.lane,
        parameters={} if never else shadow_parameters(asked.body),
        never_shadowed=never,
    )
