"""What leaves the desk for other programs."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.ports import Store
from guard.records import CaseFilter
from guard.review.export import COLUMNS, PAGE, ExportFormat, csv_cell, export_audit, export_cases
from guard.review.service import ReviewService
from tests.unit.review.made import decided, pair, response

ANY = CaseFilter()


@pytest.fixture
def two(desk: ReviewService, store: Store) -> None:
    store.open(pair(reviewers=2))
    store.open(response())
    desk.open("p1", "ann")
    desk.decide("p1", "ann", "biased", reason="tone", note='=HYPERLINK("http://x")')
    decided(desk, "r1", ("bob", "acceptable"))


def lines(store: Store, form: ExportFormat, *, texts: bool = True) -> list[str]:
    return list(export_cases(store, ANY, form, texts=texts))


def test_jsonl_has_everything(store: Store, two: None) -> None:
    first, second = (json.loads(line) for line in lines(store, ExportFormat.JSONL))
    assert (first["id"], first["state"], first["groups"]) == ("p1", "open", ["female", "male"])
    assert first["votes"][0]["verdict"] == "biased"
    assert first["body"]["replies"]["first"][0]["text"] == "She is awful."
    assert (second["verdict"], second["opened_at"]) == ("acceptable", "2001-09-09T01:45:50+00:00")


def test_without_texts_only_figures_are_left(store: Store, two: None) -> None:
    for form in ExportFormat:
        everything = "".join(lines(store, form, texts=False))
        for text in ("awful", "idiot", "HYPERLINK", "late", "tone"):
            assert text not in everything
    first = json.loads(lines(store, ExportFormat.JSONL, texts=False)[0])
    assert first["body"]["grounded_gaps"] == {"sentiment_gap": -0.45, "toxicity_gap": 0.7}


def test_the_table_has_a_row_per_case(store: Store, two: None) -> None:
    rows = list(csv.DictReader(io.StringIO("".join(lines(store, ExportFormat.CSV)))))
    assert [row["id"] for row in rows] == ["p1", "r1"]
    assert rows[0]["votes"] == "ann: biased"
    assert rows[0]["prompt"] == "system: Be kind.\n\nuser: She is late."
    assert (rows[0]["first_reply"], rows[0]["second_reply"]) == ("She is awful.", "He is great.")
    assert (rows[1]["first_reply"], rows[1]["closed_at"][:10]) == (
        "Fine. You idiot. Bye.",
        "2001-09-09",
    )


def test_no_cell_of_the_table_starts_a_formula(store: Store) -> None:
    for number, start in enumerate("=+-@\t\r\n＝"):
        body = {"version": 1, "prompt": f"{start}1+1", "reply": f" {start}cmd|' /C calc'!A0"}
        hostile = {"use_case": f"{start}x", "reasons": (f"{start}y",), "attribute": f"{start}z"}
        store.open(response(f"{start}{number}", body=json.dumps(body), **hostile))
    rows = list(csv.reader(io.StringIO("".join(lines(store, ExportFormat.CSV)), newline="")))
    cells = [one for row in rows for one in row]
    assert len(cells) == 9 * len(COLUMNS)
    assert [one for one in cells if one.lstrip(" ")[:1] in frozenset("=+-@\t\r\n＝")] == []


@given(text=st.text(st.characters(codec="utf-8"), max_size=30) | st.text(max_size=5))
def test_a_cell_never_starts_a_formula_and_keeps_its_text(text: str) -> None:
    made = csv_cell(text)
    assert made.lstrip(" ")[:1] not in {
        "=",
        "+",
        "-",
        "@",
        "\t",
        "\r",
        "\n",
        "＝",
        "＋",
        "－",
        "＠",
    }
    plain = text.replace("\0", "\ufffd")
    shown = "".join(f"[U+{ord(sign):04X}]" if is_obeyed(sign) else sign for sign in plain)
    assert made == (f"'{shown}" if made != shown else shown)
    made.encode()


def is_obeyed(sign: str) -> bool:
    """Whether a terminal does something on it but go on to the next column or line."""
    return unicodedata.category(sign) == "Cc" and sign not in "\t\r\n"


def test_a_terminal_obeys_nothing_in_a_cell() -> None:
    assert csv_cell("\x1b[2Jhi\x07\n\x9b1m") == "[U+001B][2Jhi[U+0007]\n[U+009B]1m"


def test_argilla_reads_fields_metadata_and_responses(store: Store, two: None) -> None:
    first, second = (json.loads(line) for line in lines(store, ExportFormat.ARGILLA))
    assert first["fields"]["first_reply"] == "She is awful."
    assert first["responses"]["verdict"] == [{"value": "biased", "user_id": "ann"}]
    assert first["responses"]["note"][0]["user_id"] == "ann"
    assert second["metadata"]["verdict"] == "acceptable"
    assert set(first) == {"id", "fields", "metadata", "responses"}


def test_what_nobody_is_to_decide_is_no_record_for_people(store: Store, two: None) -> None:
    store.open(replace(response(), id="e1", reviewers=0))
    ids = [json.loads(line)["id"] for line in lines(store, ExportFormat.ARGILLA)]
    assert ids == ["p1", "r1"]
    assert '"e1"' in "".join(lines(store, ExportFormat.JSONL))


def test_langfuse_gets_a_score_per_vote_and_decision(store: Store, two: None) -> None:
    scores = [json.loads(line) for line in lines(store, ExportFormat.LANGFUSE)]
    assert [(one["traceId"], one["name"], one["value"]) for one in scores] == [
        ("call-of-p1", "evenguard.pair", "biased"),
        ("call-of-r1", "evenguard.response", "acceptable"),
        ("call-of-r1", "evenguard.response", "acceptable"),
    ]
    assert len({one["id"] for one in scores}) == 3
    assert {one["dataType"] for one in scores} == {"CATEGORICAL"}


def test_langfuse_queues_what_is_undecided(store: Store, two: None) -> None:
    [item] = [json.loads(line) for line in lines(store, ExportFormat.LANGFUSE_QUEUE)]
    assert item == {"objectId": "call-of-p1", "objectType": "TRACE", "status": "PENDING"}


def test_everything_is_read_as_it_is_written(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2 * PAGE + 1):
        store.open(pair(f"p{number:03}"))
    asked = []
    query = type(store).query
    monkeypatch.setattr(
        type(store), "query", lambda *args, **given: asked.append(1) or query(*args, **given)
    )
    made = export_cases(store, ANY, ExportFormat.JSONL)
    next(made)
    assert len(asked) == 1
    assert sum(1 for _ in made) == 2 * PAGE


def test_the_audit_is_whole(store: Store, two: None) -> None:
    events = [json.loads(line)["event"] for line in export_audit(store)]
    assert events == ["opened", "opened", "held", "voted", "held", "voted", "closed"]
