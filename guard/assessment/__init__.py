"""The offline assessment of a use case: rows in, typed results out."""

from guard.assessment.json_codec import decode_results as decode_results
from guard.assessment.json_codec import encode_results as encode_results
from guard.assessment.results import AssessmentResults as AssessmentResults
