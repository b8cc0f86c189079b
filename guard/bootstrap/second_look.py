"""The scorer that looks again where the first one's scores would lead to anything but release."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Final

from guard.bootstrap.scorers import models_of
from guard.errors import ModelError, SettingsError
from guard.flow.bounded_scorer import BoundedScorer
from guard.ports import Scorer
from guard.records import Head
from guard.scoring import Engine, EngineOptions, Model, find_model, large_classifier, open_engine
from guard.settings import ModelSettings

OFF: Final = "off"

_BATCH_TOKENS = 128  # in small steps, so that the first scorer finds a free core
_MOST_OPEN_TOKENS = 65_536
_CACHE_BYTES = 4 * 1024 * 1024


def open_second_look(settings: ModelSettings) -> Engine | None:
    """The engine of `scoring.second_look`, with threads of its own; None for none.

    Raises SettingsError and ModelError.
    """
    if (model := second_model(settings)) is None:
        return None
    options = EngineOptions(
        workers=settings.second_look_threads,
        batch_tokens=_BATCH_TOKENS,
        max_open_tokens=_MOST_OPEN_TOKENS,
        cache_bytes=_CACHE_BYTES,
        only_scores=True,
    )
    return open_engine(model, options)


def second_model(settings: ModelSettings) -> Model | None:
    """The model that takes second looks, by its manifest alone; None for none.

    Raises SettingsError and ModelError.
    """
    first, name = find_model(settings.model), settings.second_look
    if name is None:
        large = large_classifier()
        return None if large is None or large.folder == first.folder else large
    if name == OFF:
        return None
    try:
        second = find_model(name)
    except ModelError as error:
        raise SettingsError(f"scoring.second_look: {error}; `off` is for none") from error
    if second.folder == first.folder:
        raise SettingsError(
            f"scoring.second_look: {name!r} is the model that scores first (scoring.model); name"
            " another one, or `off`"
        )
    return second


def models_digest(settings: ModelSettings) -> str:
    """A digest of all that the manifests of the models say by which replies are judged.

    Two processes with the same digest judge alike. Raises SettingsError and ModelError.
    """
    models = [model for model, _ in models_of(settings)]
    second = second_model(settings)
    said = repr([model.manifest for model in (*models, *([second] if second else []))])
    return blake2b(said.encode(), digest_size=16).hexdigest()


def second_version(settings: ModelSettings, used: Scorer | None) -> dict[str, str]:
    """What made the scores of second looks, for whoever reads them later."""
    if used is None:
        return {}
    scorer = used.scorer if isinstance(used, BoundedScorer) else used
    model = second_model(settings) if isinstance(scorer, Engine) else None
    name = f"{model.manifest.name} {model.manifest.version}" if model else type(scorer).__name__
    return {"second_look": name}


def check_heads(first: Mapping[str, Head], second: Mapping[str, Head]) -> None:
    """Raises SettingsError where the second scorer makes none of the scores that rules can name."""
    harms = sorted(key for key, head in first.items() if head.harm)
    if not any(key in second and second[key].harm for key in harms):
        raise SettingsError(
            f"scoring.second_look: it makes none of the scores {', '.join(harms)}, so there is"
            f" nothing it could decide (it makes {', '.join(sorted(second)) or 'none'})"
        )
