"""What is particular to the store in a SQLite file: the file itself."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from guard.errors import SettingsError, StoreError
from guard.ports import Store
from guard.records import Batch, CaseFilter, InboxCounts, Offered, Position
from guard.store import open_store
from guard.store.common import StoreOptions
from guard.store.sqlite import SqliteStore, schema
from guard.store.sqlite.connections import IDLE_READERS
from tests.contract.clock import ManualClock
from tests.contract.made import NEARBY, case, job, keys, leased, posting

ROOT = Path(__file__).parents[2]
BATCH = Batch(jobs=(job("j1"), job("j2")), postings=(posting(n=2.0),), cases=(case(),))
HERE = Position(spool="s", end=1)
Open = Callable[[], Store]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def reopen(file: Path) -> Iterator[Open]:
    stores: list[Store] = []

    def opened() -> Store:
        stores.append(open_store(f"sqlite:///{file}", clock=ManualClock()))
        return stores[-1]

    yield opened
    for store in stores:
        store.shut()


@pytest.fixture
def store(reopen: Open) -> Store:
    return reopen()


def inside(file: Path, statement: str, values: object = ()) -> list[tuple[object, ...]]:
    """What the file says to somebody who knows SQL."""
    connection = sqlite3.connect(file, isolation_level=None)
    try:
        return connection.execute(statement, values).fetchall()  # type: ignore[arg-type]
    finally:
        connection.close()


# What the URL names


def test_a_relative_path_is_below_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///kept.db", clock=ManualClock())
    monkeypatch.chdir("/")
    store.offer(job())
    store.shut()
    assert (tmp_path / "kept.db").stat().st_size > 0


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:",
        "sqlite://",
        "sqlite:///",
        "sqlite://file.db",
        "sqlite:///:memory:",
        "sqlite:///a/",
    ],
)
def test_a_url_without_a_file_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"store\.url.*names no file"):
        open_store(url, clock=ManualClock())


@pytest.mark.parametrize("place", ["missing/store.db", ""])
def test_a_place_where_nothing_can_be_kept_is_refused(tmp_path: Path, place: str) -> None:
    url = f"sqlite:///{tmp_path / place}"
    with pytest.raises(StoreError, match=r"must exist.*writable.*store\.url") as raised:
        open_store(url, clock=ManualClock())
    assert url in str(raised.value)
    assert isinstance(raised.value.__cause__, sqlite3.Error | OSError)


def test_a_file_that_is_no_database_is_left_alone(file: Path) -> None:
    text = b"my thesis\n" * 1000
    file.write_bytes(text)
    with pytest.raises(StoreError, match=r"not a database.*something else.*store\.url"):
        open_store(f"sqlite:///{file}", clock=ManualClock())
    assert file.read_bytes() == text


def test_a_database_of_another_application_is_left_alone(file: Path) -> None:
    inside(file, "CREATE TABLE cases (id TEXT)")
    with pytest.raises(StoreError, match=r"another application.*store\.url"):
        open_store(f"sqlite:///{file}", clock=ManualClock())
    assert inside(file, "SELECT name FROM sqlite_master") == [("cases",)]


def test_a_database_of_a_later_version_is_left_alone(file: Path, reopen: Open) -> None:
    reopen().shut()
    inside(file, "PRAGMA user_version = 999")
    with pytest.raises(StoreError, match=r"version 999.*later evenguard.*store\.url"):
        reopen()


# Versions


def steps(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    texts = schema.migrations()[:count]
    monkeypatch.setattr("guard.store.sqlite.migrations", lambda: texts)


def tables(file: Path) -> list[tuple[object, ...]]:
    return inside(file, "SELECT type, name, sql FROM sqlite_master ORDER BY type, name")


def test_migrations_are_numbered_without_gaps() -> None:
    folder = Path(schema.__file__).parents[1] / "sql"
    numbers = [int(path.name[:4]) for path in sorted(folder.glob("*.sql"))]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(schema.migrations()) == len(numbers) >= 3


def test_every_statement_has_a_name_of_its_own_and_is_run() -> None:
    code = Path(schema.__file__).parent
    texts = "".join(path.read_text() for path in (code.parent / "sql" / "statements").glob("*.sql"))
    names = re.findall(r"^-- (.*)$", texts, flags=re.MULTILINE)
    used = {name for path in code.glob("*.py") for name in re.findall(r'"(\w+)"', path.read_text())}
    statements = schema.read_statements()
    assert sorted(names) == sorted(statements)
    assert statements.keys() <= used
    assert all(
        sqlite3.complete_statement(one) and one.count(";") == 1 for one in statements.values()
    )


@pytest.mark.parametrize("older", [0, 1, 2])
def test_an_older_file_is_brought_up_to_date(
    file: Path, reopen: Open, monkeypatch: pytest.MonkeyPatch, older: int
) -> None:
    fresh = file.with_name("fresh.db")
    open_store(f"sqlite:///{fresh}", clock=ManualClock()).shut()
    if older:
        with monkeypatch.context() as patched:
            steps(patched, older)
            old = reopen()
            old.offer(job())
            old.shut()
    assert inside(file, "PRAGMA user_version") == [(older,)]
    new = reopen()
    assert keys(leased(new)) == ["j1"] * bool(older)
    new.open(case())
    new.add([posting(n=1.0)])
    assert tables(file) == tables(fresh)
    assert inside(file, "PRAGMA user_version") == [(len(schema.migrations()),)]


def test_a_migration_that_fails_changes_nothing(
    file: Path, reopen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        steps(patched, 1)
        reopen().shut()
    before = tables(file)
    texts = [*schema.migrations(), "CREATE TABLE more (id);\nCREATE TABLE more (id);\n"]
    monkeypatch.setattr("guard.store.sqlite.migrations", lambda: texts)
    with pytest.raises(StoreError, match="more already exists"):
        reopen()
    assert tables(file) == before
    assert inside(file, "PRAGMA user_version") == [(1,)]


def test_processes_that_migrate_at_once_make_one_store(file: Path) -> None:
    script = (
        "import sys, time; from guard.store import open_store;"
        "print('ready', flush=True); sys.stdin.readline();"
        "store = open_store(sys.argv[1], clock=time.time); store.note(actor='me', event='was here')"
    )
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", script, f"sqlite:///{file}"]
    crews = [
        subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        for _ in range(8)
    ]
    for crew in crews:
        assert crew.stdout is not None
        assert crew.stdout.readline() == "ready\n"
    for crew in crews:
        assert crew.stdin is not None
        crew.stdin.write("go\n")
        crew.stdin.flush()
    said = [crew.communicate(timeout=60)[1] for crew in crews]
    assert [crew.returncode for crew in crews] == [0] * 8, said
    assert inside(file, "SELECT count(*) FROM audit") == [(8,)]


# Faults in the middle


@pytest.mark.parametrize("table", ["jobs", "sums", "keys", "cases", "case_reasons", "audit"])
def test_a_batch_that_fails_in_the_middle_leaves_nothing(
    file: Path, store: Store, table: str
) -> None:
    inside(
        file,
        f"CREATE TRIGGER fault BEFORE INSERT ON {table}"
        " BEGIN SELECT RAISE (ABORT, 'a planted fault'); END",
    )
    with pytest.raises(StoreError, match=r"a planted fault.*store\.url"):
        store.accept(BATCH, HERE)
    assert store.position("s") == 0
    assert store.job_counts() == InboxCounts()
    assert store.use_cases() == []
    assert store.query(CaseFilter()) == []
    assert store.audit() == []
    inside(file, "DROP TRIGGER fault")
    assert store.accept(BATCH, HERE)


@pytest.mark.parametrize("table", ["ended", "sums", "cases", "audit"])
def test_an_end_that_fails_in_the_middle_leaves_the_job(
    file: Path, store: Store, table: str
) -> None:
    store.offer(job())
    [lease] = leased(store)
    inside(
        file,
        f"CREATE TRIGGER fault BEFORE INSERT ON {table}"
        " BEGIN SELECT RAISE (ABORT, 'a planted fault'); END",
    )
    with pytest.raises(StoreError, match="a planted fault"):
        store.finish(lease, postings=BATCH.postings, cases=BATCH.cases)
    assert store.job_counts().leased == 1
    assert store.use_cases() == []
    assert store.query(CaseFilter()) == []
    inside(file, "DROP TRIGGER fault")
    assert store.finish(lease, postings=BATCH.postings, cases=BATCH.cases)


def test_the_audit_can_only_be_added_to(file: Path, store: Store) -> None:
    store.open(case())
    for statement in ("DELETE FROM audit", "UPDATE audit SET actor = 'nobody'"):
        with pytest.raises(sqlite3.IntegrityError, match="only ever added to"):
            inside(file, statement)
    assert len(store.audit()) == 1


def test_a_disk_that_is_full_is_an_error_and_no_loss(file: Path, store: Store) -> None:
    store.accept(BATCH, HERE)
    assert isinstance(store, SqliteStore)
    with store._writing() as db:
        [pages] = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match=r"full.*store\.url"):
        store.accept(Batch(cases=(case("c2", body="x" * 10**6),)), Position(spool="s", end=2))
    assert store.position("s") == 1
    assert store.case("c2") is None
    db.execute("PRAGMA max_page_count = 1000000")
    assert store.accept(Batch(cases=(case("c2"),)), Position(spool="s", end=2))


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_moved_while_it_is_open_is_an_error_and_no_loss(
    file: Path, reopen: Open, replaced: bool
) -> None:
    """SQLite would write on into the file that is not there any more."""
    store, elsewhere = reopen(), file.with_name("elsewhere.db")
    store.accept(BATCH, HERE)
    file.rename(elsewhere)
    if replaced:
        file.touch()
    for use in (lambda: store.offer(job("j3")), lambda: store.case("c1")):
        with pytest.raises(StoreError, match=r"moved, deleted or replaced.*store\.url"):
            use()
    assert file.exists() == replaced
    elsewhere.replace(file)
    assert store.position("s") == 1
    assert store.offer(job("j3")) is Offered.ACCEPTED


def delete_log(file: Path, *ends: str) -> None:
    for end in ends:
        file.with_name(file.name + end).unlink()


@pytest.mark.parametrize("ends", [("-wal", "-shm"), ("-wal",), ("-shm",)])
def test_a_log_that_is_deleted_while_it_is_open_loses_nothing(
    file: Path, reopen: Open, caplog: pytest.LogCaptureFixture, ends: tuple[str, ...]
) -> None:
    """SQLite would write on into the log that is not there any more."""
    store, other = reopen(), reopen()
    assert other.case("c1") is None
    store.accept(BATCH, HERE)
    delete_log(file, *ends)
    assert store.accept(Batch(cases=(case("c2"),)), Position(spool="s", end=2))
    assert other.accept(Batch(cases=(case("c3"),)), Position(spool="s", end=3))
    store.shut()
    other.shut()
    found = reopen()
    assert [one.case.id for one in found.query(CaseFilter())] == ["c1", "c2", "c3"]
    assert found.position("s") == 3
    assert inside(file, "PRAGMA integrity_check") == [("ok",)]
    assert "what was in it is saved (setting store.url)" in caplog.text


def test_what_is_written_while_the_log_is_deleted_is_not_confirmed(
    file: Path, store: Store
) -> None:
    store.accept(BATCH, HERE)
    assert isinstance(store, SqliteStore)

    def write() -> None:
        with store._writing() as db:
            db.run("keep_position", ("s", 2))
            delete_log(file, "-wal", "-shm")

    with pytest.raises(StoreError, match=r"write-ahead log.*is sent again.*store\.url"):
        write()
    assert store.accept(Batch(cases=(case("c2"),)), Position(spool="s", end=3))
    assert store.case("c1") is not None


def test_a_log_that_others_have_begun_anew_is_left_to_them(
    file: Path, reopen: Open, caplog: pytest.LogCaptureFixture
) -> None:
    store = reopen()
    store.accept(BATCH, HERE)
    delete_log(file, "-wal", "-shm")
    script = (
        "import sys, time; from guard.store import open_store;"
        "from tests.contract.made import case;"
        "store = open_store(sys.argv[1], clock=time.time); store.open(case('of another'));"
        "print('ready', flush=True); sys.stdin.readline(); store.shut()"
    )
    command = [sys.executable, "-c", script, f"sqlite:///{file}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as another:
        assert another.stdout is not None
        assert another.stdout.readline() == "ready\n"
        assert store.accept(Batch(cases=(case("c2"),)), Position(spool="s", end=2))
        another.communicate("go\n", timeout=60)
    assert "what nobody saved of it is lost" in caplog.text
    assert {one.case.id for one in store.query(CaseFilter())} >= {"of another", "c2"}
    assert inside(file, "PRAGMA integrity_check") == [("ok",)]


def truncate(file: Path) -> None:
    os.truncate(file, 5000)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def spoil(file: Path) -> None:
    with file.open("r+b") as there:
        there.seek(100)
        there.write(bytes(range(250)) * 32)


def copy_another(file: Path) -> None:
    another = file.with_name("another.db")
    inside(another, "CREATE TABLE cases (id TEXT)")
    shutil.copy(another, file)


@pytest.mark.parametrize("overwrite", [truncate, empty, spoil, copy_another])
def test_a_file_that_is_overwritten_in_place_takes_nothing(
    file: Path, store: Store, overwrite: Callable[[Path], None]
) -> None:
    """It is the same file by its name and number, so that SQLite would go on."""
    store.accept(BATCH, HERE)
    overwrite(file)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"store\.url"):
            store.accept(Batch(cases=(case("c2"),)), Position(spool="s", end=2))
        with pytest.raises(StoreError, match=r"store\.url"):
            store.case("c1")


def test_a_large_file_is_checked_once_damage_was_found(
    file: Path, reopen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole check of it would take long."""
    monkeypatch.setattr("guard.store.sqlite.connections.CHECKED_WHOLE", 0)
    first = reopen()
    for number in range(200):
        first.open(case(f"c{number}", body="x" * 1000))
    first.shut()
    store = reopen()
    with file.open("r+b") as there:
        there.seek(file.stat().st_size // 2)
        there.write(bytes(range(250)) * 400)
    with pytest.raises(StoreError, match="malformed"):
        store.query(CaseFilter(), limit=1000)
    with pytest.raises(StoreError, match=r"damaged, or was overwritten: [^\n]*store\.url"):
        store.accept(BATCH, HERE)


def test_a_file_that_sqlite_itself_writes_to_is_used_on(file: Path, store: Store) -> None:
    store.accept(BATCH, HERE)
    for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint"):
        inside(file, statement)
        assert store.case("c1") is not None
        assert store.open(case(f"after {statement}"))


# Threads and forks


def test_a_file_that_is_locked_is_opened(file: Path, store: Store, reopen: Open) -> None:
    store.add([posting()])
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert reopen().use_cases() == store.use_cases()


def test_a_damaged_file_is_not_opened(file: Path, store: Store, reopen: Open) -> None:
    cases = tuple(case(f"c{number}") for number in range(300))
    store.accept(Batch(cases=cases), HERE)
    store.shut()
    content = bytearray(file.read_bytes())
    content[8192::512] = bytes(255 - byte for byte in content[8192::512])
    file.write_bytes(content)
    with pytest.raises(StoreError, match=r"damaged, or was overwritten: [^\n]*store\.url"):
        reopen()


def test_damage_that_is_no_text_is_an_error_of_the_store(
    file: Path, store: Store, reopen: Open
) -> None:
    store.shut()
    content = file.read_bytes()
    assert b"CREATE TABLE made_with" in content
    file.write_bytes(content.replace(b"CREATE TABLE made_with", b"CREATE TABLE '\xff\xfe(hhhh"))
    with pytest.raises(StoreError, match="damaged"):
        reopen()


def test_readers_are_not_kept_waiting_by_a_writer(file: Path, store: Store) -> None:
    store.accept(BATCH, HERE)
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM cases")
    assert store.total("support-chat", NEARBY) == {"n": 2.0}
    assert store.case("c1") is not None
    assert leased(store, lanes=["nothing there"]) == []
    writer.execute("ROLLBACK")
    writer.close()


def test_a_file_that_stays_locked_is_an_error(
    file: Path, reopen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("guard.store.sqlite.connections.BUSY_SECONDS", 0.05)
    store = reopen()
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"locked: another process.*store\.url"):
        store.offer(job())
    writer.close()
    assert store.offer(job()) is Offered.ACCEPTED


def test_a_store_may_be_shut_while_it_is_read(store: Store) -> None:
    assert isinstance(store, SqliteStore)
    with store._reading() as db:
        store.shut()
        assert db.execute("SELECT 1").fetchone() == (1,)
    with pytest.raises(sqlite3.ProgrammingError):
        db.execute("SELECT 1")


def test_many_readers_leave_few_connections(store: Store) -> None:
    assert isinstance(store, SqliteStore)
    barrier = threading.Barrier(20)

    def read() -> None:
        with store._reading() as db:
            db.execute("SELECT 1")
            barrier.wait()

    threads = [threading.Thread(target=read) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store._connections._readers) == IDLE_READERS


def test_options_say_which_bucket() -> None:
    options = StoreOptions(clock=ManualClock(), bucket_seconds=60.0, max_jobs=1, new_token=str)
    assert [options.bucket(at) for at in (-0.1, 0.0, 59.9, 60.0)] == [-1, 0, 0, 1]


def test_cases_in_a_state_that_a_newer_version_made_hide_no_others(
    file: Path, store: Store
) -> None:
    store.accept(BATCH, HERE)
    before = dict(store.case_counts())
    inside(file, "INSERT INTO case_counts VALUES ('chat', 'frozen', 3)")
    assert store.case_counts() == before
    assert before
