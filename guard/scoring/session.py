"""The one place where ONNX Runtime is met."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guard.errors import ModelError

Ids: TypeAlias = NDArray[np.int64]
Output: TypeAlias = NDArray[np.float32]
Session: TypeAlias = Callable[[Ids, Ids], Output]
"""(token ids, attention mask), both int64 [batch, length], to float32 [batch, outputs]."""

_ERRORS_ONLY = 3
_NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"


def open_session(model: bytes, *, threads: int, name: str) -> Session:
    """A session over the ONNX file `model`, safe to call from several threads at once.

    threads: inside one call; 1 means the calling thread alone, and survives a fork.
    Raises ModelError when ONNX Runtime refuses the model `name`.
    """
    runtime = _onnxruntime()
    settings = _settings(runtime, threads)
    try:
        session = runtime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime has no common base of its errors
        raise ModelError(f"{name}: ONNX Runtime cannot load the model: {error}") from error
    return _runner(session)


def _onnxruntime() -> Any:
    """ONNX Runtime, loaded here and not before, without its telemetry.

    From 1.29 on it reports to its maker unless the variable is set when it is first loaded; the
    thread it does so from also keeps forked children from ending.
    """
    with _set_by_default(_NO_TELEMETRY, "1"):
        runtime = import_module("onnxruntime")
    runtime.disable_telemetry_events()  # in case the application had loaded it before
    return runtime


@contextmanager
def _set_by_default(variable: str, value: str) -> Iterator[None]:
    """Set an environment variable for a while, unless the user has set it."""
    if variable in os.environ:
        yield
        return
    os.environ[variable] = value
    try:
        yield
    finally:
        del os.environ[variable]


def _settings(runtime: Any, threads: int) -> Any:
    settings = runtime.SessionOptions()
    settings.intra_op_num_threads = threads
    settings.inter_op_num_threads = 1
    settings.enable_mem_pattern = False  # kept per shape, and there are many shapes
    settings.enable_cpu_mem_arena = False  # no slower here; memory stays flat, forks stay safe
    settings.log_severity_level = _ERRORS_ONLY
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return settings


def _runner(session: Any) -> Session:
    def run(ids: Ids, mask: Ids) -> Output:
        output: Output = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return output

    return run
