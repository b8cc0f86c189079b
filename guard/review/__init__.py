"""USE CASE what people do with flagged cases: see them, judge them, and make numbers of it."""

from guard.errors import AlreadyClosed, NoSuchCase, NotHeld, ReviewError, WrongVerdict
from guard.review.accounts import AccountError, AccountService, Role, User
from guard.review.export import ExportFormat, export_audit, export_cases
from guard.review.retention import ErasureResult, Retention
from guard.review.service import ReviewService
from guard.review.statistics import (
    AlphaAgreement,
    Backlog,
    DayCounts,
    DecisionTimes,
    FlagPrecision,
    KappaAgreement,
    ReviewStatistics,
)
from guard.review.thresholds import ThresholdProposal
from guard.review.verdicts import (
    CONFIRMED,
    REJECTED,
    PairVerdict,
    ResponseVerdict,
    verdicts_for,
)
from guard.review.views import (
    CaseCount,
    CasePage,
    CaseSummary,
    OpenedCase,
    PairView,
    ResponseView,
    ScoreView,
    SegmentKind,
    SideView,
    TextSegment,
    TurnView,
)

__all__ = [
    "AlphaAgreement",
    "AlreadyClosed",
    "Backlog",
    "CONFIRMED",
    "CaseCount",
    "DayCounts",
    "FlagPrecision",
    "ExportFormat",
    "ErasureResult",
    "ScoreView",
    "KappaAgreement",
    "CaseSummary",
    "NoSuchCase",
    "NotHeld",
    "OpenedCase",
    "CasePage",
    "PairVerdict",
    "PairView",
    "AccountService",
    "AccountError",
    "ThresholdProposal",
    "REJECTED",
    "ResponseVerdict",
    "ResponseView",
    "Retention",
    "ReviewService",
    "ReviewError",
    "Role",
    "TextSegment",
    "SegmentKind",
    "SideView",
    "ReviewStatistics",
    "DecisionTimes",
    "TurnView",
    "User",
    "WrongVerdict",
    "export_cases",
    "export_audit",
    "verdicts_for",
]
