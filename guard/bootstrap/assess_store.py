"""The assessment of what a live guard kept in its store."""

from __future__ import annotations

import time
from math import floor

from guard import __version__
from guard.assessment.results import AssessmentResults, Provenance
from guard.assessment.stored_cases import read_cases
from guard.assessment.stored_run import StoredTraffic, assess_stored
from guard.bootstrap.findings import open_findings
from guard.bootstrap.storage import KEPT_SECONDS
from guard.ports import Clock, Store, Windows
from guard.records import CaseFilter
from guard.review.export import matching_cases
from guard.settings import Settings


def assess_store(
    store: Store, settings: Settings, use_case: str, *, worst: int = 10, clock: Clock = time.time
) -> AssessmentResults:
    """The figures, evidence and cases of a use case. Reads the store and changes nothing.

    settings: of the guard that fills it. worst: texts shown of each score and difference. clock:
    Unix seconds. Raises AssessmentInputError where nothing was kept, SettingsError, StoreError.
    """
    began = clock()
    shadow = settings.use_cases.get(use_case, settings.defaults).shadow
    findings = open_findings(store, settings)
    traffic = StoredTraffic(
        use_case=use_case,
        now_seconds=began,
        buckets=_buckets(store, use_case, began),
        findings=findings.read(use_case),
        cases=read_cases(matching_cases(store, CaseFilter(use_case=use_case)), worst=worst),
        share=shadow.share or None,
        alpha=settings.alarm_alpha,
    )
    provenance = Provenance(
        version=__version__,
        settings={"from_store": "true", "worst": str(worst), "shadow.share": f"{shadow.share:g}"},
        made_at=began,
        seconds=clock() - began,
    )
    return assess_stored(traffic, provenance)


def _buckets(store: Windows, use_case: str, now: float) -> dict[float, dict[str, float]]:
    width = store.bucket_seconds
    every = range(floor((now - KEPT_SECONDS) / width), floor(now / width) + 1)
    return {number * width: dict(sums) for number, sums in store.series(use_case, every).items()}
