"""`guard review` as an admin runs it."""

from __future__ import annotations

import csv
import io
import json
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from guard.bootstrap.review import open_accounts
from guard.ports import Store
from guard.review.accounts import Role
from guard.review.service import ReviewService
from guard.store import open_store
from tests.unit.review.made import body, pair, response

PASSWORD = "correct horse battery\n"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/cases.db"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = open_store(url, clock=time.time)
    yield store
    store.shut()


@pytest.fixture
def judged(store: Store) -> None:
    """Thirty cases, of which 24 are decided; one in six of those is no bias."""
    now = time.time()
    for number in range(30):
        opened_at = now - (30 - number) * 86_400
        case = pair(f"p{number:02}", opened_at=opened_at, body=body(same_prompt="xylophone"))
        store.open(case)
    desk = ReviewService(store=store, clock=time.time, order_key=b"key")
    for number in range(24):
        opened = desk.next("ann")
        assert opened is not None
        verdict = "biased" if number % 6 else "not_different"
        desk.decide(opened.record.case.id, "ann", verdict, note="=1+1")


def guard(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "guard", "review", *arguments]
    return subprocess.run(
        command, input=given, capture_output=True, text=True, timeout=60, check=False
    )


def said(*arguments: str, given: str = "") -> str:
    done = guard(*arguments, given=given)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_people_are_added_changed_and_removed(url: str, store: Store) -> None:
    at = ("--store", url, "--password-stdin")
    assert said("add-user", "ann", "--role", "admin", *at, given=PASSWORD) == "ann: admin\n"
    assert said("users", "--store", url) == "ann\tadmin\n"
    found = open_accounts(store).check("ann", PASSWORD.strip())
    assert found is not None
    assert found.role is Role.ADMIN
    said("passwd", "ann", *at, given="another good one\n")
    assert open_accounts(store).check("ann", PASSWORD.strip()) is None
    said("remove-user", "ann", "--store", url)
    trail = [(one.event, one.detail) for one in store.audit() if one.actor.startswith("command")]
    assert trail == [
        ("person_added", "ann as admin"),
        ("person_changed", "ann password"),
        ("person_removed", "ann"),
    ]
    assert said("users", "--store", url) == ""


def test_what_cannot_be_is_one_line(url: str) -> None:
    for arguments, message in (
        (("add-user", "ann", "--password-stdin", "--store", url), "12 to 1024 characters"),
        (("remove-user", "ann", "--store", url), "there is no account named ann"),
        (("list",), "give --store URL"),
        (("list", "--store", "memory:"), "known to one process alone"),
    ):
        done = guard(*arguments, given="short\n")
        assert done.returncode in {1, 2}
        assert message in done.stderr
        assert done.stderr.count("\n") == 1


def test_cases_are_listed_without_what_they_say(url: str, judged: None) -> None:
    lines = said("list", "--store", url, "--state", "open").splitlines()
    assert [line.split("\t")[0] for line in lines] == [f"p{number}" for number in range(24, 30)]
    assert "xylophone" not in "".join(lines)
    old = said("list", "--store", url, "--older-than-days", "25.5", "--json").splitlines()
    assert [json.loads(line)["id"] for line in old] == ["p00", "p01", "p02", "p03", "p04"]


def test_exports_are_what_they_are_called(url: str, judged: None, tmp_path: Path) -> None:
    out = tmp_path / "cases.csv"
    said("export", "--store", url, "--format", "csv", "--out", str(out))
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert len(rows) == 30
    assert rows[0]["vote_notes"] == "ann: =1+1"
    lines = said("export", "--store", url, "--state", "closed", "--no-texts").splitlines()
    assert len(lines) == 24
    assert "xylophone" not in "".join(lines)
    audit = said("export", "--store", url, "--format", "audit").splitlines()
    assert [json.loads(line)["number"] for line in audit] == list(range(1, len(audit) + 1))


