"""Addresses, names and scripts of the Redis store, without a server."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import exceptions

import guard.store
from guard.errors import SettingsError
from guard.store import open_store
from guard.store.redis import read_address
from guard.store.redis.encoding import age
from guard.store.redis.scripts import read_script
from guard.store.redis.server import describe_error, is_away

LUA = Path(guard.store.__file__).parent / "lua"
SCRIPTS = sorted(path.stem for path in LUA.glob("*.lua"))
MOMENTS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("url", "driver", "shown", "root"),
    [
        ("redis://h", "redis://h", "redis://h", "{guard}"),
        ("redis://h:1/2?prefix=a-b", "redis://h:1/2", "redis://h:1/2", "{a-b}"),
        ("redis://:pw@h", "redis://:pw@h", "redis://:***@h", "{guard}"),
        ("redis://ann:p%2Fw@[::1]:9", "redis://ann:p%2Fw@[::1]:9", "redis://ann:***@[::1]:9", None),
        (
            "rediss://h/?ssl_ca_certs=%2Fca.pem",
            "rediss://h/?ssl_ca_certs=%2Fca.pem",
            "rediss://h/",
            None,
        ),
    ],
)
def test_an_address(url: str, driver: str, shown: str, root: str | None) -> None:
    address = read_address(url)
    assert (address.url, address.shown) == (driver, shown)
    assert address.root == (root or "{guard}")


@pytest.mark.parametrize(
    "url",
    [
        "redis://",
        "redis:///0",
        "redis://:hunter2/x@h",
        "redis://:hunter2#x@h:1",
        "redis://:hunter2@h:hunter2",
        "redis://:hunter2@h:0",
        "redis://:hunter2@h/zero",
        "redis://:hunter2@[h",
        "redis://:hunter2@h?prefix={x}",
        "redis://:hunter2@h?prefix=",
        "redis://:hunter2@h?password=hunter2",
    ],
)
def test_an_address_that_cannot_be_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_store(url, clock=lambda: 0.0)
    assert str(caught.value).startswith("store.url: ")
    assert "hunter2" not in repr(caught.value)
    assert caught.value.__cause__ is None


def test_without_redis_py_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    importing = builtins.__import__

    def without(name: str, *args: object) -> object:
        if name == "redis":
            raise ModuleNotFoundError("No module named 'redis'", name="redis")
        return importing(name, *args)

    for name in [name for name in sys.modules if name.startswith("guard.store.redis.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SettingsError, match=r"pip install 'evenguard\[redis\]'"):
        open_store("redis://h", clock=lambda: 0.0)


@given(MOMENTS, MOMENTS)
def test_ages_stand_in_the_order_of_the_moments(one: float, other: float) -> None:
    assert (age(one) < age(other)) == (one < other)
    assert (age(one) == age(other)) == (one == other)
    assert len(age(one)) == 16


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_has_the_parts_it_uses(name: str) -> None:
    script = read_script(name)
    assert script.text.startswith("#!lua"), "without it a script may fail half done"
    assert script.text.count("#!lua") == 1
    assert "local call = redis.call" in script.text
    assert len(script.sha) == 40


def test_a_script_that_only_reads_says_so() -> None:
    kinds = {name: read_script(name).text.partition("\n")[0] for name in SCRIPTS}
    reading = {name for name, kind in kinds.items() if "no-writes" in kind}
    cases = {"select", "queue", "case_counts", "oldest", "trail"}
    assert reading == {"job_counts", "lanes", "dead_letters", *cases}


@pytest.mark.parametrize(
    ("error", "words", "away"),
    [
        (exceptions.ConnectionError("Error 111"), "cannot be reached", True),
        (exceptions.TimeoutError("Timeout"), "does not answer in time", True),
        (exceptions.BusyLoadingError("LOADING"), "still loading", True),
        (exceptions.AuthenticationError("WRONGPASS"), "refuses the user or password", False),
        (exceptions.ResponseError("NOAUTH needed"), "refuses the user or password", False),
        (exceptions.ReadOnlyError("READONLY"), "is a read-only replica", False),
        (exceptions.OutOfMemoryError("OOM"), "is out of memory", False),
        (exceptions.MasterDownError("Link is down"), "cannot answer at this moment", True),
        (exceptions.ResponseError("BUSY Redis is busy"), "cannot answer at this moment", True),
        (exceptions.ResponseError("NOREPLICAS Not enough"), "comes back by itself", True),
        (exceptions.ResponseError("MISCONF disk"), "refuses a command (store.url): MISCONF", False),
    ],
)
def test_every_failure_has_words_and_a_setting(error: Exception, words: str, *, away: bool) -> None:
    assert words in describe_error(error)
    assert "store.url" in describe_error(error)
    assert is_away(error) is away
