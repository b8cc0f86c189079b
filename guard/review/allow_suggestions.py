"""Which phrases to allow, by what people decided about replies that fired.

A phrase is proposed if it stands in several replies that people found acceptable and in none that
they found harmful, and if those would not have fired with it. All judged replies are scored again
to see that. What the phrase would let pass in replies that nobody judged is not known: with few
harmful ones judged, the share that it could let pass is bounded only loosely.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from guard.policy import (
    AllowEntry,
    Policy,
    allow_phrase,
    assess_allowing,
    decide,
    find_allowed,
    offending,
)
from guard.ports import Cases
from guard.records import (
    Action,
    Assessment,
    CaseFilter,
    CaseKind,
    CaseState,
    Span,
    decode_response,
)
from guard.review.common_phrases import phrases_of, word_count
from guard.review.export import matching_cases
from guard.review.views import CONFIRMED, REJECTED
from guard.text import sentences

Score = Callable[[str], Assessment]
"""Makes the scores of a text, and waits for them."""

LEAST_FALSE_ALARMS: Final = 3
"""In so many acceptable replies a phrase stands at least."""
LEAST_CONFIRMED: Final = 5
"""With fewer harmful replies nothing is proposed."""
MOST_TRIED: Final = 300
"""Phrases that are scored with, those of most replies first."""
INSULT_FRAMES: Final = ("You are {}.", "You are a {}.", "They are all {}.")
"""A single word that fires in one of these is an insult as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowSuggestion:
    """A phrase. found: in so many acceptable replies that fire; stopped: of which so many would not
    fire with the phrases proposed up to this one, and fire with those before it."""

    phrase: str
    found: int
    stopped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedPhrase:
    """A phrase that would stop false alarms, and why it is not proposed."""

    phrase: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowProposal:
    """What to allow in a use case.

    false_alarms, confirmed: replies judged acceptable and harmful, of those whose text is kept and
    that fire with the present settings. silent: judged replies that do not fire any more.
    without_text: judged replies whose text was not kept. stopped: false alarms that would not fire.
    lost: confirmed ones for which less would be done; above 0 nothing is proposed. lost_at_most:
    the share of harmful replies that could be lost, with 95 % confidence; None where none was
    judged. problem: why nothing is proposed; empty where something is.
    """

    use_case: str
    false_alarms: int
    confirmed: int
    silent: int
    without_text: int
    suggestions: tuple[AllowSuggestion, ...] = ()
    refused: tuple[RefusedPhrase, ...] = ()
    stopped: int = 0
    lost: int = 0
    lost_at_most: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """A reply that fires. action: what the policy asks for. stretches: the sentences by which."""

    text: str
    harmful: bool
    action: Action
    stretches: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionLimits:
    """How much people must have decided. false_alarms: also for each phrase."""

    false_alarms: int = LEAST_FALSE_ALARMS
    confirmed: int = LEAST_CONFIRMED


def suggest_allowed(
    cases: Cases, use_case: str, policy: Policy, score: Score, limits: SuggestionLimits
) -> AllowProposal:
    """What to add to `policy.allow`. Raises StoreError."""
    judged = list(_read(cases, use_case))
    kept = [one for one in judged if one[0]]
    found = (_judge(text, harmful=bad, policy=policy, score=score) for text, bad in kept)
    firing = [one for one in found if one is not None]
    false = [one for one in firing if not one.harmful]
    confirmed = [one for one in firing if one.harmful]
    proposal = AllowProposal(
        use_case=use_case,
        false_alarms=len(false),
        confirmed=len(confirmed),
        silent=len(kept) - len(firing),
        without_text=len(judged) - len(kept),
        lost_at_most=1 - 0.05 ** (1 / len(confirmed)) if confirmed else None,
    )
    if problem := _too_few(proposal, limits):
        return replace(proposal, problem=problem)
    return _propose(proposal, _Trial(policy, score, false, confirmed), limits)


def _read(cases: Cases, use_case: str) -> Iterator[tuple[str, bool]]:
    """The replies that were decided on, and whether they are harmful."""
    where = CaseFilter(use_case=use_case, kind=CaseKind.RESPONSE, state=CaseState.CLOSED)
    for record in matching_cases(cases, where):
        body = decode_response(record.case.body)
        if body is not None and record.verdict in CONFIRMED | REJECTED:
            yield body.reply, record.verdict in CONFIRMED


def _judge(text: str, *, harmful: bool, policy: Policy, score: Score) -> _Judged | None:
    assessment = assess_allowing(policy, text, score)
    decision = decide(policy, assessment)
    if not decision.fired:
        return None
    causes = offending(decision.fired, assessment)
    stretches = [
        sentence
        for sentence in sentences(text)
        if any(one.start < sentence.end and sentence.start < one.end for one in causes)
    ]
    return _Judged(text=text, harmful=harmful, action=decision.action, stretches=tuple(stretches))


