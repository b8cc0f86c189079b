"""The shadow path of a process: who is shadowed how, who is asked, and the worker that asks."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import platform
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import blake2b
from random import Random
from typing import Any

from guard import __version__
from guard.adapters import CallableUpstream
from guard.bootstrap.alarms import AlarmWatch, open_alarm_sender
from guard.bootstrap.review import kept_text
from guard.bootstrap.scorers import (
    claims_classifier,
    classifier_version,
    embedder_of,
    embedder_version,
    model_version,
)
from guard.bootstrap.storage import secret_fact
from guard.bootstrap.use_cases import http_lane, policies, shadowed
from guard.counterfactual import Lexicons
from guard.errors import SettingsError, StoreError
from guard.fairness import Tolerances
from guard.fairness.group_tests import OmnibusTest
from guard.ports import Store, Upstream
from guard.records import Lane, LaneKind
from guard.scoring import EngineOptions, ScoringEngine, open_embedder, open_pair_classifier
from guard.scoring.claims import ClaimChecker
from guard.settings import (
    Counterfactual,
    Settings,
    ShadowSettings,
    lexicons_of,
    unset_variable,
)
from guard.shadow.budget import BudgetLimits
from guard.shadow.comparison import CheckClaims, Embed, Instruments
from guard.shadow.counted_replies import CountedReplies
from guard.shadow.daily_cases import DailyCases
from guard.shadow.job_span import JobTracer, UntracedJob
from guard.shadow.jobs import JobPreparation
from guard.shadow.monitor import AlarmFamily, EvidenceMonitor, MonitoredUseCase
from guard.shadow.options import ShadowOptions, compared, flag_thresholds
from guard.shadow.recorder import Sampling
from guard.shadow.worker import UseCaseBudget, Worker, WorkerDeps
from guard.shadow.worker_thread import WorkerThread
from guard.shadow.worker_timing import WorkerTiming

_log = logging.getLogger("guard.shadow")

KEY_FACT = "sampling_key"
_OF_CASES = {"flags", "confirmations", "cases_per_day", "reviewers"}
_NOT_MEASURED = {"share", "budget", "attempts", "material", *_OF_CASES}
"""Settings of a shadow on which no figure depends; a change of them begins no new epoch."""
_IN_THE_BACKGROUND = EngineOptions(workers=1, batch_tokens=128, cache_bytes=0)
"""Nobody waits for these scores: one thread, in small steps, so that live ones find a free core."""


def sampling_key(settings: Settings, store: Store) -> bytes:
    """The secret that decides which calls are sampled, of 32 bytes.

    From the environment, or one that is made once and kept in the store. While the store is away
    this process has one of its own. Raises SettingsError.
    """
    if (name := settings.sampling_key_env) is not None:
        if not (secret := os.environ.get(name)):
            raise unset_variable("sampling_key_env", name)
        return blake2b(secret.encode("utf-8", "surrogateescape"), digest_size=32).digest()
    try:
        return secret_fact(store, KEY_FACT)
    except StoreError as error:
        _log.warning("calls are sampled by a key of this process's own: %s", error)
        return secrets.token_bytes(32)


class Shadowing:
    """What a process knows of shadowing. Thread-safe.

    Making one reads the lexicons; the embedder, and what checks claims, are loaded with the first
    job. Raises SettingsError for an attribute that the lexicons do not have, and where claims are
    wanted and nothing can check them. tracer: of the jobs done here.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        engine: ScoringEngine,
        *,
        tracer: JobTracer | None = None,
    ) -> None:
        self.settings = shadowed(settings)
        self.key = sampling_key(settings, store)
        self._store = store
        self._scoring = settings.scoring
        self._pairs = claims_classifier(settings)
        self._tracer = tracer or UntracedJob()
        self._scorer = engine.beside(_IN_THE_BACKGROUND)
        self._lexicons = lexicons_of(settings.counterfactual)
        self._options = {
            name: shadow_options(name, one, self._lexicons, self.key)
            for name, one in self.settings.items()
        }
        self.versions = versions(settings)
        self.monitor = self._monitor(settings)
        self._kept_text = kept_text(settings.review)
        self._policy_of = policies(settings, engine.heads)
        self._asked: dict[str, Upstream] = {}
        self._lock = threading.Lock()
        self._running: WorkerThread | None = None
        sender = open_alarm_sender(settings, store)
        self._alarms = AlarmWatch(self.monitor, clock=time.monotonic, sender=sender)

    @property
    def samplings(self) -> dict[str, Sampling]:
        """Which calls of each use case are sampled."""
        return {
            name: Sampling(share=one.share, key=self.key) for name, one in self.settings.items()
        }

    def lane(self, use_case: str, shadow: Callable[[Any], Any] | Upstream | None) -> Lane | None:
        """Who asks again about calls of a use case that is wrapped here; None is nobody.

        shadow: asks the model: a function, see `CallableUpstream`, or an upstream that keeps to
        `reply_seconds` itself.
        Raises SettingsError for a shadowed use case that nobody can be asked about.
        """
        wanted = self.settings.get(use_case)
        if wanted is None:
            return None
        if wanted.upstream is not None:
            return http_lane(wanted.upstream, use_case)
        if shadow is None:
            raise SettingsError(
                f"use_cases.{use_case}.shadow.share: is above 0, but nobody can be asked again:"
                " give a callable to wrap(shadow=...), name an `upstream`, or set the share to 0"
            )
        lane = Lane(kind=LaneKind.LOCAL, name=use_case)
        asked = _asks(shadow, wanted.reply_seconds)
        if self._asked.get(str(lane), asked) != asked:
            raise SettingsError(
                f"wrap(shadow=...): use case {use_case!r} is asked by another function already; one"
                " model is compared with itself, so give it the same one or a use case of its own"
            )
        self.ask({str(lane): asked})
        return lane

    def ask(self, upstreams: Mapping[str, Upstream]) -> None:
        """Do jobs of these lanes from now on, in a thread beside the calls."""
        with self._lock:
            self._asked = {**self._asked, **upstreams}
            if self._running is None:
                self._running = WorkerThread(self.worker)
        self._running.nudge()

    async def run(self, upstreams: Mapping[str, Upstream], stop: asyncio.Event) -> None:
        """Do jobs of these lanes on the running event loop, until `stop`."""
        self._asked = {**self._asked, **upstreams}
        await self.worker().run(stop)

    def worker(self) -> Worker:
        """A worker for the lanes that are asked here; for the event loop it is made on."""
        budgets = {
            name: UseCaseBudget(BudgetLimits(**one.budget.model_dump()), time.monotonic)
            for name, one in self.settings.items()
        }
        not_shadowed_now = UseCaseBudget(BudgetLimits(), time.monotonic)
        deps = WorkerDeps(
            inbox=self._store,
            prepare=self._preparation.prepare,
            upstreams=lambda: self._asked,
            budget=lambda use_case: budgets.get(use_case, not_shadowed_now),
            attempts=self._attempts,
            finished=self._alarms.evidence_added,
            idle=self._alarms.look,
            tracer=self._tracer,
        )
        return Worker(
            deps,
            name=f"{platform.node()}/{os.getpid()}",
            clock=time.monotonic,
            random=Random(),  # noqa: S311 - jitter, no secret
            timing=WorkerTiming(),
        )

    def close(self, *, timeout_seconds: float) -> None:
        """Stop the worker; jobs that are not done wait in the store."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            running.close(timeout_seconds=timeout_seconds)
        self._alarms.close(timeout_seconds=timeout_seconds)
        self._scorer.close()

    @cached_property
    def _preparation(self) -> JobPreparation:
        return JobPreparation(
            tools=self._tools,
            parameters=lambda use_case: self.settings[use_case].parameters,
            monitor=self.monitor,
            versions=self.versions,
            kept_text=self._kept_text,
            admit=self._daily_cases.admit,
            note=CountedReplies(self._store).note,
        )

    @cached_property
    def _daily_cases(self) -> DailyCases:
        limits = {name: one.cases_per_day for name, one in self.settings.items()}
        return DailyCases(store=self._store, limits=limits, clock=time.time)

    def _tools(self, use_case: str) -> Instruments | None:
        options = self._options.get(use_case)
        if options is None:
            return None
        return Instruments(
            lexicons=self._lexicons,
            scorer=self._scorer,
            options=options,
            embed=self._embed,
            check_claims=self._check_claims if options.claims else None,
            rules=self._policy_of(use_case).rules,
            allow=self._policy_of(use_case).allow,
        )

    @cached_property
    def _embed(self) -> Embed:
        embedder = open_embedder(embedder_of(self._scoring))
        return lambda texts: embedder.embed(texts).tolist()

    @cached_property
    def _check_claims(self) -> CheckClaims | None:
        pairs = self._pairs
        return None if pairs is None else ClaimChecker(open_pair_classifier(pairs)).check_all

    def _attempts(self, use_case: str) -> int:
        shadow = self.settings.get(use_case)
        return 1 if shadow is None else shadow.attempts

    def _monitor(self, settings: Settings) -> EvidenceMonitor:
        use_cases = {
            name: MonitoredUseCase(
                tests=options.family(embeddings=True),
                groups=options.groups,
                max_groups=options.max_groups,
                deployment=settings.deployment,
                settings=_fingerprint(self.settings[name], settings.counterfactual, self.versions),
            )
            for name, options in self._options.items()
        }
        return EvidenceMonitor(
            self._store,
            use_cases,
            alpha=settings.alarm_alpha,
            family=AlarmFamily(settings.alarm_family),
        )


def _asks(shadow: Callable[[Any], Any] | Upstream, reply_seconds: float) -> Upstream:
    if callable(shadow):
        return CallableUpstream(fn=shadow, reply_seconds=reply_seconds)
    if not callable(getattr(shadow, "generate", None)):
        raise SettingsError(f"wrap(shadow=...): a function is wanted, not {type(shadow).__name__}")
    return shadow


def versions(settings: Settings) -> dict[str, str]:
    """What makes scores and texts, for whoever reads them later."""
    embedder, pairs = embedder_version(settings.scoring), claims_classifier(settings)
    return {
        "evenguard": __version__,
        "classifier": classifier_version(settings.scoring),
        "deployment": settings.deployment,
        **({} if embedder is None else {"embedder": embedder}),
        **({} if pairs is None else {"pairs": model_version(pairs)}),
    }


def test_families(settings: Settings) -> dict[str, tuple[OmnibusTest, ...]]:
    """The sequential tests of every use case that is shadowed. Raises SettingsError."""
    found = shadowed(settings)
    lexicons = lexicons_of(settings.counterfactual) if found else None
    return {
        name: shadow_options(name, shadow, lexicons).family(embeddings=True)
        for name, shadow in found.items()
        if lexicons is not None
    }


def _groups_of(name: str, shadow: ShadowSettings, lexicons: Lexicons) -> dict[str, tuple[str, ...]]:
    """Which groups are compared in a use case, by attribute. Raises SettingsError."""
    try:
        return compared(lexicons, shadow.attributes, shadow.by, shadow.groups)
    except ValueError as error:
        raise SettingsError(f"use_cases.{name}.shadow.{error}") from error


def shadow_options(
    name: str, shadow: ShadowSettings, lexicons: Lexicons, key: bytes = b""
) -> ShadowOptions:
    """How calls of a use case are shadowed. key: see `ShadowOptions`. Raises SettingsError."""
    tolerance = shadow.tolerance
    options = ShadowOptions(
        groups=_groups_of(name, shadow, lexicons),
        key=key,
        max_variants=shadow.max_variants,
        max_groups=shadow.max_groups,
        generations=shadow.generations,
        resamples=shadow.resamples,
        control=shadow.control,
        rewrite_system=shadow.rewrite_system,
        claims=shadow.claims,
        deterministic=shadow.deterministic,
        tolerances=Tolerances(gaps=tolerance, refusals=tolerance, contrasts=tolerance),
        material=shadow.material,
        flags=flag_thresholds(shadow.flags.model_dump()),
        confirmations=shadow.confirmations,
        reviewers=shadow.reviewers,
    )
    return options.asked_with(shadow.parameters)


def _fingerprint(shadow: ShadowSettings, words: Counterfactual, made_by: Mapping[str, str]) -> str:
    """What the figures of a use case depend on, in short; where no claims are compared and system
    prompts are rewritten, what it was before there was a choice."""
    unused = set() if shadow.claims else {"claims"}
    unused |= {"rewrite_system"} if shadow.rewrite_system else set()
    measuring = shadow.model_dump(mode="json", exclude=_NOT_MEASURED | unused)
    makers = ("classifier", "evenguard", "embedder", *(["pairs"] if shadow.claims else []))
    by = [made_by[key] for key in makers if key in made_by]
    made_with = [words.model_dump(mode="json"), *by]
    what = json.dumps([measuring, *made_with], sort_keys=True)
    return blake2b(what.encode(), digest_size=8).hexdigest()
