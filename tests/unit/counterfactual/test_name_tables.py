"""Names in sentences: which name comes, which text is declined.

In what is expected {1:hindu.male.young} stands for any first name of this background, gender and
generation, {1:white} for any surname of this background; the same number is the same name, which
is not in the sentence. `declined REASON` means that there is no rewrite.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from guard.counterfactual import bundled, rewrite

DATA = Path(__file__).parent / "data"
PLACE = re.compile(r"\{(\d):([\w.]+)\}")
Row = list[str]


def rows(name: str) -> list[Row]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


def pattern(expected: str) -> re.Pattern[str]:
    """What matches the expected text; a placeholder matches one name, always the same."""
    pieces, seen = [], set[str]()
    for at, piece in enumerate(re.split(r"(\{\d:[\w.]+\})", expected)):
        if at % 2 == 0:
            pieces.append(re.escape(piece))
            continue
        number = piece[1]
        pieces.append(f"(?P=n{number})" if number in seen else rf"(?P<n{number}>[^\W\d_][\w'-]*)")
        seen.add(number)
    return re.compile("".join(pieces))


def told(name: str, like: str) -> str:
    """What is known of a name, in the words of a placeholder."""
    people = bundled().people
    if "." not in like:
        return people.surnames.background(name)
    record = people.first.record(name)
    return f"{record.background}.{record.gender}.{record.generation}" if record else ""


def fault(row: Row) -> str:
    """What is wrong with the rewrite of a sentence; empty: it is right."""
    sentence, attribute, source, target, expected = row
    made = rewrite(sentence, bundled(), attribute=attribute, to=target, source=source or None)
    got = made.text or f"declined {made.declined}"
    match = pattern(expected).fullmatch(got)
    wanted = dict(PLACE.findall(expected))
    names = {key[1:]: name for key, name in match.groupdict().items()} if match else {}
    if match is None or not fits(sentence, names, wanted):
        return f"{sentence}\n    got  {got} {made.detail}\n    want {expected}"
    return ""


def fits(sentence: str, names: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    """Whether every name is new and what it should be."""
    new = not any(re.search(rf"\b{re.escape(name)}\b", sentence) for name in names.values())
    return new and all(
        told(name, wanted[number]) == wanted[number] for number, name in names.items()
    )


@pytest.mark.parametrize("table", ["gender_names.tsv", "telling_names.tsv", "names_and_words.tsv"])
def test_names_become_what_they_should(table: str) -> None:
    found = rows(table)
    assert len({tuple(row[:4]) for row in found}) == len(found) > 200
    faults = [one for row in found if (one := fault(row))]
    assert not faults, "\n" + "\n".join(faults)
