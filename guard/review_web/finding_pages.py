"""Findings: what is known of each difference; candidates: what another policy would do. For
administrators, since they tell which group is treated how, or show replies as they were, and with
that a blind reviewer could guess which side of an open case is which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.responses import Response

from guard.review_web.context import PageRequest, see_other
from guard.review_web.queue_pages import filtered_url
from guard.shadow.finding_counts import (
    describe_flagged,
    describe_reason,
    describe_unvaried,
    describe_use_case,
)
from guard.shadow.findings import AttributeFinding, describe_group, describe_limits


def show_findings(request: PageRequest) -> Response:
    """Of one use case, or of all."""
    reader = request.context.findings
    use_cases = reader.use_cases()
    use_case = request.query.get("use_case", "").strip()[:200]
    chosen = [name for name in use_cases if use_case in ("", name)]
    found = [one for name in chosen for one in reader.read(name)]
    return request.page(
        "findings.html",
        found=found,
        cases=_open_cases(request, found),
        use_case=use_case,
        use_cases=use_cases,
        of_use_case={
            name: describe_use_case(reader.use_case_counts(name))
            for name in dict.fromkeys(one.use_case for one in found)
        },
        describe=describe_group,
        describe_limits=describe_limits,
        describe_flagged=describe_flagged,
        describe_unvaried=describe_unvaried,
        describe_reason=describe_reason,
        queue_url=lambda one, reason="": filtered_url("/queue", _filters(one, reason)),
    )


def show_candidates(request: PageRequest) -> Response:
    """What candidate policies would do otherwise, of one use case or of all that have one."""
    reader = request.context.candidates
    use_cases = reader.use_cases()
    use_case = request.query.get("use_case", "").strip()[:200]
    found = (reader.read(name) for name in use_cases if use_case in ("", name))
    return request.page(
        "candidates.html",
        reports=[one for one in found if one is not None],
        use_case=use_case,
        use_cases=use_cases,
    )


def acknowledge(request: PageRequest) -> Response:
    """Take note of the alarms of an attribute; once is enough."""
    use_case, attribute = request.field("use_case"), request.field("attribute")
    noted = request.context.findings.acknowledge(
        use_case, by=request.user_name, attribute=attribute
    )
    said = "acknowledged" if noted else "no-alarm"
    return see_other(filtered_url("/findings", {}, said=said))


def _open_cases(request: PageRequest, found: Sequence[AttributeFinding]) -> list[int]:
    """Of each finding."""
    return [request.context.findings.open_cases(one.use_case, one.attribute) for one in found]


def _filters(one: AttributeFinding, reason: str) -> Mapping[str, str]:
    return {"use_case": one.use_case, "attribute": one.attribute, "reason": reason}
