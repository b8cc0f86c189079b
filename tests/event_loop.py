"""What else an event loop does while something is awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def turns_beside(awaited: Coroutine[Any, Any, T]) -> tuple[int, T]:
    """How often another task of the loop ran meanwhile, and the result."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    try:
        return_value = await awaited
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    return turns, return_value
