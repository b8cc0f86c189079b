"""The store and the spool of version 0.1 are found under their old default names."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from guard.bootstrap.storage import connect_store, open_storage, with_old_name
from guard.settings import StoreSettings
from tests import stored_0_1

DEFAULTS = StoreSettings()
OLD = ("sqlite:///fairguard.db", "fairguard-spool")
NEW = ("sqlite:///evenguard.db", "evenguard-spool")


def found(*names: str, settings: StoreSettings = DEFAULTS) -> tuple[tuple[str, str], int]:
    """URL and spool with these files there, and how many notices."""
    chosen, of_url = with_old_name(settings, "url", lambda name: name in names)
    chosen, of_spool = with_old_name(chosen, "spool", lambda name: name in names)
    return (chosen.url, chosen.spool), bool(of_url) + bool(of_spool)


def test_what_is_only_there_under_its_old_name_is_used() -> None:
    assert found() == (NEW, 0)
    assert found("fairguard.db", "fairguard-spool") == (OLD, 2)
    assert found("fairguard.db") == ((OLD[0], NEW[1]), 1)
    assert found("fairguard-spool", "evenguard.db") == ((NEW[0], OLD[1]), 1)


def test_what_is_there_under_its_new_name_is_used() -> None:
    everything = ("fairguard.db", "fairguard-spool", "evenguard.db", "evenguard-spool")
    assert found(*everything) == (NEW, 0)


@pytest.mark.parametrize("url", ["sqlite:///evenguard.db", "memory:", "redis://localhost"])
def test_a_name_that_is_set_is_kept(url: str) -> None:
    settings = StoreSettings(url=url, spool="here")
    assert found("fairguard.db", "fairguard-spool", settings=settings) == ((url, "here"), 0)
    given = DEFAULTS.model_copy(update={"url": url})  # as `--store` does it
    assert found("fairguard.db", settings=given)[0][0] == url


def test_other_settings_stay() -> None:
    chosen, _ = with_old_name(
        StoreSettings(max_jobs=7, spool_mb=3), "url", lambda name: name == "fairguard.db"
    )
    assert chosen.url == OLD[0]
    assert (chosen.max_jobs, chosen.spool_mb) == (7, 3)


def test_old_files_are_opened_with_a_notice_that_names_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    stored_0_1.sqlite_url(tmp_path)
    stored_0_1.spool_folder(tmp_path)
    with caplog.at_level(logging.WARNING, "guard.store"):
        store = connect_store(StoreSettings())
        assert store.position("review/audit") > 0
        store.shut()
        caplog.clear()
        storage = open_storage(StoreSettings())
        storage.close(drain_seconds=30.0)
    assert storage.shipper.counts().shipped == 6
    url, spool = (record.getMessage() for record in caplog.records[:2])
    assert all(word in url for word in ("fairguard.db", "evenguard.db", "store.url"))
    assert all(word in spool for word in ("fairguard-spool", "evenguard-spool", "store.spool"))
    assert {path.name for path in tmp_path.iterdir()} == {"fairguard.db", "fairguard-spool"}
