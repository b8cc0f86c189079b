"""Cases and what people decided on them, line by line, for other programs.

`jsonl`: a case per line, everything there is. `csv`: a table for people; no cell is taken for a
formula by a spreadsheet. `argilla`: records as `argilla.Record.from_dict` reads them. `langfuse`:
a score per vote and decision, as `POST /api/public/scores` takes it. `langfuse-queue`: what is
undecided, as `POST /api/public/annotation-queues/{queueId}/items` takes it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, TypeAlias

from guard.ports import Cases
from guard.records import (
    Audit,
    CaseFilter,
    CaseKind,
    CaseRecord,
    CaseState,
    PairBody,
    ResponseBody,
    body_fields,
    decode_pair,
    decode_response,
)
from guard.records.case_codec import BODY_VERSION

Json: TypeAlias = Mapping[str, object]
PAGE: Final = 100
COLUMNS: Final = (
    *("id", "kind", "use_case", "call_id", "attribute", "groups", "reasons", "opened_at", "state"),
    *("verdict", "closed_at", "decided_by", "note", "votes", "vote_reasons", "vote_notes"),
    *("prompt", "first_reply", "second_reply"),
)
ARGILLA_METADATA: Final = (
    *("kind", "use_case", "call_id", "attribute", "groups", "reasons", "state", "verdict"),
)
_FORMULA: Final = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
_CONTROL: Final = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class ExportFormat(StrEnum):
    """What the lines are."""

    JSONL = "jsonl"
    CSV = "csv"
    ARGILLA = "argilla"
    LANGFUSE = "langfuse"
    LANGFUSE_QUEUE = "langfuse-queue"


def export_note(form: str, *, texts: bool) -> str:
    """What the audit says of an export. form: a format, or `audit`, which has no texts."""
    return form if texts or form not in set(ExportFormat) else f"{form} without texts"


def export_cases(
    cases: Cases, where: CaseFilter, form: ExportFormat, *, texts: bool = True
) -> Iterator[str]:
    """Lines, each with its end, made while they are read. texts: False leaves out all texts of
    calls. Raises StoreError."""
    lines = _LINES[form]
    found = matching_cases(cases, where)
    return lines(found if texts else map(_without_texts, found))


def export_audit(cases: Cases) -> Iterator[str]:
    """The whole audit, an entry per line."""
    after = 0
    while entries := cases.audit(after=after, limit=1000):
        yield from (_line(_audit(entry)) for entry in entries)
        after = entries[-1].number


def matching_cases(cases: Cases, where: CaseFilter) -> Iterator[CaseRecord]:
    """Fitting cases, oldest first, read as they are asked for."""
    after = ""
    while found := cases.query(where, after=after, limit=PAGE):
        yield from found
        after = found[-1].case.id


def csv_cell(value: object) -> str:
    """A value as a cell that no spreadsheet takes for a formula: an apostrophe goes before one.

    Characters that a terminal obeys are written out as [U+XXXX].
    """
    shown = str(value).encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    shown = _CONTROL.sub(lambda found: f"[U+{ord(found[0]):04X}]", shown)
    return f"'{shown}" if shown.lstrip(" ")[:1] in _FORMULA else shown


def _jsonl(found: Iterable[CaseRecord]) -> Iterator[str]:
    return (_line(_whole(record)) for record in found)


def _whole(record: CaseRecord) -> Json:
    return asdict(record.case) | {
        "opened_at": _time(record.case.opened_at),
        "state": record.state,
        "verdict": record.verdict,
        "closed_at": _time(record.closed_at),
        "decided_by": record.decided_by,
        "note": record.note,
        "votes": [asdict(vote) | {"at_seconds": _time(vote.at_seconds)} for vote in record.votes],
        "body": body_fields(record.case.body),
    }


def _csv(found: Iterable[CaseRecord]) -> Iterator[str]:
    yield _row(COLUMNS)
    for record in found:
        yield _row(map(csv_cell, _cells(record)))


def _cells(record: CaseRecord) -> tuple[object, ...]:
    """In the order of `COLUMNS`."""
    case, votes = record.case, record.votes
    return (
        *(case.id, case.kind, case.use_case, case.call_id, case.attribute),
        *(" | ".join(case.groups), " | ".join(case.reasons), _time(case.opened_at), record.state),
        *(record.verdict, _time(record.closed_at) or "", record.decided_by, record.note),
        " | ".join(f"{vote.reviewer}: {vote.verdict}" for vote in votes),
        " | ".join(f"{vote.reviewer}: {vote.reason}" for vote in votes if vote.reason),
        " | ".join(f"{vote.reviewer}: {vote.note}" for vote in votes if vote.note),
        *_texts(record),
    )


def _row(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def _argilla(found: Iterable[CaseRecord]) -> Iterator[str]:
    for record in found:
        if record.state is CaseState.EXAMPLE:  # nobody is to decide it
            continue
        fields = _whole(record)
        metadata = {name: fields[name] for name in ARGILLA_METADATA if fields[name]}
        texts = zip(("prompt", "first_reply", "second_reply"), _texts(record), strict=True)
        yield _line(
            {
                "id": record.case.id,
                "fields": dict(texts),
                "metadata": metadata,
                "responses": _argilla_responses(record),
            }
        )


def _argilla_responses(record: CaseRecord) -> dict[str, list[Json]]:
    """By question, what each person answered."""
    answers = {
        "verdict": [(vote.verdict, vote.reviewer) for vote in record.votes],
        "note": [(vote.note, vote.reviewer) for vote in record.votes if vote.note],
    }
    return {
        question: [{"value": value, "user_id": user} for value, user in given]
        for question, given in answers.items()
        if given
    }


def _langfuse(found: Iterable[CaseRecord]) -> Iterator[str]:
    for record in found:
        for vote in record.votes:
            yield _score(record, f"vote-{vote.reviewer}", vote.verdict, vote.note)
        if record.state is CaseState.CLOSED:
            yield _score(record, "verdict", record.verdict, record.note)


def _score(record: CaseRecord, what: str, verdict: str, note: str) -> str:
    """Its id says what it is, so that sending it twice makes one score."""
    case = record.case
    return _line(
        {
            "id": f"evenguard-{case.id}-{what}",
            "traceId": case.call_id,
            "name": f"evenguard.{case.kind}",
            "value": verdict,
            "dataType": "CATEGORICAL",
            "comment": note,
            "metadata": {
                "case": case.id,
                "what": what,
                "use_case": case.use_case,
                "attribute": case.attribute,
                "reasons": list(case.reasons),
            },
        }
    )


def _langfuse_queue(found: Iterable[CaseRecord]) -> Iterator[str]:
    for record in found:
        if record.state.waits:
            item = {"objectId": record.case.call_id, "objectType": "TRACE", "status": "PENDING"}
            yield _line(item)


_LINES: Final[Mapping[ExportFormat, Callable[[Iterable[CaseRecord]], Iterator[str]]]] = {
    ExportFormat.JSONL: _jsonl,
    ExportFormat.CSV: _csv,
    ExportFormat.ARGILLA: _argilla,
    ExportFormat.LANGFUSE: _langfuse,
    ExportFormat.LANGFUSE_QUEUE: _langfuse_queue,
}


def _texts(record: CaseRecord) -> tuple[str, str, str]:
    """Prompt, first reply and second reply; of a response the prompt and the reply."""
    if record.case.kind is CaseKind.RESPONSE:
        response = decode_response(record.case.body) or ResponseBody()
        return response.prompt, response.reply, ""
    body = decode_pair(record.case.body) or PairBody()
    turns = body.side(body.source).turns
    first, second = body.shown_reply("first"), body.shown_reply("second")
    prompt = "\n\n".join(f"{one.role}: {one.content}" for one in turns)
    return prompt, first.text if first else "", second.text if second else ""


def _without_texts(record: CaseRecord) -> CaseRecord:
    """With nothing but figures in its body, and without what reviewers wrote."""
    pair = decode_pair(record.case.body) or PairBody()
    response = decode_response(record.case.body) or ResponseBody()
    figures = {
        "version": BODY_VERSION,
        "scores": response.scores,
        "gaps": pair.gaps,
        "grounded_gaps": pair.grounded_gaps,
        "similarity_deficit": pair.similarity_deficit,
        "claims_deficit": pair.claims_deficit,
        "corrected_p_value": pair.corrected_p_value,
    }
    return replace(
        record,
        case=replace(record.case, body=json.dumps(figures)),
        votes=tuple(replace(vote, note="", reason="") for vote in record.votes),
        note="",
    )


def _audit(entry: Audit) -> Json:
    return asdict(entry) | {"at_seconds": _time(entry.at_seconds)}


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True) + "\n"
