"""The data of the package, read once each."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).parent / "data"


@cache
def read_yaml(name: str) -> Any:
    return yaml.safe_load((DATA / name).read_text(encoding="utf-8"))


@cache
def read_lines(name: str) -> tuple[str, ...]:
    """Lines with text in them; those that start with `#` are headings."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


@cache
def read_sections(name: str) -> dict[str, tuple[str, ...]]:
    """The lines under each `# heading`."""
    found: dict[str, list[str]] = {}
    here: list[str] = []
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            here = found.setdefault(line[2:].strip(), [])
        elif line.strip():
            here.append(line.strip())
    return {heading: tuple(lines) for heading, lines in found.items()}
