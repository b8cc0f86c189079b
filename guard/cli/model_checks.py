"""Whether a model is whole, loads and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from guard.errors import ModelError
from guard.records import Assessment
from guard.scoring import Catalogue, Model, ModelTask, open_engine
from guard.scoring.models import open_parts, packed

FIXED_LINE: Final = "Thank you for your message, we are happy to help you with the order."
SHOWN: Final = ("toxicity", "stereotype", "sentiment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What was found. answer: what the model made of a fixed line; None when it is not fine."""

    name: str
    answer: str | None = None
    problem: str | None = None

    @property
    def fine(self) -> bool:
        """Whether the model can be used."""
        return self.problem is None

    def as_json(self) -> dict[str, object]:
        """For machines."""
        return {
            "name": self.name,
            "fine": self.fine,
            "answer": self.answer,
            "problem": self.problem,
        }


def checked(catalogue: Catalogue, name: str) -> Check:
    """Verify the files of the model called `name`, load it and let it answer."""
    try:
        model = catalogue.find(name)
        answer = (
            _scores(model) if model.manifest.task is ModelTask.CLASSIFICATION else _vector(model)
        )
    except ModelError as error:
        return Check(name=name, problem=str(error))
    return Check(name=name, answer=answer)


def _scores(model: Model) -> str:
    with open_engine(model) as engine:
        assessment = engine.submit(FIXED_LINE).result()
    if assessment.reason is not None:
        raise ModelError(f"{model.folder}: gives no scores ({assessment.reason.value})")
    shown = [key for key in SHOWN if key in assessment.scores] or list(assessment.scores)
    return ", ".join(f"{key} {_value(assessment, key)}" for key in shown)


def _value(assessment: Assessment, key: str) -> str:
    value = assessment.value(key)
    return "none" if value is None else f"{value:.3f}"


def _vector(model: Model) -> str:
    vocabulary, session = open_parts(model, threads=1)
    try:
        output = session(*packed(list(vocabulary.windows(FIXED_LINE)), vocabulary))
    except Exception as error:
        raise ModelError(f"{model.folder}: does not run ({error}); import it again") from error
    if output.shape != (1, model.manifest.dimension):
        raise ModelError(f"{model.folder}: gives {output.shape}, not its manifest's dimension")
    return f"{model.manifest.dimension} numbers"
