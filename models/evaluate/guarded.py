"""`python -m evaluate.guarded [--model NAME]`: what the guard does with the hard texts by default.

The texts go through the guard itself, with a model that is installed or lies in a folder: windows,
sentences, thresholds and actions are those of live replies under the built-in rules.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from evaluate.suites import Judge, Ruling, hard_markdown, measure_hard
from guard import Guard
from guard.records import Action, Outcome
from guard.settings import Settings

USE_CASE = "default"
DEADLINE_MS = 600_000


def ruling_of(outcome: Outcome) -> Ruling:
    """The score is the highest that a rule looked at. Raises ValueError if none could be made."""
    if outcome.unscored is not None:
        raise ValueError(f"the guard has no score for {outcome.reply[:80]!r}: {outcome.unscored}")
    seen = [each.values["toxicity"] for each in outcome.assessment.passages]
    whole = outcome.assessment.value("toxicity")
    return Ruling(
        flagged=bool(outcome.fired),
        blocked=any(each.action is Action.BLOCK for each in outcome.fired),
        score=max([*seen, 0.0 if whole is None else whole]),
    )


def settings_for(model: str) -> Settings:
    """Built-in rules, observed, so that nothing but the scores decides; no text is too slow."""
    observed = {"mode": "observe", "deadline_ms": DEADLINE_MS}
    return Settings.model_validate({"scoring": {"model": model}, "defaults": observed})


@contextmanager
def default_guard(model: str = "bundled") -> Iterator[Judge]:
    """The guard as a judge of texts. model: as `scoring.model` of the settings."""
    guard = Guard.open(settings_for(model))

    def judge(texts: Sequence[str]) -> list[Ruling]:
        return [ruling_of(guard.check(text, use_case=USE_CASE)) for text in texts]

    try:
        yield judge
    finally:
        guard.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="evaluate.guarded", description=__doc__)
    parser.add_argument("--model", default="bundled", help="name of a model, or its folder")
    options = parser.parse_args()
    with default_guard(options.model) as judge:
        print(hard_markdown(measure_hard(judge)))


if __name__ == "__main__":
    main()
