"""The present value of every metric, and of all that waits, in one pass over the store."""

from guard.report.bucket_sums import BucketSums as BucketSums
from guard.report.evidence import EvidenceReader as EvidenceReader
from guard.report.readings import Readings as Readings
from guard.report.selection import SeriesLimits as SeriesLimits
