"""USE CASE what people do with flagged cases: see them, judge them, and make numbers of it."""

from guard.errors import AlreadyClosed, NoSuchCase, NotHeld, ReviewError, WrongVerdict
from guard.review.desk import ReviewDesk
from guard.review.records import Count, Listed, Opened, Page
from guard.review.verdicts import (
    CONFIRMED,
    REJECTED,
    PairVerdict,
    ResponseVerdict,
    verdicts_for,
)
from guard.review.views import (
    Head,
    PairView,
    ResponseView,
    Segment,
    SegmentKind,
    SideView,
    TurnView,
)

__all__ = [
    "CONFIRMED",
    "REJECTED",
    "AlreadyClosed",
    "Count",
    "Head",
    "Listed",
    "NoSuchCase",
    "NotHeld",
    "Opened",
    "Page",
    "PairVerdict",
    "PairView",
    "ResponseVerdict",
    "ResponseView",
    "ReviewDesk",
    "ReviewError",
    "Segment",
    "SegmentKind",
    "SideView",
    "TurnView",
    "WrongVerdict",
    "verdicts_for",
]
