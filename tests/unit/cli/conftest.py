from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from guard.testing import WordScorer


class FakeEngine(WordScorer):
    """A scorer with the life of an engine."""

    def __init__(self):
        super().__init__({"toxicity": {"idiot": 0.9}, "stereotype": {"always": 0.7}})
        self.closed = False

    def stats(self):
        return SimpleNamespace(
            open_requests=0,
            open_tokens=0,
            batches=0,
            tokens=0,
            padded_tokens=0,
            restarts=0,
            cancelled=0,
            cache_hits=0,
            cache_misses=0,
            cache_bytes=0,
        )

    def beside(self, options):
        return self

    def close(self):
        self.closed = True


@pytest.fixture
def engine():
    return FakeEngine()


@pytest.fixture
def run(monkeypatch, engine):
    """Run `guard` with these arguments, every classifier replaced by `engine`."""
    from guard.cli.main import main

    monkeypatch.setattr("guard.bootstrap.runtime.open_scorer", lambda settings: engine)
    return lambda *args, **options: CliRunner().invoke(main, list(map(str, args)), **options)
