"""What a store full of sums amounts to now."""

from guard.report.evidence import EvidenceOf
from guard.report.readings import Kept, Limits, Readings
from guard.report.spans import Spans

__all__ = ["Kept", "Limits", "Readings", "Spans", "EvidenceOf"]
