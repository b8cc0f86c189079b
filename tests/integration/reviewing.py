"""Somebody who decides all there is: `python -m tests.integration.reviewing URL NAME`.

Writes a dot for each thing done, so that whoever kills it knows that it is at work.
"""

from __future__ import annotations

import random
import sys
import time
from contextlib import suppress

from guard.errors import NotHeld
from guard.review.service import ReviewService
from guard.review.views import VERDICTS
from guard.store import open_store


def work(url: str, name: str) -> None:
    store = open_store(url, clock=time.time)
    desk = ReviewService(store=store, clock=time.time, order_key=b"key", lease_seconds=0.5)
    dice = random.Random(name)
    while opened := desk.next(name):
        case = opened.record.case
        sys.stdout.write(".")
        sys.stdout.flush()
        with suppress(NotHeld):
            desk.decide(case.id, name, dice.choice(VERDICTS[case.kind]), note="seen")
        if dice.random() < 0.2:
            desk.undo(name)
    store.shut()


if __name__ == "__main__":
    work(*sys.argv[1:])
