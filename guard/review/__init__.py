"""USE CASE what people do with flagged cases: see them, judge them, and make numbers of it."""

from guard.errors import AlreadyClosed, NoSuchCase, NotHeld, ReviewError, WrongVerdict
from guard.review.desk import ReviewDesk
from guard.review.export import Format, exported, exported_audit
from guard.review.people import People, PeopleError, Role, User
from guard.review.records import Count, Listed, Opened, Page
from guard.review.retention import Gone, Retention
from guard.review.statistics import Alpha, Backlog, Day, Flag, Kappa, Statistics, Times
from guard.review.thresholds import Proposal
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
    "Alpha",
    "AlreadyClosed",
    "Backlog",
    "CONFIRMED",
    "Count",
    "Day",
    "Flag",
    "Format",
    "Gone",
    "Head",
    "Kappa",
    "Listed",
    "NoSuchCase",
    "NotHeld",
    "Opened",
    "Page",
    "PairVerdict",
    "PairView",
    "People",
    "PeopleError",
    "Proposal",
    "REJECTED",
    "ResponseVerdict",
    "ResponseView",
    "Retention",
    "ReviewDesk",
    "ReviewError",
    "Role",
    "Segment",
    "SegmentKind",
    "SideView",
    "Statistics",
    "Times",
    "TurnView",
    "User",
    "WrongVerdict",
    "exported",
    "exported_audit",
    "verdicts_for",
]
