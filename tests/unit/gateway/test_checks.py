"""What settings of a gateway cannot be, said before anything is opened."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from guard.bootstrap.upstreams import limits_of, live_endpoint
from guard.bootstrap.use_cases import shadow_lane, shadow_upstreams, upstreams_of
from guard.cli.main import main
from guard.errors import SettingsError
from guard.gateway.checks import check_gateway
from guard.gateway.processes.supervisor import worker_settings
from guard.http.sockets import is_loopback, listen, url_of
from guard.settings import Settings, UpstreamSettings, parse_settings

ONE = "upstreams: {main: {base_url: 'http://127.0.0.1:1/v1'}}\n"
TWO = """
upstreams:
  first: {base_url: 'http://127.0.0.1:1/v1'}
  second: {base_url: 'http://127.0.0.1:2/v1', pass_key: true, api_key_env: NOT_SET_ANYWHERE}
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "upstreams: the gateway has nobody to ask"),
        (TWO, r"defaults\.upstream: several are declared \(first, second\)"),
        (TWO + "use_cases: {chat: {}}", r"use_cases\.chat\.upstream: several"),
        (TWO + "gateway: {upstream: third}", r"gateway\.upstream: 'third' is not declared"),
        (TWO + "use_cases: {chat: {upstream: x}}", r"use_cases\.chat\.upstream: 'x' is not"),
        (ONE + "gateway: {host: 0.0.0.0}", r"gateway\.host: 0\.0\.0\.0 can be reached"),
        (ONE + "gateway: {host: '::'}", r"gateway\.host: :: can be reached"),
        (ONE + "gateway: {host: 127.evil.example}", "can be reached"),
        (ONE + "gateway: {keys: [{name: a, key_env: NOT_SET_ANYWHERE}]}", "is not set"),
        (ONE + "store: {url: 'memory:'}", "known to one process alone"),
        (ONE + "gateway: {review: {port: 0}}", r"gateway\.review: there is no store"),
        (
            ONE.replace("v1'", "v1', api_key_env: NOT_SET_ANYWHERE"),
            r"main\.api_key_env: .* not set",
        ),
    ],
)
def test_what_cannot_be_served_is_one_clear_error(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=said):
        check_gateway(parse_settings(text))
    file = tmp_path / "guard.yaml"
    file.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["serve", "--settings", str(file)])
    assert done.exit_code == 2
    assert done.output.startswith(f"guard: {file}: ")
    assert done.output.count("\n") == 1


@pytest.mark.parametrize(
    "read",
    [
        "/responses/{id}",
        "/Responses/{id}",
        "/models/{model}/responses/{id}",
        "/v1/files",
        "/chat/completions",
        "/files",
        "/{any}",
        "/models/../x",
        "models",
    ],
)
def test_what_would_come_back_unguarded_cannot_be_read(read: str) -> None:
    with pytest.raises(SettingsError, match=r"gateway\.reads\.0"):
        parse_settings(f"gateway: {{reads: ['{read}']}}")


def test_reads_may_be_others() -> None:
    assert parse_settings("gateway: {reads: [/health, '/engines/{id}']}").gateway.reads


def test_each_use_case_has_its_upstream() -> None:
    text = TWO + "gateway: {upstream: first}\nuse_cases: {chat: {}, sums: {upstream: second}}"
    settings = parse_settings(text)
    assert upstreams_of(settings) == {"chat": "first", "sums": "second"}
    assert upstreams_of(parse_settings(ONE)) == {"default": "main"}
    check_gateway(settings)


def test_a_call_is_asked_again_of_the_model_that_was_asked() -> None:
    shadow = "shadow: {share: 0.5}"
    named = "shadow: {share: 0.5, upstream: second, parameters: {model: m}}"
    settings = parse_settings(
        TWO + "gateway: {upstream: first}\n"
        f"use_cases: {{chat: {{{shadow}}}, named: {{{named}}}, theirs: {{upstream: second,"
        f" {shadow}}}, plain: {{}}}}"
    )
    lanes = {
        name: str(shadow_lane(settings, name, up) or "")
        for name, up in upstreams_of(settings).items()
    }
    assert lanes == {
        "chat": "http/first/chat",
        "named": "http/second/named",
        "theirs": "",
        "plain": "",
    }
    assert shadow_upstreams(settings) == {"chat": "first", "named": "second"}


def test_a_use_case_of_which_nobody_knows_the_upstream_is_left_to_its_callable() -> None:
    for text in ("", TWO, ONE.replace("/v1'", "/v1', pass_key: true")):
        settings = parse_settings(text + "\nuse_cases: {chat: {shadow: {share: 0.5}}}")
        assert shadow_upstreams(settings) == {}


