"""Responses of another file come to the prompts they belong to, whatever rows are bad or blank."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guard.assessment.joining import join_responses
from guard.assessment.results import BadRow
from guard.assessment.rows import InputRow
from guard.errors import AssessmentInputError

Joined = dict[str, tuple[str, ...]]


def joined(folder: Path, prompts: str, responses: str, ending: str = "jsonl") -> Joined:
    """By prompt, its responses; under each bad row's place its problem."""
    files = folder / f"p.{ending}", folder / f"r.{ending}"
    for file, text in zip(files, (prompts, responses), strict=True):
        file.write_text(text, "utf-8")
    found: Joined = {}
    for row in join_responses(*files):
        if isinstance(row, InputRow):
            found[row.prompt] = row.responses
        else:
            assert isinstance(row, BadRow)
            found[row.place] = (row.problem,)
    return found


def lines(*rows: object) -> str:
    return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)


P, Q, S = ({"id": number, "prompt": name} for number, name in enumerate("pqs", start=1))
A, B, C = ({"response": text} for text in "abc")
LEFT = "no row of prompts with id '9' is left; both files must have the same order"


@pytest.mark.parametrize(
    ("prompts", "responses", "expected"),
    [
        ([P, Q, S], [A, B, C], {"p": ("a",), "q": ("b",), "s": ("c",)}),
        ([P, {"prompt": 3}, S], [A, B, C], {"p": ("a",), "s": ("c",)}),
        ([P, "", S], [A, "", C], {"p": ("a",), "s": ("c",)}),
        ([P, Q, S], [A, {"response": 3}, C], {"p": ("a",), "q": (), "s": ("c",)}),
        ([P, Q, S], [A, "", C], {"p": ("a",), "q": (), "s": ("c",)}),
        ([P, Q, S], [A, B, ""], {"p": ("a",), "q": ("b",), "s": ()}),
        ([P, "", S], [A, B, C], {"r.jsonl:2": ("there is no prompt in this row",), "s": ("c",)}),
    ],
)
def test_row_n_belongs_to_row_n(
    tmp_path: Path, prompts: list[object], responses: list[object], expected: Joined
) -> None:
    found = joined(tmp_path, lines(*prompts), lines(*responses))
    assert {name: found[name] for name in expected} == expected
    assert all(len(texts) < 2 for texts in found.values())


@pytest.mark.parametrize(
    ("prompts", "responses", "expected"),
    [
        ([P, Q, S], [(1, "a"), (1, "b"), (3, "c")], {"p": ("a", "b"), "q": (), "s": ("c",)}),
        ([P, {"id": 2, "prompt": 3}, S], [(1, "a"), (2, "b"), (3, "c")], {"s": ("c",)}),
        ([P, Q, S], [(1, "a"), (9, "b"), (2, "c")], {"q": ("c",), "r.jsonl:2": (LEFT,)}),
        ([P, Q, S], [(3, "c"), (9, "b")], {"p": (), "s": ("c",), "r.jsonl:2": (LEFT,)}),
    ],
)
def test_a_name_tells_where_responses_belong(
    tmp_path: Path,
    prompts: list[object],
    responses: list[tuple[int, str]],
    expected: Joined,
) -> None:
    rows = [{"id": number, "response": text} for number, text in responses]
    found = joined(tmp_path, lines(*prompts), lines(*rows))
    assert {name: found[name] for name in expected} == expected


def test_responses_may_name_their_prompt_itself(tmp_path: Path) -> None:
    rows = [("p", "a"), ("p", "b"), ("s", "c")]
    named = [{"prompt": prompt, "response": text} for prompt, text in rows]
    found = joined(tmp_path, lines(P, Q, S), lines(*named))
    assert found == {"p": ("a", "b"), "q": (), "s": ("c",)}


@pytest.mark.parametrize("first", [{"id": 1, "response": "a"}, A])
def test_either_all_responses_name_their_prompt_or_none(
    tmp_path: Path, first: dict[str, object]
) -> None:
    second = B if "id" in first else {"id": 2, "response": "b"}
    found = joined(tmp_path, lines(P, Q), lines(first, second))
    assert found["q"] == ()
    assert "first row does" in found["r.jsonl:2"][0]


@pytest.mark.parametrize("responses", ["a\n", "a\nb\nc\n"])
def test_files_of_different_lengths_are_one_clear_error(tmp_path: Path, responses: str) -> None:
    told = rf"p\.txt has 2 rows and .*r\.txt has {responses.count(chr(10))}: row n of one belongs"
    with pytest.raises(AssessmentInputError, match=told):
        joined(tmp_path, "p\nq\n", responses, "txt")


def test_tables_are_joined_by_row_and_not_by_line(tmp_path: Path) -> None:
    prompts, responses = 'prompt\n"p\nq"\ns\n', "response\na\nb\n"
    found = joined(tmp_path, prompts, responses, "csv")
    assert found == {"p\nq": ("a",), "s": ("b",)}
