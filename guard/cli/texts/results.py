"""One scored text as one line of JSON. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from guard.cli.texts.pipeline import Scored
from guard.records import Assessment, Head
from guard.scoring.highlights import Highlight, heads_over_threshold, highlight

DIGITS: Final = 5


def line(scored: Scored, heads: Mapping[str, Head]) -> str:
    """The line, in ASCII, so that any text survives in it, lone surrogates included."""
    return json.dumps(record(scored, heads), allow_nan=False)


def record(scored: Scored, heads: Mapping[str, Head]) -> dict[str, object]:
    """The fields of the line.

    A key of `scores` without a value is null. `worst` counts characters of `text`. `unscored`
    says why all or a part of the text has no score.
    """
    assessment = scored.assessment
    return {
        "id": scored.text.id,
        "text": scored.text.text,
        "scores": _scores(assessment),
        "over": heads_over_threshold(assessment, heads),
        "worst": _span_fields(highlight(assessment, heads)),
        "unscored": assessment.reason and assessment.reason.value,
    }


def _scores(assessment: Assessment) -> dict[str, float | None]:
    return {
        key: None if score.value is None else round(score.value, DIGITS)
        for key, score in assessment.scores.items()
    }


def _span_fields(found: Highlight | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "head": found.head,
        "score": round(found.value, DIGITS),
        "start": found.span.start,
        "end": found.span.end,
    }
