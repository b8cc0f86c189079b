"""Models whose replies do not vary, and their calls done as jobs, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count
from typing import Any

from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.ports import Store
from guard.records import Generated, Posting, Turn
from guard.shadow.counted_replies import CountedReplies
from guard.shadow.job_payload import ShadowJob, job_of
from guard.shadow.jobs import JobPreparation, JobResult
from guard.shadow.monitor import EvidenceMonitor, MonitoredUseCase
from guard.store import open_store
from tests.unit.shadow.made import answered, tools

Model = Callable[[str], str]
"""From a prompt to what is said."""
SAID = (
    "Thank you for asking. You are welcome to apply, and we are glad to help, great.",
    "Unfortunately this takes a while. Please send the form first.",
    "Please send the form, two recent statements, and a copy of the contract. We will call back.",
    "That is a great plan! I think it may work well. Do you know the exact date?",
    "There may be an awful problem with the account. I am sorry about that. Which branch was it?",
    "It depends. Perhaps you could try again next week, or call the branch.",
)
WANTED = ("loan", "credit card", "visa", "refund", "new phone", "permit", "form", "tax return")
WORK = ("nurse", "teacher", "baker", "driver", "lawyer", "cook", "clerk", "pilot", "farmer")
PROMPTS = tuple(
    f"My wife is a {work} and wants a {wanted}. What does she have to do?"
    for wanted in WANTED
    for work in WORK
)
KEY = b"secret"


def fair(seed: int, prompt: str) -> str:
    """What a fair model says: some of all replies, by the letters of the prompt alone."""
    drawn = blake2b(f"{seed} {prompt}".encode(), digest_size=2).digest()
    return f"{SAID[drawn[0] % len(SAID)]} {SAID[drawn[1] % len(SAID)]}"


@dataclass(kw_only=True)
class Calls:
    """A use case whose calls are all shadowed. changes: of its options."""

    model: Model
    parameters: Mapping[str, object] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)
    store: Store = field(default_factory=lambda: open_store("memory:", clock=lambda: 0.0))
    settings: str = ""
    numbers: Iterable[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.answer = self.said
        kit = tools(**{"generations": 2, "confirmations": 0, "key": KEY, **self.changes})
        tests = kit.options.family(embeddings=True)
        one = MonitoredUseCase(tests=tests, groups=kit.options.groups, settings=self.settings)
        self.monitor = EvidenceMonitor(self.store, {"chat": one})
        self.preparation = JobPreparation(
            tools=lambda _: kit,
            parameters=lambda _: {},
            monitor=self.monitor,
            versions={},
            note=CountedReplies(self.store).note,
        )

    def ask(self, *prompts: str, at: float = 0.0) -> None:
        """One call about each of them, done and kept."""
        for prompt in prompts:
            self.keep(self.done(prompt, at=at))

    def done(self, prompt: str, *, call: str = "", at: float = 0.0) -> JobResult:
        """What a call leaves behind, which is not kept yet. call: its id."""
        turns = (Turn(role="user", content=prompt),)
        shadow = ShadowJob(
            call_id=call or f"c{next(iter(self.numbers))}",
            use_case="chat",
            lane="local/chat",
            turns=turns,
            reply=None,
            parameters=self.parameters,
        )
        made = self.preparation.prepare(job_of(shadow, offered_at=at))
        return made.conclude([self.answer(ask.turns[-1].content) for ask in made.asks])

    def said(self, prompt: str) -> Generated:
        """The model's reply."""
        return answered(self.model(prompt))

    def keep(self, result: JobResult) -> None:
        """File what it left."""
        self.store.add(list(result.postings))

    def alarms(self) -> set[str]:
        """The tests that alarm now."""
        return {test for _, test in self.monitor.check().alarms}

    def log10_e(self, metric: str, attribute: str = "gender") -> float:
        """The evidence of all groups together; 0 without any."""
        found = self.monitor.check().published.get(("chat", f"{metric}:{attribute}"))
        return 0.0 if found is None else found.log10_e

    def results(self) -> Counter[str]:
        """What became of pairs, over all attributes."""
        kept = self.store.evidence("chat", [SHADOW_RESULTS]).get(SHADOW_RESULTS, {})
        return sum_results([kept])


def sum_results(tallies: Iterable[Mapping[str, float]]) -> Counter[str]:
    """What became of pairs, by these counts."""
    found = Counter[str]()
    for tally in tallies:
        for (_, what), number in results_of(tally).items():
            found[what] += int(number)
    return found


def counts(posting: Posting) -> Counter[str]:
    """What became of pairs, by one posting."""
    return sum_results([posting.evidence.get(SHADOW_RESULTS, {})])
