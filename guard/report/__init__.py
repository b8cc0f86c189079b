"""What a store full of sums amounts to now."""

from guard.report.evidence import EvidenceReader
from guard.report.readings import BucketSums, ReadableStore, Readings, SeriesLimits

__all__ = ["BucketSums", "EvidenceReader", "ReadableStore", "Readings", "SeriesLimits"]
