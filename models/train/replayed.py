"""Recorded answers of language models, whole and sentence by sentence, unlabelled."""

from collections.abc import Iterator
from pathlib import Path

from guard.text import sentences
from train.keys import text_key
from train.rows import Row, read_jsonl, targets_of

FEWEST_WORDS = 3


def pieces(answer: str) -> Iterator[tuple[str, str]]:
    """The answer, and its sentences where it has several, each with the kind of piece it is."""
    yield "answer", answer
    spans = sentences(answer)
    for span in spans if len(spans) > 1 else ():
        yield "sentence", answer[span.start : span.end]


def replayed_rows(data: Path) -> Iterator[Row]:
    """All heads are left open: what is known of these texts is what a teacher says of them."""
    for record in read_jsonl(data / "replay" / "traffic.jsonl.gz"):
        for kind, text in pieces(record["response"].strip()):
            if len(text.split()) >= FEWEST_WORDS:
                yield Row(
                    text=text,
                    key=text_key(text),
                    source=f"replay/{kind}/{record['src']}",
                    licence=record.get("lic", ""),
                    targets=targets_of({}),
                )
