"""The tab-separated tables of this package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import islice


def rows_of(file: str) -> Iterator[Sequence[str]]:
    """The rows of a table below its header. Reads a file.

    Lines that begin with # say what the rows are and where they come from.
    """
    table = (resources.files("guard.counterfactual") / "data" / file).read_text("utf-8")
    lines = (line for line in table.splitlines() if line and not line.startswith("#"))
    return (line.split("\t") for line in islice(lines, 1, None))
