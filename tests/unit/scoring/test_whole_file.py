"""A model is one file: values of tensors that are kept elsewhere are found wherever they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from guard.errors import ModelError
from guard.scoring import models
from guard.scoring.whole_file import require_whole
from tests.pair_models import model, number, part, text

ELSEWHERE = part(13, text(1, "location") + text(2, "w.bin")) + number(14, 1)
TENSOR = number(1, 1) + number(2, 1) + text(8, "w")
Wrap = Callable[[bytes], bytes]


def wrapped(*numbers: int) -> Wrap:
    """In fields of these numbers, the outermost first."""

    def around(content: bytes) -> bytes:
        for one in reversed(numbers):
            content = part(one, content)
        return content

    return around


PLACES = {
    "initializer": wrapped(7, 5),
    "sparse initializer": wrapped(7, 15, 1),
    "indices of a sparse initializer": wrapped(7, 15, 2),
    "Constant": wrapped(7, 1, 5, 5),
    "list of tensors": wrapped(7, 1, 5, 10),
    "sparse attribute": wrapped(7, 1, 5, 22, 1),
    "branch": wrapped(7, 1, 5, 6, 5),
    "Constant of a branch of a branch": wrapped(7, 1, 5, 6, 1, 5, 11, 1, 5, 5),
    "function": wrapped(25, 7, 5, 5),
    "default of a function": wrapped(25, 11, 5),
    "training": wrapped(20, 1, 5),
    "deep": wrapped(7, *(1, 5, 6) * 3000, 5),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_tensor_that_is_kept_elsewhere_is_found_wherever_it_is(place: str) -> None:
    around = PLACES[place]
    require_whole(model() + around(TENSOR + number(14, 0)), "m.onnx")
    with pytest.raises(ModelError, match=r"m\.onnx: keeps weights in other files"):
        require_whole(model() + around(TENSOR + ELSEWHERE), "m.onnx")


def test_no_session_reads_a_file_beside_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.bin").write_bytes(bytes(4))
    content = model() + PLACES["branch"](TENSOR + ELSEWHERE)
    with pytest.raises(ModelError, match="keeps weights in other files"):
        models.open_session(content, threads=1, name="m.onnx")


@pytest.mark.parametrize(
    "content",
    [
        b"abc",
        model()[:-1],
        model() + b"\x3a",
        model() + b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        model() + b"\x00\x00",
        model() + b"\xba\x80\x80\x80\x10\x00",
        model() + b"\x3b\x3c",
        b"\x18\x00\x00\x00ORTM" + bytes(40),
    ],
)
def test_what_cannot_be_looked_through_is_refused(content: bytes) -> None:
    with pytest.raises(ModelError, match=r"m\.onnx: ONNX Runtime cannot load the model: no ONNX"):
        models.open_session(content, threads=1, name="m.onnx")
