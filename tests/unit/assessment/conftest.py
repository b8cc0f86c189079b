"""What holds for the tests of assessments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from guard.store.reply_cache import ReplyCache


@pytest.fixture(autouse=True)
def _no_file_of_replies_stays_open(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    opened: list[ReplyCache] = []
    open_file = ReplyCache.__init__

    def open_and_remember(self: ReplyCache, file: Path) -> None:
        open_file(self, file)
        opened.append(self)

    monkeypatch.setattr(ReplyCache, "__init__", open_and_remember)
    yield
    for one in opened:
        one.close()
