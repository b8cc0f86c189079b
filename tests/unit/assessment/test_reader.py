"""Rows of input from JSONL, CSV and plain lines, and what is said of bad ones."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.assessment.fisco_run import read_claims
from guard.assessment.reader import RowFormat, describe, numbered_rows, read_rows
from guard.assessment.results import BadRow, Provenance
from guard.assessment.rows import InputRow, row_of
from guard.errors import AssessmentInputError
from guard.text import json_lines
from guard.text.json_lines import LineProblemError
from tests.repeats import repeats


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def jsonl(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def good(path: Path, format_: RowFormat = RowFormat.AUTO) -> list[InputRow]:
    found = list(read_rows(path, format_))
    assert all(isinstance(row, InputRow) for row in found), found
    return [row for row in found if isinstance(row, InputRow)]


def test_a_row_of_every_field(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "prompt": "p",
        "responses": ["a", "b"],
        "pair": "x",
        "attribute": "gender",
        "group": {"race": "b", "gender": "f"},
        "label": 1,
        "prediction": 0.0,
        "items": ["i", 2],
        "scores": {"toxicity": [0.1, None]},
        "meta": {"anything": 1},
    }
    (found,) = good(written(tmp_path, "a.jsonl", jsonl(row)))
    assert found == InputRow(
        place="a.jsonl:1",
        id="7",
        prompt="p",
        responses=("a", "b"),
        pair="x",
        attribute="gender",
        group="gender=f,race=b",
        label="1",
        prediction="0",
        items=("i", "2"),
        scores={"toxicity": (0.1, None)},
    )


def test_plain_lines_are_prompts_and_blank_ones_are_none(tmp_path: Path) -> None:
    found = good(written(tmp_path, "a.txt", "one\n\n  \ntwo"))
    assert [(row.place, row.prompt) for row in found] == [("a.txt:1", "one"), ("a.txt:4", "two")]


def test_the_first_line_tells_the_format_of_a_file_without_ending(tmp_path: Path) -> None:
    assert good(written(tmp_path, "a", jsonl({"prompt": "p"})))[0].prompt == "p"
    assert good(written(tmp_path, "b", "prompt"))[0].prompt == "prompt"


@settings(max_examples=repeats(20, soak=1000), deadline=None)
@given(
    prompts=st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30), min_size=1
    )
)
def test_csv_gives_back_any_text(
    tmp_path_factory: pytest.TempPathFactory, prompts: list[str]
) -> None:
    stream = io.StringIO()
    csv.writer(stream).writerows([["prompt", "responses"], *([p, '["r"]'] for p in prompts)])
    path = written(tmp_path_factory.getbasetemp(), "a.csv", stream.getvalue())
    found = good(path)
    assert [row.prompt for row in found] == prompts
    assert all(row.responses == ("r",) for row in found)


def test_a_table_of_classes(tmp_path: Path) -> None:
    text = 'group,label,prediction\nf,1,0\n"{""gender"":""m"",""race"":""b""}",0,1\n'
    found = good(written(tmp_path, "a.csv", "\ufeff" + text))
    assert [(row.group, row.label, row.prediction) for row in found] == [
        ("f", "1", "0"),
        ("gender=m,race=b", "0", "1"),
    ]


def test_bad_rows_are_named_and_the_others_used(tmp_path: Path) -> None:
    lines = [b'{"prompt": "p"}', b"{", b'{"prompt": 3}', b'{"prompt": "\xff"}', b'{"promt": "p"}']
    found = list(read_rows(written(tmp_path, "a.jsonl", b"\n".join(lines))))
    bad = [row for row in found if isinstance(row, BadRow)]
    assert len(found) == 5
    assert [row.place for row in bad] == [f"a.jsonl:{n}" for n in (2, 3, 4, 5)]
    told = " ".join(row.problem for row in bad)
    for piece in ("not JSON", '"prompt" to be a string', "not UTF-8", "unknown field 'promt'"):
        assert piece in told


def test_a_table_says_what_is_wrong_with_a_row(tmp_path: Path) -> None:
    text = b'prompt,responses\np,"[""r""]"\np\np,[\n\xff,\n'
    found = list(read_rows(written(tmp_path, "a.csv", text)))
    assert [type(row) for row in found] == [InputRow, BadRow, BadRow, BadRow]
    told = " ".join(row.problem for row in found if isinstance(row, BadRow))
    for piece in ("1 cells in a table of 2", '"responses": not JSON', '"prompt" is not UTF-8'):
        assert piece in told


def test_one_id_has_one_prompt(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "response": "r"},
        {"id": "a", "prompt": "p"},
        {"id": "a", "response": "r"},
        {"id": "a", "prompt": "p"},
        {"id": "a", "prompt": "another"},
        {"id": "b", "prompt": "another"},
        {"pair": "x", "id": "c", "group": "f", "prompt": "she"},
        {"pair": "x", "id": "c", "group": "m", "prompt": "he"},
    ]
    text = "\n".join(map(json.dumps, lines))
    found = list(read_rows(written(tmp_path, "a.jsonl", text)))
    bad = {row.place: row.problem for row in found if isinstance(row, BadRow)}
    assert list(bad) == ["a.jsonl:5"]
    assert "id 'a' has another prompt at a.jsonl:2" in bad["a.jsonl:5"]


def test_a_table_with_other_line_ends_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(AssessmentInputError, match=r"a\.csv:1: no header .* line ends \\n or"):
        list(read_rows(written(tmp_path, "a.csv", "prompt,response\ra,hello\r")))


def test_a_column_that_stands_twice_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(AssessmentInputError, match=r"a\.csv: the column 'prompt' stands twice"):
        list(read_rows(written(tmp_path, "a.csv", ",,prompt, prompt,response\n,,a,b,c\n")))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ('{"a": 1}\n' * 300, "none of its first 100 rows can be used; a.jsonl:1: unknown field"),
    ],
)
def test_an_empty_or_wrong_file_is_one_clear_error(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(AssessmentInputError, match=told):
        list(read_rows(written(tmp_path, "a.jsonl", text)))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssessmentInputError, match=r"cannot read .*no\.csv: No such file"):
        list(read_rows(tmp_path / "no.csv"))


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt"])
@pytest.mark.parametrize(
    "read",
    [
        lambda path: [*read_rows(path)],
        lambda path: [*numbered_rows(path)],
        lambda path: read_claims(path, seed=0, provenance=Provenance()),
    ],
    ids=["rows", "numbered", "fisco"],
)
def test_a_line_that_does_not_end_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], object], name: str
) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_LINE_BYTES", 1024)
    monkeypatch.setattr(json_lines, "MOST_SKIPPED_BYTES", 1024 * 1024)
    path = written(tmp_path, name, jsonl({"prompt": "p"}) + "x" * (2 * 1024 * 1024))
    told = rf"cannot read .*{name}: a line is longer than 1 MiB: this is no text"
    with pytest.raises(AssessmentInputError, match=told):
        read(path)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"group": "f"}, 'expected a "prompt"'),
        ({"prompt": "p", "response": "a", "responses": []}, "not both"),
        ({"prompt": "p", "scores": {"toxicity": 1.5}}, r"number in 0\.\.1, got 1\.5"),
        ({"prompt": "p", "scores": [1]}, '"scores" to be an object, got a list'),
        ({"responses": ["a"], "scores": {"t": [0.1, 0.2]}}, "each response, 1 in all"),
        ({"scores": {"t": [0.1, 0.2], "s": [0.1]}}, "as many numbers"),
        ({"items": "a"}, '"items" to be a list, got a string'),
    ],
)
def test_a_field_that_cannot_be_is_said_in_words(fields: dict[str, object], told: str) -> None:
    with pytest.raises(LineProblemError, match=told):
        row_of(fields, "a:1")


def test_a_file_is_described_by_its_digest(tmp_path: Path) -> None:
    found = describe(written(tmp_path, "a.txt", "abc"), rows=1)
    assert found.sha256.startswith("ba7816bf")
    assert (found.name, found.rows) == ("a.txt", 1)
