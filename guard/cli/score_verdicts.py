"""Many texts judged by a guard at once, each as `Guard.check_async` judges one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from guard.records import Outcome
from guard.wrap.facade import Guard

Judge = Callable[[str], Future[Outcome]]


@contextmanager
def judging(guard: Guard, use_case: str) -> Iterator[Judge]:
    """Gives what judges a text, on an event loop in a thread of its own. Thread-safe.

    At the end of the block texts that are still being judged are given up.
    """
    begun: Future[asyncio.AbstractEventLoop] = Future()
    over = asyncio.Event()

    async def wait_for_end() -> None:
        begun.set_result(asyncio.get_running_loop())
        await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(wait_for_end()), name="guard-judge")
    thread.start()
    loop = begun.result()

    def judge(text: str) -> Future[Outcome]:
        verdict = guard.check_async(text, use_case=use_case)
        try:
            return asyncio.run_coroutine_threadsafe(verdict, loop)
        except RuntimeError:  # the block has ended
            verdict.close()
            raise

    try:
        yield judge
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
