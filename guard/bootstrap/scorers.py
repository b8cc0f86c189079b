"""The classifiers that score first: one, or several that each make some of the scores."""

from __future__ import annotations

from collections.abc import Mapping

from guard.bootstrap.use_cases import shadowed
from guard.errors import ModelError, SettingsError
from guard.records import Head
from guard.scoring import (
    CombinedEngine,
    EngineOptions,
    EnginePart,
    Model,
    ModelKind,
    ScoringEngine,
    find_model,
    open_engine,
    shipped_pair_classifier,
)
from guard.settings import ModelSettings, Settings


def open_models(settings: ModelSettings, options: EngineOptions) -> ScoringEngine:
    """The engine of `scoring.model` and `scoring.heads`. Raises SettingsError, ModelError."""
    shares = models_of(settings)
    if not settings.heads:
        return open_engine(shares[0][0], options)
    parts: list[EnginePart] = []
    try:
        for model, keys in shares:
            parts.append(EnginePart(engine=open_engine(model, options), keys=keys))
    except BaseException:
        CombinedEngine(parts).close()
        raise
    return CombinedEngine(parts)


def models_of(settings: ModelSettings) -> list[tuple[Model, frozenset[str]]]:
    """The models that score, each with the scores it makes; by their manifests alone.

    Models that are left with nothing to make are not among them. Raises SettingsError, ModelError.
    """
    if not settings.heads:
        only = find_model(settings.model)
        return [(only, frozenset(heads_of(only)))]
    named = {family: _model_of(f"heads.{family}", name) for family, name in settings.heads.items()}
    first = find_model(settings.model)
    shares = {
        model.folder: (model, _keys(model, first=first, named=named))
        for model in (first, *named.values())
    }
    for family, model in named.items():
        if family not in {key.partition(".")[0] for key in shares[model.folder][1]}:
            raise SettingsError(
                f"scoring.heads.{family}: {settings.heads[family]} makes no such score; it makes"
                f" {', '.join(head.key for head in model.manifest.heads)}"
            )
    return [(model, keys) for model, keys in shares.values() if keys]


def embedder_of(settings: ModelSettings) -> Model:
    """The model of `scoring.embedder`, by its manifest alone. Raises SettingsError."""
    model = _model_of("embedder", settings.embedder)
    if model.manifest.task is not ModelKind.EMBEDDING:
        raise SettingsError(f"scoring.embedder: {settings.embedder} makes no embeddings")
    return model


def embedder_version(settings: ModelSettings) -> str | None:
    """Name and version of an embedder that the settings name; None is the shipped one of this
    version. Raises SettingsError."""
    return model_version(embedder_of(settings)) if "embedder" in settings.model_fields_set else None


def pair_classifier_version(settings: ModelSettings) -> str | None:
    """Name and version of the model of `scoring.nli`; None where it names none. Raises
    SettingsError."""
    return None if settings.nli is None else model_version(_pair_classifier(settings.nli))


def pair_classifier_of(settings: ModelSettings) -> Model | None:
    """The model of `scoring.nli`, or else the shipped one, by its manifest alone; None where there
    is neither. Raises SettingsError."""
    return shipped_pair_classifier() if settings.nli is None else _pair_classifier(settings.nli)


def claims_classifier(settings: Settings) -> Model | None:
    """What checks the claims of use cases that are shadowed with `claims`; None where none is.

    Raises SettingsError where there is no classifier of pairs for it.
    """
    asking = [name for name, shadow in shadowed(settings).items() if shadow.claims]
    if not asking:
        return None
    if (found := pair_classifier_of(settings.scoring)) is None:
        raise SettingsError(
            f"use_cases.{asking[0]}.shadow.claims: needs a classifier of pairs, and the"
            " installed models have none: import one (guard models import nli:NAME_OR_FOLDER --name"
            " pairs), then say scoring.nli: pairs"
        )
    return found


def _pair_classifier(name: str) -> Model:
    model = _model_of("nli", name)
    if model.manifest.task is not ModelKind.NLI:
        raise SettingsError(f"scoring.nli: {name} is no classifier of pairs")
    return model


def classifier_version(settings: ModelSettings) -> str:
    """What makes the scores, for whoever reads them later: names and versions."""
    manifests = [(model.manifest, keys) for model, keys in models_of(settings)]
    if not settings.heads:
        return f"{manifests[0][0].name} {manifests[0][0].version}"
    return ", ".join(
        f"{'+'.join(sorted({key.partition('.')[0] for key in keys}))}: {one.name} {one.version}"
        for one, keys in manifests
    )


def heads_of_models(settings: ModelSettings) -> dict[str, Head]:
    """What is scored, by flat key. Raises SettingsError, ModelError."""
    return {
        key: head
        for model, keys in models_of(settings)
        for key, head in heads_of(model).items()
        if key in keys
    }


def heads_of(model: Model) -> dict[str, Head]:
    """What a model scores, by flat key."""
    return {
        head.key: Head(key=head.key, threshold=head.threshold, harm=head.harm)
        for head in model.manifest.heads
    }


def model_version(model: Model) -> str:
    """Its name and version, for whoever reads later what it made."""
    return f"{model.manifest.name} {model.manifest.version}"


def _model_of(key: str, name: str) -> Model:
    try:
        return find_model(name)
    except ModelError as error:
        raise SettingsError(f"scoring.{key}: {error}") from error


def _keys(model: Model, *, first: Model, named: Mapping[str, Model]) -> frozenset[str]:
    """Its scores of the families that are its own; those that no model was named for are those of
    the first."""
    return frozenset(
        head.key
        for head in model.manifest.heads
        if named.get(head.key.partition(".")[0], first).folder == model.folder
    )
