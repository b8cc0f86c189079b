"""What takes too long is left, and told to stop."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from guard.errors import ModelError
from guard.scoring.models import open_session
from guard.scoring.run_limit import RunLimit
from tests.pair_models import model

PATIENCE_SECONDS = 20.0
LIMIT = RunLimit(name="m.onnx", seconds=PATIENCE_SECONDS)
SHORT = RunLimit(name="m.onnx", seconds=0.01)


def test_what_is_done_in_time_is_given_and_what_is_raised_is_raised() -> None:
    assert LIMIT.within(lambda: 5) == 5
    for error in (ValueError("no"), TimeoutError("its own"), KeyboardInterrupt()):
        with pytest.raises(type(error)) as raised:
            LIMIT.within(lambda error=error: raises(error))  # type: ignore[misc]
        assert raised.value is error


def test_what_takes_too_long_is_told_to_stop() -> None:
    stop = threading.Event()
    with pytest.raises(ModelError, match=r"m\.onnx: not done after 0\.01 seconds"):
        SHORT.within(lambda: stop.wait(PATIENCE_SECONDS), stop.set)
    assert stop.is_set()


def test_a_signal_is_heard_meanwhile_and_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()

    class Interrupted:
        def result(self, seconds: float) -> None:
            raise KeyboardInterrupt

        def set_result(self, result: object) -> None:
            """Nobody asks for it."""

    monkeypatch.setattr("guard.scoring.run_limit.Future", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        LIMIT.within(lambda: stop.wait(PATIENCE_SECONDS), stop.set)
    assert stop.is_set()


def test_a_session_with_a_limit_gives_what_one_without_gives() -> None:
    ids = np.array([[4, 2, 4]], dtype=np.int64)
    free = open_session(model(), threads=1, name="pairs")
    bound = open_session(model(), threads=1, name="pairs", run_seconds=PATIENCE_SECONDS)
    assert bound(ids, np.ones_like(ids)).tolist() == free(ids, np.ones_like(ids)).tolist()


def raises(error: BaseException) -> None:
    raise error
