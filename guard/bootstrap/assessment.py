"""The offline assessment with the guard's own classifiers and, if one is named, a model to ask."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from guard import __version__
from guard.adapters import CallableUpstream
from guard.assessment.engines import MeasuringEngine
from guard.assessment.failures import no_reply
from guard.assessment.generation import (
    AskingCounts,
    AskingEstimate,
    AskingLimits,
    AskingProgress,
    Interview,
    estimate,
)
from guard.assessment.near_words import GroupWordLists, own_lists
from guard.assessment.options import AssessmentOptions
from guard.assessment.reader import Row
from guard.assessment.results import AssessmentResults, DataFile, Provenance, UsedModel
from guard.assessment.run import Keep, OfflineAssessment
from guard.assessment.unit_measure import AskedModel
from guard.bootstrap.offline import BOUNDED_ELSEWHERE
from guard.bootstrap.runtime import open_scorer
from guard.bootstrap.scorers import embedder_of, models_of
from guard.counterfactual import Lexicons, masked
from guard.errors import SettingsError, UpstreamError
from guard.fairness import MeasuredReply, ModelTask
from guard.ports import Upstream
from guard.records import Assessment, Ending, Head, Unscored
from guard.scoring import Model, ScoringEngine, open_embedder
from guard.settings import ModelSettings, Settings, UpstreamSettings, lexicons_of, section_of
from guard.shadow.comparison import Embed, Instruments, score_texts
from guard.store.reply_cache import ReplyCache

T = TypeVar("T")
_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s?#]*")
_OPTIONS = MappingProxyType(
    {
        "upstreams.assess.base_url": "--base-url",
        "upstreams.assess.api_key_env": "--api-key-env",
        "upstreams.assess": "the model",
    }
)
"""Of the upstream that is made of them, to how whoever asks knows them."""
UNDER_TEST = "under test"
"""The role of the model whose replies are measured."""
_NOTES = (
    "The figures say what was measured on these prompts with these classifiers. A difference that"
    " was not found is not shown to be absent.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelToAsk:
    """The model under test: a Python function, or a model behind an OpenAI-compatible address.
    Raises SettingsError for an address that cannot be.

    name: of the model there, or `package.module:function`. reply_seconds: for one reply.
    """

    name: str
    fn: Callable[[Any], Any] | None = None
    base_url: str = ""
    api_key_env: str | None = None
    reply_seconds: float = 120.0

    def __post_init__(self) -> None:
        if self.fn is None and not _ADDRESS.fullmatch(self.base_url):
            raise SettingsError(
                "--base-url: expected http:// or https://, a host, and everything before"
                " /chat/completions, without ? and #"
            )

    @property
    def asked(self) -> AskedModel:
        """As it stands in the key of each reply."""
        where = f"{self.base_url} " if self.base_url else ""
        return AskedModel(name=f"{where}{self.name}")

    @asynccontextmanager
    async def connected(self, concurrency: int) -> AsyncIterator[Upstream]:
        """The upstream, for the running event loop. Raises SettingsError."""
        if self.fn is not None:
            yield CallableUpstream(fn=self.fn, reply_seconds=self.reply_seconds, tells_why=True)
            return
        with _named_by_options():
            async with self._opened(concurrency) as upstream:
                yield upstream

    @asynccontextmanager
    async def _opened(self, concurrency: int) -> AsyncIterator[Upstream]:
        values = {
            "base_url": self.base_url,
            "api_key_env": self.api_key_env,
            "reply_seconds": self.reply_seconds,
            "connections": concurrency,
        }
        settings = section_of(UpstreamSettings, values, source="the model to ask")
        upstreams = import_module("guard.bootstrap.upstreams")  # it needs the extra `gateway`
        shadowed = Settings(upstreams={"assess": settings})
        async with upstreams.open_upstreams(shadowed, ["assess"]) as found:
            (upstream,) = found.values()
            yield upstream


@contextmanager
def _named_by_options() -> Iterator[None]:
    """Errors name the options, and not the upstream that was made of them."""
    try:
        yield
    except (SettingsError, UpstreamError) as error:
        told = str(error)
        for setting, option in _OPTIONS.items():
            told = told.replace(setting, option)
        error.args = (told, *error.args[1:])
        raise


def function_to_ask(place: str) -> Callable[[Any], Any]:
    """The function at `package.module:function`. Raises SettingsError."""
    module, _, name = place.partition(":")
    if not module or not name:
        raise SettingsError(f"--call {place!r}: expected package.module:function")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise SettingsError(f"--call {place}: {error}; is its folder on PYTHONPATH?") from error
    if not callable(found):
        raise SettingsError(f"--call {place}: is no function")
    return found  # type: ignore[no-any-return]


@dataclass(frozen=True, kw_only=True)
class OpenAssessment:
    """An assessment whose parts are open. model: None where nothing is asked."""

    assessment: OfflineAssessment
    cache: ReplyCache
    provenance: Provenance
    model: ModelToAsk | None = None

    def cost(self, *, retry_failed: bool = False) -> AskingEstimate:
        """What is still to be asked. retry_failed: with what an earlier run gave up."""
        return estimate(self.assessment.enquiries(), self.cache, retry_failed=retry_failed)

    def ask(self, limits: AskingLimits, progress: AskingProgress | None = None) -> AskingCounts:
        """Ask what is missing. Raises UpstreamError, also where no question was answered, and
        UpstreamBusy."""
        if self.model is None:
            return AskingCounts()
        counts = run_here_or_beside(self._ask(self.model, limits, progress))
        if counts.lost and counts.lost == counts.done:
            raise no_reply(counts.lost, counts.reason)
        return counts

    def results(
        self, keep: Keep = lambda _: None, engine: MeasuringEngine | None = None
    ) -> AssessmentResults:
        """Measure and conclude. keep: called with what prompts add. engine: where they are
        measured; None for this process."""
        began = time.time()
        made = self.assessment.results(self.provenance, keep, engine)
        seconds = time.time() - began
        return replace(made, provenance=replace(made.provenance, made_at=began, seconds=seconds))

    async def _ask(
        self, model: ModelToAsk, limits: AskingLimits, progress: AskingProgress | None
    ) -> AskingCounts:
        async with model.connected(limits.concurrency) as upstream:
            interview = Interview(upstream, self.cache, limits, progress=progress)
            return await interview.ask_all(self.assessment.enquiries())


@contextmanager
def open_assessment(
    options: AssessmentOptions,
    rows: Callable[[], Iterator[Row]],
    *,
    settings: Settings,
    replies: Path,
    data: Iterable[DataFile] = (),
    model: ModelToAsk | None = None,
    words: GroupWordLists | None = None,
) -> Iterator[OpenAssessment]:
    """Open the classifier, the embedder and the file of replies.

    replies: where replies of the model are kept. words: lists for COBS and SA, instead of the
    guard's own. Raises ModelError, SettingsError, StoreError.
    """
    with ExitStack() as stack:
        measures = open_measures(settings, stack)
        cache = ReplyCache(replies)
        stack.callback(cache.close)
        tools = measures.instruments(options)
        assessment = OfflineAssessment(
            options=options,
            rows=rows,
            tools=tools,
            words=words or own_lists(measures.lexicons, options.groups),
            model=None if model is None else model.asked,
            kept=cache,
        )
        under_test = () if model is None else (UsedModel(role=UNDER_TEST, name=model.asked.name),)
        made = measures.provenance(*data)
        yield OpenAssessment(
            assessment=assessment,
            cache=cache,
            provenance=replace(made, models=(*made.models, *under_test)),
            model=model,
        )


class NoScores:
    """The scorer where there is nothing to score: classes and lists. Implements `ports.Scorer`."""

    heads: Mapping[str, Head] = MappingProxyType({})
    window_characters = 0

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """No score."""
        del text, deadline_seconds
        future: Future[Assessment] = Future()
        future.set_result(Assessment(reason=Unscored.OFF))
        return future


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What is measured with. open_engine: loads the classifier, when it is first needed. embed:
    None where no embedder is installed."""

    lexicons: Lexicons
    open_engine: Callable[[], ScoringEngine]
    embed: Embed | None
    models: tuple[UsedModel, ...]

    @cached_property
    def scorer(self) -> ScoringEngine:
        """The classifier. Raises ModelError."""
        return self.open_engine()

    def instruments(self, options: AssessmentOptions) -> Instruments:
        """With which prompts are measured. Raises ModelError."""
        return Instruments(
            lexicons=self.lexicons,
            scorer=self.scorer if options.task is ModelTask.GENERATION else NoScores(),
            options=options.pairing(0),
            embed=self.embed,
            catalogue=options.catalogue,
        )

    def provenance(self, *data: DataFile) -> Provenance:
        """Of figures that are made with it from these files."""
        return Provenance(version=__version__, models=self.models, data=data, notes=_NOTES)

    def prepared_replies(self, texts: Sequence[str], attribute: str) -> list[MeasuredReply]:
        """The replies masked, scored and embedded. attribute: whose words are masked; one that no
        lexicon has masks nothing."""
        known = attribute in self.lexicons.attributes
        masks = [masked(text, self.lexicons, attribute) if known else text for text in texts]
        scores = score_texts(masks, self.scorer)
        vectors = [] if self.embed is None else list(self.embed(masks))
        return [
            MeasuredReply(
                text=text,
                ending=Ending.ANSWERED,
                masked=mask,
                normalised=scores.of((mask,)),
                vector=tuple(vectors[at]) if vectors else (),
            )
            for at, (text, mask) in enumerate(zip(texts, masks, strict=True))
        ]