@pytest.mark.parametrize("before", [None, 0o644], ids=["new", "there"])
def test_an_export_is_for_its_owner_alone(
    url: str, judged: None, tmp_path: Path, before: int | None
) -> None:
    out = tmp_path / "cases.jsonl"
    if before is not None:
        out.write_text("of before\n" * 100_000)
        out.chmod(before)
    said("export", "--store", url, "--out", str(out))
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert len(out.read_text(encoding="utf-8").splitlines()) == 30


def test_a_place_where_no_export_can_be_is_told(url: str, judged: None, tmp_path: Path) -> None:
    done = guard("export", "--store", url, "--out", f"{tmp_path}/a/b")
    assert done.returncode == 1
    assert "No such file or directory" in done.stderr
    assert done.stderr.count("\n") == 1


def test_thresholds_are_proposed_with_what_is_missing(url: str, judged: None) -> None:
    told = said("thresholds", "--store", url)
    assert "chat / toxicity_gap: 83% [64%, 93%] of 24 right from 0.7 on" in told
    assert "more verdicts there would make it sure" in told
    plain = json.loads(said("thresholds", "--store", url, "--json").splitlines()[0])
    assert (plain["reason"], plain["threshold"], plain["high"]) == ("sentiment_gap", 0.45, None)
    assert plain["more_verdicts"] > 100


def files_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("cases.db*"))


def test_purge_and_erase_really_delete(
    url: str, store: Store, judged: None, tmp_path: Path
) -> None:
    store.open(response(body=json.dumps({"version": 1, "reply": "glockenspiel"}), call_id="c"))
    store.open(pair("kept", opened_at=time.time(), body=body(same_prompt="marimba")))
    assert b"glockenspiel" in files_of(tmp_path)
    assert said("erase", "c", "--store", url) == "erased: 1 cases and jobs\n"
    assert b"glockenspiel" not in files_of(tmp_path)
    settings = tmp_path / "guard.yaml"
    settings.write_text(f'store: {{url: "{url}"}}\nreview: {{retention_days: 20}}\n')
    assert said("purge", "--settings", str(settings)) == "erased: 11 cases and jobs\n"
    assert b"xylophone" in files_of(tmp_path)
    assert said("purge", "--store", url, "--older-than-days", "0.5") == (
        "erased: 19 cases and jobs\n"
    )
    assert b"xylophone" not in files_of(tmp_path)
    assert b"marimba" in files_of(tmp_path)


@pytest.mark.parametrize("days", ["nan", "inf"])
def test_a_number_of_days_is_finite(url: str, store: Store, days: str) -> None:
    done = guard("purge", "--store", url, "--older-than-days", days)
    assert done.returncode == 2
    assert "is not a finite number" in done.stderr


def test_an_id_that_nothing_has_is_told(url: str, store: Store) -> None:
    done = guard("erase", "misspelt", "--store", url)
    assert (done.returncode, done.stdout) == (0, "erased: 0 cases and jobs\n")
    assert "no case or job was about a call 'misspelt'" in done.stderr
    done = guard("erase", "", "--store", url)
    assert done.returncode == 2
    assert "CALL_ID: is empty" in done.stderr


def test_where_all_would_go_it_has_to_be_said(url: str, store: Store, tmp_path: Path) -> None:
    """By a clock that is far ahead everything is old."""
    store.open(pair(opened_at=time.time() - 100 * 86_400))
    done = guard("purge", "--store", url)
    assert done.returncode == 1
    assert "older than 90 days" in done.stderr
    assert "--all-old (setting review.retention_days)" in done.stderr
    assert store.case("p1") is not None
    assert said("purge", "--store", url, "--all-old") == "erased: 1 cases and jobs\n"
    store.open(pair("p2", call_id="c2", opened_at=time.time()))
    assert said("purge", "--store", url, "--older-than-days", "0") == "erased: 1 cases and jobs\n"


def test_without_an_age_nothing_is_purged(url: str, tmp_path: Path) -> None:
    settings = tmp_path / "guard.yaml"
    settings.write_text(f'store: {{url: "{url}"}}\nreview: {{retention_days: null}}\n')
    done = guard("purge", "--settings", str(settings))
    assert done.returncode == 2
    assert "--older-than-days" in done.stderr
