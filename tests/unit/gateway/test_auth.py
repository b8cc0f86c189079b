"""Who may ask, and that a key is nowhere to be seen."""

from __future__ import annotations

from hashlib import sha256

import pytest

from guard.errors import SettingsError
from guard.gateway.auth import ApiKey, keys_of
from guard.settings import Settings, parse_settings

SECRET = "sk-guard-5f3c2a"


def settings(keys: str, use_cases: str = "{chat: {}, sums: {}}") -> Settings:
    return parse_settings(f"use_cases: {use_cases}\ngateway:\n  keys: [{keys}]\n")


def test_keys_come_from_the_environment_or_as_digests() -> None:
    digest = sha256(b"other").hexdigest()
    keys = keys_of(
        settings(
            f"{{name: web, key_env: WEB, use_cases: [chat]}}, {{name: all, sha256: {digest}}}"
        ),
        {"WEB": SECRET},
    )
    web, everything = keys.find(SECRET.encode()), keys.find(b"other")
    assert web is not None
    assert everything is not None
    assert (web.name, web.allows("chat"), web.allows("sums")) == ("web", True, False)
    assert (everything.name, everything.allows("sums")) == ("all", True)
    assert keys.find(b"another") is None
    assert keys.find(b"") is None
    assert keys.find(digest.encode()) is None


def test_no_keys_are_false() -> None:
    assert not keys_of(Settings())


def test_every_key_is_compared_whichever_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(other)
        return one == other

    monkeypatch.setattr("guard.gateway.auth.hmac.compare_digest", compare)
    both = "{name: a, key_env: A}, {name: b, key_env: B}"
    keys = keys_of(settings(both), {"A": "one", "B": "two"})
    for presented in (b"one", b"two", b"neither"):
        compared.clear()
        keys.find(presented)
        assert len(compared) == 2


@pytest.mark.parametrize(
    ("keys", "environment", "said"),
    [
        ("{name: web, key_env: WEB}", {}, "WEB is not set"),
        ("{name: web, key_env: WEB}", {"WEB": ""}, "WEB is not set"),
        ("{name: web, key_env: WEB}", {"WEB": f"{SECRET}\n"}, "a line break"),
        ("{name: web, key_env: WEB}", {"WEB": f"{SECRET} x"}, "a space"),
        ("{name: web, key_env: WEB, use_cases: [sales]}", {"WEB": SECRET}, "'sales' is not decl"),
        ("{name: a, key_env: WEB}, {name: b, key_env: WEB}", {"WEB": SECRET}, "same name or key"),
        ("{name: a, key_env: A}, {name: a, key_env: B}", {"A": SECRET, "B": "x"}, "same name"),
    ],
)
def test_what_is_wrong_with_a_key_is_said_without_the_key(
    keys: str, environment: dict[str, str], said: str
) -> None:
    with pytest.raises(SettingsError) as raised:
        keys_of(settings(keys), environment)
    assert said in str(raised.value)
    assert str(raised.value).startswith("gateway.keys.")
    assert SECRET not in str(raised.value)


def test_a_key_does_not_show_itself() -> None:
    assert "digest" not in repr(ApiKey(name="web", digest=b"secret"))


@pytest.mark.parametrize("key", ["{name: a}", f"{{name: a, key_env: A, sha256: {'a' * 64}}}"])
def test_a_key_is_in_one_place(key: str) -> None:
    with pytest.raises(SettingsError, match="either key_env or sha256"):
        settings(key)
