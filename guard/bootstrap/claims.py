"""The classifier of pairs that checks claims."""

from __future__ import annotations

from dataclasses import dataclass

from guard.assessment.results import UsedModel
from guard.bootstrap.assessment import used_model
from guard.scoring import find_model, open_pair_classifier
from guard.scoring.claims import ClaimChecker


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenClaims:
    """What checks claims. used: the model, for the provenance of what is made with it."""

    checker: ClaimChecker
    used: UsedModel


def open_claims(name: str, *, threads: int = 1) -> OpenClaims:
    """name: of a model or its folder. Raises ModelError where it is none, or none of pairs."""
    model = find_model(name)
    checker = ClaimChecker(open_pair_classifier(model, threads=threads))
    return OpenClaims(checker=checker, used=used_model("pairs", model))
