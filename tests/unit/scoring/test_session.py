"""How ONNX Runtime is loaded."""

from __future__ import annotations

import os

import pytest

from guard.errors import ModelError
from guard.scoring import models


def test_what_is_no_model_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"m\.onnx: ONNX Runtime cannot load"):
        models.open_session(b"not onnx", threads=1, name="m.onnx")


def test_telemetry_is_off_while_it_loads_and_the_environment_stays(monkeypatch) -> None:
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    seen = {}

    class Runtime:
        @staticmethod
        def disable_telemetry_events() -> None:
            seen["disabled"] = True

    def load(name: str) -> type[Runtime]:
        seen[name] = os.environ["ORT_DISABLE_TELEMETRY"]
        return Runtime

    monkeypatch.setattr(models, "import_module", load)
    assert models._onnxruntime() is Runtime
    assert seen == {"onnxruntime": "1", "disabled": True}
    assert "ORT_DISABLE_TELEMETRY" not in os.environ


def test_what_the_user_has_set_stays(monkeypatch) -> None:
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "yes")
    models._onnxruntime()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "yes"
