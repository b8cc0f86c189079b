"""What is not judged when a guard is closed is recorded as unscored, and not lost."""

from __future__ import annotations

import time
from pathlib import Path

from guard import Guard
from guard.fairness import key
from guard.settings import parse_settings
from guard.store import open_store

CALLS = 40
LONG = " ".join(f"Order number {number} left our warehouse this morning." for number in range(200))


def test_replies_that_wait_to_be_judged_are_recorded(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    guard = Guard.open(
        parse_settings(
            f"""
store: {{url: "{url}", spool: "{tmp_path / "spool"}"}}
use_cases: {{chat: {{mode: observe}}}}
"""
        )
    )
    answer = guard.wrap(lambda number: f"{LONG} {number}", use_case="chat")
    for number in range(CALLS):
        answer(number)
    guard.close(drain_seconds=0.05)
    store = open_store(url, clock=time.time)
    sums = store.total("chat", range(2**40))
    store.shut()
    judged, left = (sums.get(key("toxic_fraction", name), 0) for name in ("n", "unscored"))
    assert judged + left == CALLS
    assert left > 0
