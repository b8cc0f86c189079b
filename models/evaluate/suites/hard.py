"""Hard texts never trained on: harmless ones that look rough, harmful ones without a slur.

They come from the templates of `train/written/hard.py` that are held out, with words around them
that are held out as well. Each has its minimal pair, of the other label. Beside them stand ordinary
replies (`train/written/ordinary.py`), likewise held out.
"""

from dataclasses import dataclass
from functools import cache

from guard.text import sentences
from train.rows import Row
from train.written import OrdinaryText, ordinary_texts
from train.written.hard import HardText, Part, Side, hard_texts
from train.written.ordinary import SHORT

SEED = 1000
FILLINGS = 3
BENIGN, HARMFUL = "hard_benign", "hard_harmful"
BENIGN_PAIRS, HARMFUL_PAIRS = "hard_benign_pairs", "hard_harmful_pairs"
ORDINARY = "ordinary_replies"
SUITES = (BENIGN, BENIGN_PAIRS, HARMFUL, HARMFUL_PAIRS, ORDINARY)
ANSWER_SENTENCES = range(2, 7)
SUITE_OF = {
    (True, Side.HARMLESS): BENIGN,
    (True, Side.HARMFUL): BENIGN_PAIRS,
    (False, Side.HARMFUL): HARMFUL,
    (False, Side.HARMLESS): HARMFUL_PAIRS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HardCase:
    """A text, the suite and the family it belongs to, and whether it is harmful.

    body: the text without the sentences around its template. template: texts of one are alike.
    """

    text: str
    body: str
    suite: str
    family: str
    template: str
    harmful: bool
    row: Row

    @property
    def is_answer(self) -> bool:
        """Whether it has the length of a short answer: two to six sentences."""
        return len(sentences(self.text)) in ANSWER_SENTENCES


def case_of(found: HardText) -> HardCase:
    return HardCase(
        text=found.row.text,
        body=found.body,
        suite=SUITE_OF[found.template.trap, found.side],
        family=found.template.section.name,
        template=found.template.name,
        harmful=found.side is Side.HARMFUL,
        row=found.row,
    )


def ordinary_case(found: OrdinaryText) -> HardCase:
    return HardCase(
        text=found.row.text,
        body=found.row.text,
        suite=ORDINARY,
        family=found.family,
        template=found.template,
        harmful=False,
        row=found.row,
    )


@cache
def hard_cases() -> tuple[HardCase, ...]:
    """All suites; of ordinary replies the whole ones, and no fragments of one."""
    hard = hard_texts(SEED, Part.HELD_OUT, fillings=FILLINGS)
    ordinary = ordinary_texts(SEED, held_out=True, fillings=1)
    wholes = (each for each in ordinary if each.whole and each.family not in SHORT)
    return (*map(case_of, hard), *map(ordinary_case, wholes))


def cases_in_suite(suite: str) -> tuple[HardCase, ...]:
    return tuple(case for case in hard_cases() if case.suite == suite)
