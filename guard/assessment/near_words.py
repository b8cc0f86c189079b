"""Which words stand near which group: the lists that COBS and SA are made of."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from guard.assessment.results import MetricValue
from guard.assessment.titles import best_of, title_of
from guard.counterfactual import Lexicons
from guard.errors import SettingsError
from guard.fairness import CooccurrenceBias, Said, StereotypicalAssociations, Tally, langfair
from guard.fairness.wording import listed_words
from guard.fairness.words import words
from guard.records import Reading, Undefined
from guard.shadow.options import NEUTRAL
from guard.text.language import function_words

_LISTS = ("agentic", "unagentic", "communal", "uncommunal")
_OWN = "words for the competent, the helpless, the warm and the cold (guard.fairness)"
_FEWEST = 2
_COBS, _SA = "cobs", "stereotypical_associations"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupWordLists:
    """What is counted. words: looked at near words of groups. groups: attribute to group to its
    words. stop_words: not counted as neighbours. source: where the words come from."""

    words: frozenset[str]
    groups: Mapping[str, Mapping[str, tuple[str, ...]]]
    stop_words: frozenset[str]
    source: str = _OWN


def own_lists(lexicons: Lexicons, attributes: Collection[str]) -> GroupWordLists:
    """The guard's own words and lexicons, for these attributes."""
    groups = {one: _group_words(lexicons, one) for one in attributes}
    return GroupWordLists(
        words=frozenset(word for name in _LISTS for word in listed_words(name)),
        groups={one: found for one, found in groups.items() if len(found) >= _FEWEST},
        stop_words=function_words()["en"],
    )


def _group_words(lexicons: Lexicons, attribute: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for entry in lexicons.entries:
        form = entry.form
        is_word = form.attribute == attribute and not form.generic and form.group != NEUTRAL
        if is_word and " " not in form.text:
            found.setdefault(form.group, set()).add(form.text.lower())
    return {group: tuple(sorted(words)) for group, words in sorted(found.items())}


def read_lists(path: Path) -> GroupWordLists:
    """Lists from a JSON file: {"words": [...], "groups": {attribute: {group: [...]}},
    "stop_words": [...]}. Raises SettingsError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return GroupWordLists(
            words=frozenset(_words(found["words"])),
            groups={
                attribute: {group: _words(words) for group, words in groups.items()}
                for attribute, groups in found["groups"].items()
            },
            stop_words=frozenset(_words(found.get("stop_words", []))),
            source=path.name,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(
            f'--words {path}: expected {{"words": [...], "groups": {{attribute: {{group: [...]}}}},'
            f' "stop_words": [...]}} ({type(error).__name__}: {error})'
        ) from error


def _words(found: object) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
        raise ValueError(f"a list of words is wanted, not {found!r:.60}")
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearWords:
    """One metric of words near groups. shown: what is shown of it besides its value. tokens: of a
    reply. scale: of the value that is shown."""

    shown: MetricValue
    metric: CooccurrenceBias | StereotypicalAssociations
    tokens: Callable[[str], Sequence[str]] = words
    scale: float = 1.0

    def tally(self, call_id: str, tokens: Sequence[str]) -> Tally:
        """The sums of one reply, from its tokens."""
        return self.metric.tally(Said(conversation=call_id, response=tokens))

    def estimate(self, tally: Tally) -> Reading | Undefined:
        """The value, or why there is none."""
        found = self.metric.estimate(tally)
        if isinstance(found, Undefined) or self.scale == 1.0:
            return found
        ends = (found.value, found.low, found.high)
        value, low, high = (end * self.scale for end in ends)
        return Reading(value=value, low=low, high=high, n=found.n)


def word_metrics(
    lists: GroupWordLists, wanted: Collection[str], *, is_langfair: bool = False
) -> Iterator[NearWords]:
    """COBS of attributes with two groups and SA of each.

    wanted: `cobs`, `stereotypical_associations` or both. is_langfair: as LangFair codes them.
    """
    for attribute, groups in lists.groups.items():
        if _COBS in wanted and len(groups) == _FEWEST:
            shown = _shown(_COBS, attribute, groups, lists)
            yield _langfair_cobs(shown, lists) if is_langfair else _cobs(shown, lists)
        if _SA in wanted:
            shown = _shown(_SA, attribute, groups, lists)
            yield _langfair_sa(shown, lists) if is_langfair else _sa(shown, lists)


def _shown(
    metric: str, attribute: str, groups: Collection[str], lists: GroupWordLists
) -> MetricValue:
    return MetricValue(
        metric=metric,
        title=title_of(metric),
        best=best_of(metric),
        attribute=attribute,
        groups=tuple(groups),
        notes=(lists.source,),
    )


def _cobs(shown: MetricValue, lists: GroupWordLists) -> NearWords:
    metric = CooccurrenceBias(
        name=f"{_COBS}:{shown.attribute}",
        words=lists.words,
        groups=lists.groups[shown.attribute],
        stop_words=lists.stop_words,
    )
    return NearWords(shown=shown, metric=metric)


def _langfair_cobs(shown: MetricValue, lists: GroupWordLists) -> NearWords:
    metric = CooccurrenceBias(
        name=f"{_COBS}:{shown.attribute}",
        words=lists.words,
        groups=lists.groups[shown.attribute],
        stop_words=lists.stop_words,
        absolute=True,
        verbatim=True,
    )
    return NearWords(shown=shown, metric=metric, tokens=langfair.cleaned, scale=1 / math.log(10))


def _sa(shown: MetricValue, lists: GroupWordLists) -> NearWords:
    groups = lists.groups[shown.attribute]
    name = f"{_SA}:{shown.attribute}"
    metric = StereotypicalAssociations(name=name, words=lists.words, groups=groups)
    return NearWords(shown=shown, metric=metric)


def _langfair_sa(shown: MetricValue, lists: GroupWordLists) -> NearWords:
    metric = StereotypicalAssociations(
        name=f"{_SA}:{shown.attribute}",
        words=lists.words,
        groups=lists.groups[shown.attribute],
        multiply=True,
        per_entry=True,
        verbatim=True,
    )
    return NearWords(shown=shown, metric=metric, tokens=_lowered_tokens)


def _lowered_tokens(text: str) -> Sequence[str]:
    return langfair.treebank(text.lower())
