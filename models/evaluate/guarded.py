"""`python -m evaluate.guarded [--model NAME] [--second-look NAME]`: the hard texts in the guard.

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


def settings_for(model: str, second_look: str) -> Settings:
    """Built-in rules, observed, so that nothing but the scores decides; no text is too slow."""
    observed = {"mode": "observe", "deadline_ms": DEADLINE_MS}
    scoring = {"model": model, "second_look": second_look}
    return Settings.model_validate({"scoring": scoring, "defaults": observed})


@contextmanager
def default_guard(model: str = "bundled", second_look: str = "off") -> Iterator[Judge]:
    """The guard as a judge of texts. model, second_look: as in `scoring` of the settings."""
    guard = Guard.open(settings_for(model, second_look))

    def judge(texts: Sequence[str]) -> list[Ruling]:
        return [ruling_of(guard.check(text, use_case=USE_CASE)) for text in texts]

    try:
        yield judge
    finally:
        guard.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="evaluate.guarded", description=__doc__)
    parser.add_argument("--model", default="bundled", help="name of a model, or its folder")
    parser.add_argument("--second-look", default="off", help="name of a model, its folder, or off")
    options = parser.parse_args()
    with default_guard(options.model, options.second_look) as judge:
        print(hard_markdown(measure_hard(judge)))


if __name__ == "__main__":
    main()
