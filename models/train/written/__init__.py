"""Labelled rows written for this project: what the public data leaves out or gets wrong.

`written_rows(seed)` gives rows for the loader; `written(seed)` gives them with their family,
their group and the pair of counterfactual copies that they belong to. `hard_texts(seed,
part)` gives minimal pairs, `ordinary_texts(seed, held_out)` plain replies: both apart from these, a
third of them never trained on.
"""

from train.written.build import LICENCE, Written, written, written_rows
from train.written.disguise import disguise
from train.written.hard import HardText, hard_rows, hard_texts
from train.written.ordinary import OrdinaryText, ordinary_rows, ordinary_texts
from train.written.swaps import Copy, counterfactuals

__all__ = [
    "LICENCE",
    "Copy",
    "HardText",
    "OrdinaryText",
    "Written",
    "counterfactuals",
    "disguise",
    "hard_rows",
    "hard_texts",
    "ordinary_rows",
    "ordinary_texts",
    "written",
    "written_rows",
]