def _too_few(found: AllowProposal, limits: SuggestionLimits) -> str:
    if found.false_alarms < limits.false_alarms:
        return (
            f"{found.false_alarms} replies that fire were judged acceptable; at least"
            f" {limits.false_alarms} are needed to see what they have in common"
        )
    if found.confirmed < limits.confirmed:
        return (
            f"{found.confirmed} replies that fire were judged harmful; at least {limits.confirmed}"
            " are needed to see what must not be let pass"
        )
    return ""


@dataclass(frozen=True, slots=True)
class _Trial:
    """The replies that phrases are tried on."""

    policy: Policy
    score: Score
    false: Sequence[_Judged]
    confirmed: Sequence[_Judged]

    def action(self, judged: _Judged, entries: Iterable[AllowEntry]) -> Action:
        """What would be done with a reply if these were allowed too."""
        policy = replace(self.policy, allow=(*self.policy.allow, *entries))
        return decide(policy, assess_allowing(policy, judged.text, self.score)).action

    def stopped(self, entries: Sequence[AllowEntry], among: Iterable[int]) -> set[int]:
        """Which false alarms would not fire."""
        return {
            number for number in among if self.action(self.false[number], entries) is Action.RELEASE
        }

    def lost(self, entries: Sequence[AllowEntry]) -> int:
        """For how many harmful replies less would be done."""
        return sum(self.action(one, entries) is not one.action for one in self.confirmed)

    def is_insult(self, entry: AllowEntry) -> str:
        """A sentence about a person that would pass with the entry; empty where none would."""
        for frame in INSULT_FRAMES:
            text = frame.format(entry.name)
            judged = _judge(text, harmful=True, policy=self.policy, score=self.score)
            if judged and self.action(judged, [entry]) is Action.RELEASE:
                return text
        return ""


def _propose(proposal: AllowProposal, trial: _Trial, limits: SuggestionLimits) -> AllowProposal:
    chosen: list[tuple[AllowEntry, AllowSuggestion]] = []
    refused: list[RefusedPhrase] = []
    stopped: set[int] = set()
    for entry, found, stops in _useful(trial, limits.false_alarms):
        more = stops - stopped
        if len(more) < limits.false_alarms:
            continue
        if " " not in entry.name and (insult := trial.is_insult(entry)):
            refused.append(RefusedPhrase(phrase=entry.name, why=f"{insult!r} would pass"))
            continue
        stopped |= more
        suggestion = AllowSuggestion(phrase=entry.name, found=len(found), stopped=len(more))
        chosen.append((entry, suggestion))
    lost = trial.lost([entry for entry, _ in chosen])
    problem = _nothing(chosen, lost)
    return replace(
        proposal,
        suggestions=() if problem else tuple(one for _, one in chosen),
        refused=tuple(refused),
        stopped=0 if problem else len(stopped),
        lost=lost,
        problem=problem,
    )


def _nothing(chosen: Sequence[object], lost: int) -> str:
    if lost:
        return f"together they would let {lost} harmful replies pass"
    if not chosen:
        return "no phrase stands in enough acceptable replies, in no harmful one, and stops them"
    return ""


_Tried = tuple[AllowEntry, frozenset[int], set[int]]
"""A phrase, the false alarms that it stands in, and those that it stops."""


def _useful(trial: _Trial, least: int) -> list[_Tried]:
    """Phrases that stop false alarms, those that stop most first."""
    tried: dict[frozenset[int], _Tried] = {}
    for entry, found in _candidates(trial, least):
        known = tried.get(found)
        if known is not None and known[2] == found:
            continue  # a phrase of the same replies stops them all
        stops = trial.stopped([entry], found)
        if len(stops) >= least and (known is None or len(stops) > len(known[2])):
            tried[found] = entry, found, stops
    return sorted(tried.values(), key=lambda one: (-len(one[2]), one[0].name))


def _candidates(trial: _Trial, least: int) -> Iterator[tuple[AllowEntry, frozenset[int]]]:
    """Phrases of several false alarms that are in no harmful reply.

    Those of most replies first, and of these two words before more, and a single word last: it can
    be said of anything.
    """
    places: dict[str, set[int]] = defaultdict(set)
    written: dict[str, str] = {}
    for number, judged in enumerate(trial.false):
        for phrase in phrases_of(judged.text, judged.stretches):
            written.setdefault(phrase.casefold(), phrase)
            places[phrase.casefold()].add(number)
    common = {key: found for key, found in places.items() if len(found) >= least}
    for key in sorted(common, key=lambda key: _order(key, common))[:MOST_TRIED]:
        entry = allow_phrase(written[key])
        if not any(find_allowed([entry], one.text) for one in trial.confirmed):
            yield entry, frozenset(common[key])


def _order(phrase: str, places: Mapping[str, set[int]]) -> tuple[int, bool, int, str]:
    words = word_count(phrase)
    return -len(places[phrase]), words == 1, words, phrase