def test_a_key_of_ours_is_not_sent_where_the_clients_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "sk-ours")
    made = {"base_url": "http://127.0.0.1/v1", "api_key_env": "OURS"}
    assert live_endpoint("main", UpstreamSettings(**made)).api_key == "sk-ours"
    assert live_endpoint("main", UpstreamSettings(**made, pass_key=True)).api_key == ""


def test_the_limits_of_an_upstream_are_those_of_its_settings() -> None:
    limits = limits_of(
        UpstreamSettings(
            base_url="http://127.0.0.1/v1",
            connections=7,
            answer_mb=0.5,
            idle_seconds=3.0,
            reply_seconds=20.0,
        )
    )
    assert (limits.connections, limits.body_bytes, limits.idle_seconds) == (7, 500_000, 3.0)
    assert (limits.first_byte_seconds, limits.total_seconds) == (20.0, 20.0)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_addresses_of_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "127.evil", "127.1", "example.org"])
def test_addresses_that_others_reach(host: str) -> None:
    assert not is_loopback(host)


def test_addresses_are_written_as_people_write_them() -> None:
    assert url_of("127.0.0.1", 80) == "http://127.0.0.1:80/"
    assert url_of("::1", 80) == "http://[::1]:80/"


def test_several_sockets_share_an_address_if_they_are_told_to() -> None:
    with listen("127.0.0.1", 0, shared=True) as one:
        port = one.getsockname()[1]
        listen("127.0.0.1", port, shared=True).close()
        with pytest.raises(OSError, match="in use"):
            listen("127.0.0.1", port)


def test_config_check_tells_of_the_gateway(tmp_path: Path) -> None:
    file = tmp_path / "guard.yaml"

    def said(text: str) -> tuple[int, str]:
        file.write_text(text, encoding="utf-8")
        done = CliRunner().invoke(main, ["config", "check", str(file)])
        return done.exit_code, done.output

    assert "gateway: none, no upstream" in said("")[1]
    code, told = said(ONE + "use_cases: {chat: {mode: 'off', shadow: {share: 0.1}}}")
    assert code == 0
    assert "gateway: http://127.0.0.1:8080/, workers: 1, keys: none, upstreams: chat: main" in told
    assert "chat: passes unread" in told
    assert "asked: main for the gateway" in told
    code, told = said(TWO)
    assert code == 0
    assert "`guard serve` would not start: defaults.upstream: several" in told
    code, told = said(TWO + "gateway: {port: 1}")
    assert (code, told.count("\n")) == (2, 1)
    assert "defaults.upstream: several" in told


@pytest.mark.parametrize("missing", ["uvicorn", "uvloop", "httptools", "aiohttp"])
def test_what_is_not_installed_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guard.gateway.checks.find_spec", lambda name: name != missing or None)
    with pytest.raises(SettingsError, match=rf"{missing} is missing: .*evenguard\[gateway\]"):
        check_gateway(parse_settings(ONE))


def test_the_review_page_beside_it_needs_its_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "guard.review_web", None)
    file = tmp_path / "guard.yaml"
    store = f"store: {{url: 'sqlite:///{tmp_path}/kept.db'}}\n"
    file.write_text(f"{ONE}{store}gateway: {{port: 0, review: {{port: 0}}}}", encoding="utf-8")
    done = CliRunner().invoke(main, ["serve", "--settings", str(file)])
    assert done.exit_code == 2
    assert "evenguard[review]" in done.output


def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guard.gateway.processes.supervisor.usable_cores", lambda: 9)
    for text, share in (
        ("gateway: {workers: 1}", 9),
        ("gateway: {workers: 4}", 2),
        ("gateway: {workers: 20}", 1),
        ("gateway: {workers: 4}\nscoring: {workers: 6}", 6),
    ):
        assert worker_settings(parse_settings(text)).scoring.workers == share


def test_the_command_line_takes_the_place_of_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    served: list[Settings] = []

    async def serve_gateway(settings: Settings, *_: object, **__: object) -> None:
        served.append(settings)

    monkeypatch.setattr("guard.gateway.processes.supervisor.serve_gateway", serve_gateway)
    file = tmp_path / "guard.yaml"
    file.write_text(f"{ONE}gateway: {{port: 1, workers: 2, body_mb: 3}}", encoding="utf-8")
    more = ["--host", "::1", "--port", "0", "--workers", "4"]
    for arguments in ([], more):
        assert CliRunner().invoke(main, ["serve", "--settings", str(file), *arguments]).output == ""
    found = [(one.gateway.host, one.gateway.port, one.gateway.workers) for one in served]
    assert found == [("127.0.0.1", 1, 2), ("::1", 0, 4)]
    others = CliRunner().invoke(main, ["serve", "--settings", str(file), "--host", "10.0.0.1"])
    assert (others.exit_code, "so keys are wanted" in others.output) == (2, True)
