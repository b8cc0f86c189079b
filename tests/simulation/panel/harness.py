"""A scripted model through the shadow path as it is: the settings' defaults, the attribute named,
the real rewriter, classifier, store, worker and monitor; no network, and a look after some calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from random import Random
from typing import cast

from guard.bootstrap.shadow import KEY_FACT, Shadowing
from guard.fairness import Published
from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.records import (
    Ask,
    Case,
    CaseKind,
    Ending,
    Generated,
    Job,
    Lane,
    LaneKind,
    Lease,
    Posting,
    decode_pair,
)
from guard.scoring import Engine
from guard.settings import parse_settings
from guard.shadow.comparison import Embed
from guard.shadow.job_payload import ShadowJob, job_of
from guard.store.common import StoreOptions
from guard.store.memory import MemoryStore
from tests.simulation.panel.models import PanelModel
from tests.simulation.panel.scores import KnownScorer
from tests.simulation.panel.traffic import some_prompt

USE_CASE = "panel"
LANE = Lane(kind=LaneKind.LOCAL, name=USE_CASE)
SETTINGS = """
version: 1
use_cases:
  panel:
    shadow:
      share: 1.0
      attributes: [ATTRIBUTE]
      budget: {calls_per_minute: 1000000, tokens_per_day: 1000000000000, concurrency: 1}
"""
"""The budget is out of the way, since a minute of calls takes a second here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strongest:
    """The largest evidence that a test ever had. estimate, n: None of all groups together."""

    test: str
    log10_e: float
    estimate: float | None
    n: int | None
    is_material: bool

    @classmethod
    def of(cls, one: Published) -> Strongest:
        """The state of a test at one look."""
        seen = one.estimate
        return cls(
            test=one.test,
            log10_e=one.log10_e,
            estimate=None if seen is None else seen.value,
            n=None if seen is None else seen.n,
            is_material=one.is_material,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelRow:
    """What became of one model. alarms: tests and after how many calls they first alarmed.

    cases: of pairs. planted: those of them in which the biased style was heard. strongest: every
    test that ever had data, the one with the largest evidence first.
    """

    model: PanelModel
    prompts: int
    compared: int
    alarms: dict[str, int]
    strongest: tuple[Strongest, ...]
    cases: int
    planted: int

    @property
    def alarm_at(self) -> int | None:
        """After how many calls there was an alarm."""
        return min(self.alarms.values(), default=None)


class PanelStore(MemoryStore):
    """Tells when a call has ended, with the job that confirms its pairs, and keeps its cases."""

    def __init__(self) -> None:
        tokens = map(str, count())
        super().__init__(
            StoreOptions(
                clock=lambda: 0.0, bucket_seconds=60.0, max_jobs=100, new_token=tokens.__next__
            )
        )
        self.opened: list[Case] = []
        self.ended: Callable[[], None] = lambda: None

    def finish(
        self,
        lease: Lease,
        *,
        postings: Sequence[Posting] = (),
        cases: Sequence[Case] = (),
        jobs: Sequence[Job] = (),
    ) -> bool:
        done = super().finish(lease, postings=postings, cases=cases, jobs=jobs)
        self.opened.extend(cases)
        if not jobs:
            self.ended()
        return done


class PanelShadowing(Shadowing):
    """The shadow path with an embedder that sees each text once."""

    embedder: Embed

    @cached_property
    def _embed(self) -> Embed:
        return self.embedder


@dataclass(slots=True)
class ModelUpstream:
    """Asks a scripted model. heard: texts in its biased style."""

    model: PanelModel
    heard: set[str] = field(default_factory=set)

    async def generate(self, ask: Ask) -> Generated:
        """See `guard.ports.Upstream`."""
        assert ask.seed is not None
        text = self.model.reply(ask.turns, ask.seed)
        if self.model.is_planted(ask.turns, ask.seed):
            self.heard.add(text)
        return Generated(text=text, ending=Ending.ANSWERED, tokens=1)


def jobs_of(model: PanelModel, prompts: int) -> Iterator[Job]:
    """Calls as they come, each with the reply its caller got."""
    random = Random(f"prompts/{model.kind}/{model.attribute}")
    for number in range(prompts):
        turns = some_prompt(model.kind, model.attribute, random)
        job = ShadowJob(
            call_id=f"call-{number}",
            use_case=USE_CASE,
            lane=str(LANE),
            turns=turns,
            reply=model.reply(turns, -number),
        )
        yield job_of(job, offered_at=0.0)


class PanelRun:
    """One run: jobs one after the other, and a look at the evidence after every `every`."""

    def __init__(self, model: PanelModel, prompts: int, *, every: int) -> None:
        self.model, self.prompts, self.every = model, prompts, every
        self.alarms: dict[str, int] = {}
        self.top: dict[str, Published] = {}
        self.store = PanelStore()
        self.store.update_fact(KEY_FACT, lambda _: "5" * 64)
        self.upstream = ModelUpstream(model)
        self._jobs = jobs_of(model, prompts)
        self._done = 0

    async def go(self, scorer: KnownScorer, embed: Embed) -> PanelRow:
        """Everything that the model's calls leave behind."""
        settings = parse_settings(
            SETTINGS.replace("ATTRIBUTE", self.model.attribute), source="panel"
        )
        shadowing = PanelShadowing(settings, self.store, cast(Engine, scorer))
        shadowing.embedder = embed
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        self.store.ended = lambda: self._after_job(
            shadowing, lambda: loop.call_soon_threadsafe(stop.set)
        )
        self.store.offer(next(self._jobs))
        await shadowing.run({str(LANE): self.upstream}, stop)
        return self._row()

    def _after_job(self, shadowing: Shadowing, stop: Callable[[], object]) -> None:
        self._done += 1
        job = next(self._jobs, None)
        if self._done % self.every == 0 or job is None:
            self._look(shadowing)
        if job is None:
            stop()
        else:
            self.store.offer(job)

    def _look(self, shadowing: Shadowing) -> None:
        found = shadowing.monitor.check()
        for (_, test), epoch in found.epochs.items():
            if epoch.alarms:
                self.alarms.setdefault(test, self._done)
        for (_, test), one in found.published.items():
            if test not in self.top or one.log10_e > self.top[test].log10_e:
                self.top[test] = one

    def _row(self) -> PanelRow:
        counted = results_of(
            self.store.evidence(USE_CASE, [SHADOW_RESULTS]).get(SHADOW_RESULTS, {})
        )
        pairs = [case for case in self.store.opened if case.kind is CaseKind.PAIR]
        strongest = sorted(self.top.values(), key=lambda one: -one.log10_e)
        return PanelRow(
            model=self.model,
            prompts=self.prompts,
            compared=int(sum(n for (_, what), n in counted.items() if what == "compared")),
            alarms=self.alarms,
            strongest=tuple(map(Strongest.of, strongest)),
            cases=len(pairs),
            planted=sum(self._is_planted(case) for case in pairs),
        )

    def _is_planted(self, case: Case) -> bool:
        body = decode_pair(case.body)
        assert body is not None
        sides = (body.first, body.second)
        return any(one.text in self.upstream.heard for side in sides for one in side.replies)


def run_model(
    model: PanelModel, scorer: KnownScorer, embed: Embed, *, prompts: int, every: int = 10
) -> PanelRow:
    """One model through the shadow path. every: calls between looks."""
    return asyncio.run(PanelRun(model, prompts, every=every).go(scorer, embed))
