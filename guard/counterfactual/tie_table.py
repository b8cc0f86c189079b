"""The shipped words that tie a text to a group, and the marks of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from guard.counterfactual.lexicons.name_forms import told_by_names
from guard.counterfactual.tables import rows_of
from guard.counterfactual.tokens import words_of

_KNOWN: Final = "+"
_NAMES: Final = "!"
_BOTH: Final = "="
_ONLY_INTO: Final = "-"
_TOWNS: Final = "^"
_MARKS: Final = _KNOWN + _NAMES + _BOTH + _ONLY_INTO + _TOWNS
_ANY: Final = "*"

Bond = tuple[str, str]  # attribute, group
Ties = Mapping[str, Sequence["Tie"]]  # by their first word


@dataclass(frozen=True, slots=True)
class Tie:
    """A word or term that fits one group only, or every group but one.

    known: it is somebody whom everybody knows, and who would be another person in any other group.
    names: it names the group itself ("gf", "Boy Scout"), so that it fits no neutral person either.
    cased: it is one with a capital alone; capitals: in capitals alone: "ICE" and "SAT" are words
    as well.
    """

    words: tuple[str, ...]
    known: bool = False
    names: bool = False
    cased: bool = False
    capitals: bool = False


@dataclass(frozen=True, slots=True)
class TieTable:
    """Words beside which nobody leaves a group, and those beside which nobody joins one."""

    leaving: Mapping[Bond, Ties]
    joining: Mapping[Bond, Ties]

    def between(self, attribute: str, source: str, target: str) -> list[tuple[str, Ties]]:
        """Each group that binds somebody who changes between these two, with its words.

        What words tell of a race or a religion ties who is known by a name as well.
        """
        told = told_by_names(attribute) or attribute
        bound = (
            (source, self.leaving.get((told, source))),
            (source, self.leaving.get((told, _ANY))),
            (target, self.joining.get((told, target))),
        )
        return [(group, ties) for group, ties in bound if ties]


@lru_cache(maxsize=1)
def bundled_ties() -> TieTable:
    """The shipped ties. Reads two files, once.

    A mark behind the groups of a row ("|" between them, "*" for any) says of its words: "+" people
    whom everybody knows, "!" they name the group, "=" nobody joins it beside them either, "-"
    nobody joins it beside them, but whoever is of it may leave, "^" towns: as "=", where they are
    written as names.
    """
    leaving: dict[Bond, dict[str, list[Tie]]] = {}
    joining: dict[Bond, dict[str, list[Tie]]] = {}
    for attribute, groups, terms in (*rows_of("ties.tsv"), *_towns()):
        mark = groups[-1] if groups[-1] in _MARKS else ""
        ties = [_tie(term, mark) for term in terms.split(",")]
        for group in groups.rstrip(_MARKS).split("|"):
            if mark != _ONLY_INTO:
                _add(leaving.setdefault((attribute, group), {}), ties)
            if mark in (_BOTH, _ONLY_INTO, _TOWNS):
                _add(joining.setdefault((attribute, group), {}), ties)
    return TieTable(leaving, joining)


def _towns() -> Iterator[Sequence[str]]:
    return (("nationality", f"{group}{_TOWNS}", names) for group, names in rows_of("towns.tsv"))


def _tie(term: str, mark: str) -> Tie:
    words = tuple(words_of(term).lower)
    return Tie(
        words,
        known=mark == _KNOWN,
        names=mark == _NAMES,
        cased=mark in (_KNOWN, _TOWNS),
        capitals=term.isupper(),
    )


def _add(table: dict[str, list[Tie]], ties: Sequence[Tie]) -> None:
    for tie in ties:
        table.setdefault(tie.words[0], []).append(tie)
