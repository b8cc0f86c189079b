"""The `review` section of guard.yaml: what people get to see of flagged calls, and for how long."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Strict

from guard.settings.section import Section


class ReviewSettings(Section):
    """What cases keep."""

    redact: Annotated[bool, Strict()] = True
    """Make e-mail addresses, phone and card numbers unreadable before a case is stored."""
    scores_only: Annotated[bool, Strict()] = False
    """Keep no text of a call in a case, only its scores: then people have little to judge by."""
    retention_days: Annotated[int, Strict(), Field(ge=1, le=36_500)] | None = 90
    """Age at which cases are erased, decided or not; null is never."""
    lease_minutes: Annotated[float, Field(gt=0, le=1440, allow_inf_nan=False)] = 15.0
    """How long a case stays with the person who opened it."""
