"""What the header of a section says about its texts, as targets of the heads."""

from collections.abc import Mapping

from train.heads import STEREOTYPE_CATEGORIES
from train.rows import Target, Targets, targets_of
from train.written.people import Group

SHORT = {"ia": "identity_attack", "severe": "severe_toxicity"}
PARTS = ("severe_toxicity", "obscene", "threat", "insult", "identity_attack")
BENIGN = {"toxicity": "0", **dict.fromkeys(PARTS, "0"), "stereotype": "0"}
TOXIC = {
    "toxicity": "1",
    "severe_toxicity": "?",
    "obscene": "0",
    "threat": "0",
    "insult": "1",
    "identity_attack": "group",
    "stereotype": "?",
    "val": "-0.8",
}
QUIET = {**TOXIC, "insult": "?", "val": ""}
PRESETS: dict[str, dict[str, str]] = {
    "benign": BENIGN,
    "toxic": TOXIC,
    "stereotype": {"stereotype": "1"},
    "sentiment": {**BENIGN},
    "contempt": {**QUIET, "insult": "1"},
    "dehumanising": {**QUIET, "insult": "1"},
    "prejudice": {**QUIET, "severe_toxicity": "0"},
    "exclusion": {**QUIET, "severe_toxicity": "0"},
    "denial": QUIET,
    "violence": {**QUIET, "threat": "1", "identity_attack": "?"},
}


def settings_of(options: Mapping[str, str]) -> dict[str, str]:
    """The preset that the header names, with what else it says."""
    own = {SHORT.get(key, key): value for key, value in options.items()}
    return {**PRESETS[options["labels"]], **own}


def number(value: str, *, protected: bool) -> Target:
    if value in {"?", ""}:
        return None
    if value == "group":
        return float(protected)
    return float(value)


def toxicity_of(settings: Mapping[str, str], groups: tuple[Group, ...]) -> dict[str, Target]:
    protected = any(group.protected for group in groups)
    heads = {
        f"toxicity.{part}": number(settings.get(part, "?"), protected=protected) for part in PARTS
    }
    return {"toxicity": number(settings.get("toxicity", "?"), protected=protected), **heads}


def stereotype_of(settings: Mapping[str, str], groups: tuple[Group, ...]) -> dict[str, Target]:
    known = settings.get("stereotype", "?")
    if known == "?":
        return {}
    category = settings.get("category") or (groups[0].category if groups else None)
    if known == "1" and category is None:
        return {"stereotype": 1.0}
    heads: dict[str, Target] = {
        f"stereotype.{each}": float(known == "1" and each == category)
        for each in STEREOTYPE_CATEGORIES
    }
    return {"stereotype": float(known), **heads}


def sentiment_of(settings: Mapping[str, str]) -> dict[str, Target]:
    value = settings.get("val", "")
    return {"sentiment": (float(value) + 1) / 2} if value else {}


def targets(options: Mapping[str, str], groups: tuple[Group, ...]) -> Targets:
    settings = settings_of(options)
    return targets_of(
        {
            **toxicity_of(settings, groups),
            **stereotype_of(settings, groups),
            **sentiment_of(settings),
        }
    )
