"""USE CASE review: reviewers see flagged cases and vote; statistics, thresholds and exports."""

from guard.errors import AlreadyClosed, NoSuchCase, NotHeld, WrongVerdict
from guard.review.accounts import AccountError, AccountService, Role
from guard.review.export import ExportFormat, export_audit, export_cases
from guard.review.retention import ErasureResult, Retention
from guard.review.service import ReviewService
from guard.review.statistics import ReviewStatistics
from guard.review.thresholds import ThresholdProposal
from guard.review.views import (
    CasePage,
    CaseSummary,
    OpenedCase,
    PairView,
    ResponseView,
    SegmentKind,
    TextSegment,
    verdicts_for,
)

__all__ = [
    "AccountError",
    "AccountService",
    "AlreadyClosed",
    "CasePage",
    "CaseSummary",
    "ErasureResult",
    "ExportFormat",
    "NoSuchCase",
    "NotHeld",
    "OpenedCase",
    "PairView",
    "ResponseView",
    "Retention",
    "ReviewService",
    "ReviewStatistics",
    "Role",
    "SegmentKind",
    "TextSegment",
    "ThresholdProposal",
    "WrongVerdict",
    "export_audit",
    "export_cases",
    "verdicts_for",
]
