"""Labelled rows written for this project: what the public data leaves out or gets wrong.

`written_rows(seed)` gives rows for the loader; `written(seed)` gives them with their family,
their group and the pair of counterfactual copies that they belong to.
"""

from train.written.build import LICENCE, Written, written, written_rows
from train.written.disguise import disguise
from train.written.swaps import Copy, counterfactuals

__all__ = [
    "LICENCE",
    "Copy",
    "Written",
    "counterfactuals",
    "disguise",
    "written",
    "written_rows",
]