def open_measures(settings: Settings, stack: ExitStack) -> Measures:
    """Open the classifier, until the stack ends; the embedder with its first text. Raises
    ModelError, SettingsError."""
    classifiers, embedder = models_of(settings.scoring), _embedder(settings.scoring)
    scoring = settings.scoring.model_copy(update={"max_open_tokens": BOUNDED_ELSEWHERE})

    def open_engine() -> ScoringEngine:
        engine = open_scorer(scoring, pads=False, only_scores=True)
        stack.callback(engine.close)
        return engine

    used = [used_model("classifier", model) for model, _ in classifiers]
    used += [] if embedder is None else [used_model("embedder", embedder)]
    return Measures(
        lexicons=lexicons_of(settings.counterfactual),
        open_engine=open_engine,
        embed=None if embedder is None else partial(_embed, LazyEmbedder(embedder)),
        models=tuple(used),
    )


def run_here_or_beside(work: Coroutine[object, object, T]) -> T:
    """The result, also where an event loop runs already, as it does in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as beside:
        return beside.submit(asyncio.run, work).result()


class LazyEmbedder:
    """Opens the model with the first text."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def embedder(self) -> Any:
        """The open model. Raises ModelError."""
        return open_embedder(self._model)


def _embed(lazy: LazyEmbedder, texts: Sequence[str]) -> Iterable[Iterable[float]]:
    found: Iterable[Iterable[float]] = lazy.embedder.embed(texts).tolist()
    return found


def _embedder(scoring: ModelSettings) -> Model | None:
    """None where the shipped one is not installed. Raises SettingsError where another one is at
    fault."""
    try:
        return embedder_of(scoring)
    except SettingsError:
        if "embedder" in scoring.model_fields_set:
            raise
        return None


def used_model(role: str, model: Model) -> UsedModel:
    """As it stands in what was made with it."""
    manifest = model.manifest
    return UsedModel(
        role=role,
        name=manifest.name,
        version=manifest.version,
        license=manifest.license,
        source=manifest.source,
        files=dict(manifest.files),
    )
