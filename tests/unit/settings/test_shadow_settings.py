"""The settings of what is kept and of the shadow path."""

from __future__ import annotations

import pytest

from guard.errors import SettingsError
from guard.settings import parse_settings


def test_nothing_is_kept_or_shadowed_unless_asked_for() -> None:
    settings = parse_settings("use_cases: {chat: {}}")
    assert settings.store is None
    assert settings.use_cases["chat"].shadow.share == 0


def test_the_shadow_of_a_use_case_is_laid_over_the_default_one() -> None:
    settings = parse_settings(
        "defaults: {shadow: {share: 0.5, generations: 3}}\nuse_cases: {chat: {shadow: {share: 1}}}"
    )
    shadow = settings.use_cases["chat"].shadow
    assert (shadow.share, shadow.generations) == (1, 3)


def test_an_empty_store_section_means_the_default_store() -> None:
    store = parse_settings("store: {}").store
    assert store is not None
    assert store.url == "sqlite:///evenguard.db"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("store: {ulr: x}", r"store\.ulr: unknown key; did you mean `url`\?"),
        ("store: {spool_mb: 0}", r"store\.spool_mb: .*greater than 0"),
        (r'store: {spool: "a\0b"}', r"store\.spool: "),
        ("upstreams: {a: {}}", r"upstreams\.a\.base_url: "),
        ("upstreams: {a: {base_url: 'ftp://x'}}", r"upstreams\.a\.base_url: .*pattern"),
        ("upstreams: {a: {base_url: 'http://[::1/v1'}}", r"a\.base_url: invalid IPv6 URL"),
        ("upstreams: {a: {base_url: 'http://x:99999'}}", r"a\.base_url: .*out of range"),
        ("upstreams: {a: {base_url: 'http://:80/v1'}}", r"a\.base_url: .*must name a host"),
        ("upstreams: {a: {base_url: 'http://me:pw@x'}}", r"a\.base_url: .*must not hold a user or"),
        ("alarm_webhook: {url: 'http://me:pw@x/'}", r"alarm_webhook\.url: .*must not hold a user"),
        ("alarm_webhook: {url: 'http://x:99999/'}", r"alarm_webhook\.url: .*out of range"),
        (
            "upstreams: {a: {base_url: 'http://x', api_key: s}}",
            r"api_key: unknown key; did you mean `api_key_env`",
        ),
        ("use_cases: {c: {shadow: {share: 2}}}", r"use_cases\.c\.shadow\.share: .*less than or"),
        ("use_cases: {c: {shadow: {shares: 1}}}", r"shadow\.shares: unknown key; did you mean `sh"),
        (
            "use_cases: {c: {shadow: {budget: {calls_per_minut: 1}}}}",
            r"unknown key; did you mean `calls_per",
        ),
        ("use_cases: {c: {shadow: {flags: {sentiment: 1}}}}", r"flags\.sentiment: unknown key; d"),
        ("use_cases: {c: {shadow: {claims: 1}}}", r"c\.shadow\.claims: .*boolean"),
        ("use_cases: {c: {shadow: {upstream: a}}}", r"c\.shadow: with `upstream` the model is"),
        (
            "use_cases: {c: {shadow: {parameters: {temperature: .nan}}}}",
            r"c\.shadow\.parameters: .*finite",
        ),
        (
            "use_cases: {c: {shadow: {parameters: {stop: [{at: -.inf}]}}}}",
            r"c\.shadow\.parameters: .*finite",
        ),
        ("sampling_key_env: 'a b'", r"sampling_key_env: "),
    ],
)
def test_what_is_wrong_is_named_with_its_path(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        parse_settings(text)
    assert "me:pw" not in str(caught.value)


def test_aliases_cannot_make_a_small_file_large() -> None:
    levels = [f"b{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 9)}]" for n in range(1, 12)]
    bomb = f"use_cases: {{c: {{shadow: {{parameters: {{b0: &b0 [x], {', '.join(levels)}}}}}}}}}"
    with pytest.raises(SettingsError, match=r"with its aliases it has .* values; 1,000,000 are"):
        parse_settings(bomb)


def test_an_alias_of_itself_is_refused() -> None:
    with pytest.raises(SettingsError, match="values"):
        parse_settings("use_cases: {c: {shadow: {parameters: &a {inner: *a}}}}")


def test_an_alias_may_be_used() -> None:
    settings = parse_settings("use_cases: {c: &c {policy: {toxicity: {block: 0.9}}}, d: *c}")
    assert settings.use_cases["c"] == settings.use_cases["d"]
