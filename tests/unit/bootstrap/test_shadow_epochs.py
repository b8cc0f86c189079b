"""Which settings of a shadow begin a new epoch, and with it end the alarms that stand."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import cast

import pytest

from guard.bootstrap.shadow import _NOT_MEASURED, Shadowing, _fingerprint
from guard.bootstrap.storage import material_sizes
from guard.ports import Store
from guard.records import Posting
from guard.scoring import IMPORTED_VARIABLE, Engine, EngineOptions
from guard.settings import Counterfactual, ShadowSettings, parse_settings
from guard.shadow.monitor import epochs_of
from guard.store import open_store
from guard.testing import WordScorer
from tests.pair_models import write_pair_classifier
from tests.planted import LENGTH

SETTINGS = """
version: 1
use_cases:
  chat:
    shadow: {share: 1.0, attributes: [gender], CHANGED}
"""


class SharedScorer(WordScorer):
    """Scores for the shadow path as well."""

    def beside(self, options: EngineOptions) -> SharedScorer:
        """This one."""
        return self


def count_one_call(store: Store, changed: str, scoring: str = "") -> None:
    """A process with these settings compares a call."""
    settings = parse_settings(SETTINGS.replace("CHANGED", changed) + scoring, source="test")
    shadowing = Shadowing(settings, store, cast(Engine, SharedScorer({})))
    test = LENGTH.of_group("female")
    filed = shadowing.monitor.by_epoch("chat", {test.name: test.tally(0.1)})
    store.add([Posting(use_case="chat", at_seconds=0.0, evidence=filed)])


def epoch_after(changed: str) -> int:
    """The number of the epoch after a process with changed settings compared a call."""
    store = open_store("memory:", clock=lambda: 0.0)
    for one in ("generations: 2", changed):
        count_one_call(store, one)
    return epochs_of(store, "chat")[LENGTH.name].number


@pytest.mark.parametrize(
    "changed",
    [
        "flags: {length_gap: 0.7}",
        "confirmations: 8",
        "cases_per_day: 5",
        "reviewers: 2",
        "budget: {calls_per_minute: 5}",
        "material: {length_gap: 0.2}",
    ],
)
def test_what_people_are_shown_changes_no_figure_and_begins_no_epoch(changed: str) -> None:
    assert epoch_after(changed) == 0


@pytest.mark.parametrize("changed", ["generations: 3", "max_variants: 1", "control: false"])
def test_what_is_measured_does(changed: str) -> None:
    assert epoch_after(changed) == 1


def test_claims_begin_new_evidence_and_leaving_them_off_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(IMPORTED_VARIABLE, str(tmp_path))
    for name in ("pairs", "others"):
        write_pair_classifier(tmp_path / name, ("day",), name)
    store = open_store("memory:", clock=lambda: 0.0)
    numbers = []
    for claims, nli in (("false", ""), ("false", "pairs"), ("true", "pairs"), ("true", "others")):
        scoring = f"scoring: {{nli: {nli}}}\n" if nli else ""
        count_one_call(store, f"claims: {claims}", scoring)
        numbers.append(epochs_of(store, "chat")[LENGTH.name].number)
    assert numbers == [0, 0, 1, 2]


LATER = ("claims", "rewrite_system")
"""Settings that came later, as long as they are not used."""


def test_the_fingerprint_is_what_it_was_before_there_were_later_settings() -> None:
    shadow = ShadowSettings(share=1.0)
    words, made_by = Counterfactual(), {"classifier": "c 1", "evenguard": "0", "pairs": "p 1"}
    measured = shadow.model_dump(mode="json", exclude={*_NOT_MEASURED, *LATER})
    what = json.dumps([measured, words.model_dump(mode="json"), "c 1", "0"], sort_keys=True)
    known = blake2b(what.encode(), digest_size=8).hexdigest()
    assert _fingerprint(shadow, words, made_by) == known
    assert _fingerprint(shadow.model_copy(update={"claims": True}), words, made_by) != known
    assert (
        _fingerprint(shadow.model_copy(update={"rewrite_system": False}), words, made_by) != known
    )


def test_material_sizes_of_claims_are_said_where_claims_are_compared() -> None:
    without, with_them = (material_sizes(ShadowSettings(claims=on)) for on in (False, True))
    assert {*with_them} - {*without} == {"claims_contrast"}
    assert without == {name: with_them[name] for name in without}


def test_another_embedder_does() -> None:
    store = open_store("memory:", clock=lambda: 0.0)
    for scoring in ("", "scoring: {embedder: sentence-minilm}\n"):
        count_one_call(store, "generations: 2", scoring)
    assert epochs_of(store, "chat")[LENGTH.name].number == 1
