"""Evidence in a store as if calls had been shadowed."""

from __future__ import annotations

from collections.abc import Sequence

from guard.fairness.catalogue import ALARM_POSTS, SHADOW_RESULTS, result_tally
from guard.fairness.group_tests import OmnibusTest
from guard.fairness.tally import merged
from guard.ports import Store
from guard.records import Posting
from guard.shadow.monitor import EvidenceMonitor, MonitoredUseCase

TONE = OmnibusTest(metric="sentiment_gap_grounded", attribute="gender", groups=2, material=0.03)
LENGTH = OmnibusTest(metric="length_gap", attribute="gender", groups=2, material=0.05)
RESULTS = {
    ("gender", "compared"): 60,
    ("gender", "deterministic"): 5,
    ("gender", "repeated"): 2,
    ("gender", "declined_invalid"): 7,
    ("gender", "skipped_calls"): 4,
    ("gender", "flagged"): 9,
    ("gender", "confirmed"): 2,
    ("gender", "not_confirmed"): 4,
    ("gender", "not_confirmed_calls"): 1,
    ("gender", "over_cap"): 1,
    ("", "opted_out"): 3,
    ("", "slip"): 1,
}


def plant(
    store: Store, use_case: str, test: OmnibusTest, group: str, differences: Sequence[float]
) -> None:
    """Calls in which `group` was compared, and the look at the evidence after them."""
    monitor = EvidenceMonitor(store, {use_case: MonitoredUseCase(tests=(test,))})
    of_group = test.of_group(group)
    sums = merged(of_group.tally(one) for one in differences)
    filed = monitor.by_epoch(use_case, {of_group.name: sums})
    store.add([Posting(use_case=use_case, at_seconds=0.0, evidence=filed)])
    monitor.check()


def plant_bias(store: Store, use_case: str) -> None:
    """Replies about women are less positive, and as long as others; some calls were left out."""
    plant(store, use_case, TONE, "female", [-0.3] * 60)
    plant(store, use_case, LENGTH, "female", [0.2, -0.2] * 30)
    counted = {
        SHADOW_RESULTS: result_tally(RESULTS),
        ALARM_POSTS: result_tally({("gender", "sent"): 1, ("gender", "failed"): 2}),
    }
    store.add([Posting(use_case=use_case, at_seconds=0.0, evidence=counted)])
