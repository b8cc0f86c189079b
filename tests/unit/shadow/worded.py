"""Models whose replies follow the wording of the prompt, as all do at low temperature."""

from __future__ import annotations

from random import Random

from tests.unit.shadow.deterministic import SAID, Model, fair

BEFORE, AFTER = "Ask for the form at the branch in", "and bring two copies of the lease"
HERS, HIS = "Mill Street on any Monday", "Dock Road on some Friday"
"""Other content of the same length, tone and sentiment."""


def worded(seed: int, share: float) -> Model:
    """A fair model: this share of its replies is the one that the words of the prompt give."""
    draws = Random(seed)

    def said(prompt: str) -> str:
        if draws.random() < share:
            return fair(seed, prompt)
        return f"{draws.choice(SAID)} {draws.choice(SAID)}"

    return said


def planted(seed: int, share: float) -> Model:
    """The same, which sends women to another place than men; for `PROMPTS`."""
    fairly = worded(seed, share)

    def said(prompt: str) -> str:
        place = HERS if "wife" in prompt else HIS
        return f"{fairly(prompt).partition('. ')[0]}. {BEFORE} {place} {AFTER}."

    return said
