"""`guard serve` as a whole: processes that begin, count, die, are replaced, and end."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from guard.cli.main import main
from tests.integration.gateway_cases import CHAT, KIND, asking, opened, post, received, request
from tests.servers import kill_at_end
from tests.servers_gateway import Gateway
from tests.servers_openai import Gate, Upstream, says

PATIENCE_SECONDS = 60.0
KEY = f"{{name: any, sha256: {'a' * 64}}}"
SETTINGS = """
upstreams: {{main: {{base_url: "{base_url}"}}}}
gateway:
  port: 0
  metrics: {{port: 0}}
{more}
use_cases:
  chat: {{mode: "off"}}
  judged: {{deadline_ms: 60000}}
"""


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


def settings(upstream: Upstream, more: str = "", beside: str = "") -> str:
    return SETTINGS.format(base_url=upstream.base_url, more=more) + beside


def until(holds: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def scraped(gateway: Gateway) -> dict[str, float]:
    with urllib.request.urlopen(gateway.at("metrics"), timeout=PATIENCE_SECONDS) as answer:
        lines = answer.read().decode().splitlines()
    pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs}


def calls(gateway: Gateway) -> float:
    return scraped(gateway)['guard_calls_total{use_case="chat",verdict="unscored"}']


def workers(pid: int) -> list[int]:
    """The processes that a process has started."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sorted(int(one) for task in tasks for one in (task / "children").read_text().split())


def running(pid: int) -> bool:
    with suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


def ask(gateway: Gateway, prompt: str, use_case: str = "chat") -> int:
    return post(gateway.base_url(use_case) + CHAT, asking(CHAT, prompt)).status


def test_workers_count_as_one_and_no_counter_goes_back(upstream: Upstream, tmp_path: Path) -> None:
    prompt = upstream.plan(says(KIND))
    with Gateway(tmp_path, settings(upstream, "  workers: 2")) as gateway:
        first, second = workers(gateway.pid)
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda _: ask(gateway, prompt), range(40))) == {200}
        assert ask(gateway, prompt, "judged") == 200
        assert calls(gateway) == 40
        assert scraped(gateway)['guard_score_count{score="toxicity",use_case="judged"}'] == 1
        os.kill(first, signal.SIGKILL)
        os.kill(second, signal.SIGTERM)
        until(lambda: not running(first) and not running(second))
        assert calls(gateway) == 40
        until(lambda: scraped(gateway)["guard_worker_restarts_total"] == 2)
        until(lambda: len(workers(gateway.pid)) == 2)
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda _: ask(gateway, prompt), range(20))) == {200}
        assert calls(gateway) == 60
        assert "a worker ended (status -9)" in gateway.log


def test_a_worker_is_replaced_once_there_are_descriptors_again(
    upstream: Upstream, tmp_path: Path
) -> None:
    prompt = upstream.plan(says(KIND))
    with Gateway(tmp_path, settings(upstream)) as gateway:
        limits = resource.prlimit(gateway.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(gateway.pid, resource.RLIMIT_NOFILE, (3, limits[1]))
        os.kill(workers(gateway.pid)[0], signal.SIGKILL)
        until(lambda: "cannot start a worker: " in gateway.log)
        resource.prlimit(gateway.pid, resource.RLIMIT_NOFILE, limits)
        until(lambda: ask(gateway, prompt) == 200)  # 503 until then
        until(lambda: scraped(gateway)["guard_worker_restarts_total"] == 1)


def test_a_parent_that_is_killed_leaves_nobody_behind(upstream: Upstream, tmp_path: Path) -> None:
    gate = Gate()
    prompt = upstream.plan(lambda asked: [gate, *says(KIND)(asked)])
    gateway = Gateway(tmp_path, settings(upstream, "  workers: 2"))
    gateway.__enter__()
    left = workers(gateway.pid)
    url = gateway.base_url("chat") + CHAT
    with opened(url) as connection:
        connection.sendall(request("POST", url, json.dumps(asking(CHAT, prompt)).encode()))
        until(lambda: bool(upstream.asked(prompt)))
        os.kill(gateway.pid, signal.SIGKILL)
        assert gateway.stop() == -signal.SIGKILL
        until(lambda: not any(map(running, left)))
    assert upstream.asked(prompt)[0].left.wait(PATIENCE_SECONDS)


def test_a_worker_that_stands_still_does_not_outlive_its_parent(
    upstream: Upstream, tmp_path: Path
) -> None:
    """It would keep the lock of its spool, and nobody would ship what is in it."""
    gateway = Gateway(tmp_path, settings(upstream, "  workers: 2"))
    gateway.__enter__()
    left = workers(gateway.pid)
    assert len(left) == 2
    os.kill(left[0], signal.SIGSTOP)
    os.kill(gateway.pid, signal.SIGKILL)
    assert gateway.stop() == -signal.SIGKILL
    until(lambda: not any(map(running, left)))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_ends_later_than_he_may_is_cut_off(
    number: signal.Signals, upstream: Upstream, tmp_path: Path
) -> None:
    prompt = upstream.plan(lambda asked: [Gate(), *says(KIND)(asked)])
    with Gateway(tmp_path, settings(upstream, "  drain_seconds: 0.3")) as gateway:
        url = gateway.base_url("chat") + CHAT
        with opened(url) as connection:
            connection.sendall(request("POST", url, json.dumps(asking(CHAT, prompt)).encode()))
            until(lambda: bool(upstream.asked(prompt)))
            gateway.ask_to_end(number)
            told = received(connection)
        assert (told.status, told.json["error"]["code"]) == (503, "shutting_down")
        assert upstream.asked(prompt)[0].left.wait(PATIENCE_SECONDS)


def test_the_second_signal_ends_it_at_once(upstream: Upstream, tmp_path: Path) -> None:
    prompt = upstream.plan(lambda asked: [Gate(), *says(KIND)(asked)])
    with Gateway(tmp_path, settings(upstream, "  drain_seconds: 600")) as gateway:
        url, left = gateway.base_url("chat") + CHAT, workers(gateway.pid)
        with opened(url) as connection:
            connection.sendall(request("POST", url, json.dumps(asking(CHAT, prompt)).encode()))
            until(lambda: bool(upstream.asked(prompt)))
            gateway.ask_to_end()
            until(lambda: not accepted(gateway))
            gateway.ask_to_end()
            until(lambda: not any(map(running, [gateway.pid, *left])))


def accepted(gateway: Gateway) -> bool:
    with suppress(OSError), opened(gateway.origin):
        return True
    return False


@pytest.fixture(scope="module")
def narrow(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    text = settings(upstream, "  concurrency: 4\n  body_mb: 0.1")
    with Gateway(tmp_path_factory.mktemp("narrow"), text) as gateway:
        yield gateway


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("use_case", ["chat", "judged"])
def test_who_leaves_ends_the_call_of_the_model(
    upstream: Upstream, narrow: Gateway, use_case: str, streamed: bool
) -> None:
    prompt = upstream.plan(lambda asked: [Gate(), *says(KIND)(asked)])
    url = narrow.base_url(use_case) + CHAT
    with opened(url) as connection:
        body = json.dumps(asking(CHAT, prompt, stream=streamed)).encode()
        connection.sendall(request("POST", url, body))
        until(lambda: bool(upstream.asked(prompt)))
    assert upstream.asked(prompt)[0].left.wait(PATIENCE_SECONDS)
    until(lambda: scraped(narrow)["guard_open_requests"] == 0)


def test_a_body_without_end_is_not_read_to_its_end(narrow: Gateway) -> None:
    url = narrow.base_url("chat") + CHAT
    begun = request("POST", url, b"", transfer_encoding="chunked")
    with opened(url) as connection:
        connection.sendall(begun.replace(b"content-length: 0\r\n", b""))
        with pytest.raises(OSError, match=r"(?i)broken pipe|reset"):
            send_for_ever(connection)
    assert scraped(narrow)['guard_refused_total{code="body_too_large"}'] == 1


def test_headers_beyond_the_limit_are_not_kept_until_the_head_is_whole(narrow: Gateway) -> None:
    with opened(narrow.base_url("chat") + CHAT) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\n" + b"a:\r\n" * 200)
        assert received(connection).status == 431


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"content_length": "x"}, "bad_request"),
        ({"transfer_encoding": "gzip"}, "transfer_encoding_unknown"),
        ({"x_long": "a" * 70_000}, "headers_too_large"),
        ({f"x_{number}": "" for number in range(200)}, "too_many_headers"),
    ],
)
def test_what_is_no_valid_request_is_counted(
    narrow: Gateway, headers: dict[str, str], code: str
) -> None:
    url = narrow.base_url("chat") + CHAT
    sent = request("POST", url, b"", **headers).replace(b"content-length: 0\r\n", b"")
    counted = f'guard_refused_total{{code="{code}"}}'
    before = scraped(narrow).get(counted, 0)
    with opened(url) as connection:
        connection.sendall(sent)
        assert received(connection)
    assert scraped(narrow)[counted] == before + 1


def send_for_ever(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"4000\r\n" + b" " * 0x4000 + b"\r\n")


def test_a_flood_is_answered_and_passes(upstream: Upstream, narrow: Gateway) -> None:
    gate, quick = Gate(), upstream.plan(says(KIND))
    prompt = upstream.plan(lambda asked: [gate, *says(KIND)(asked)])
    with ThreadPoolExecutor(40) as pool:
        answers = [pool.submit(ask, narrow, prompt) for _ in range(40)]
        until(lambda: sum(one.done() for one in answers) == 36)
        gate.open()
        found = [one.result() for one in answers]
    assert sorted(found) == [200] * 4 + [429] * 36
    assert ask(narrow, quick) == 200
    assert scraped(narrow)['guard_refused_total{code="overloaded"}'] == 36


def test_readings_and_the_review_page_come_from_one_process(
    upstream: Upstream, tmp_path: Path
) -> None:
    beside = f"store: {{url: 'sqlite:///{tmp_path}/kept.db', spool: '{tmp_path}/spool'}}\n"
    more = "  workers: 2\n  review: {port: 0}"
    prompt = upstream.plan(says(KIND))
    with Gateway(tmp_path, settings(upstream, more, beside)) as gateway:
        for _ in range(6):
            assert ask(gateway, prompt, "judged") == 200
        name = 'guard_fairness_samples{attribute="",groups="",metric="toxic_fraction"'
        until(
            lambda: any(
                one.startswith(name) and value == 6 for one, value in scraped(gateway).items()
            )
        )
        assert scraped(gateway)["guard_store_up"] == 1
        with urllib.request.urlopen(gateway.at("review"), timeout=PATIENCE_SECONDS) as page:
            assert b"evenguard" in page.read()
        with urllib.request.urlopen(f"{gateway.origin}/readyz", timeout=PATIENCE_SECONDS) as ready:
            assert json.load(ready) == {"ready": True, "store": "reachable"}


def test_requests_can_be_logged(upstream: Upstream, tmp_path: Path) -> None:
    file = tmp_path / "guard.yaml"
    file.write_text(settings(upstream), encoding="utf-8")
    command = [sys.executable, "-m", "guard", "serve", "--settings", str(file), "--log-requests"]
    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
        kill_at_end(process),
    ):
        assert process.stdout is not None
        assert process.stderr is not None
        url = process.stdout.readline().removeprefix("gateway: ").strip()
        assert post(f"{url}v1{CHAT}?secret=1", b"{secret", x_guard_use_case="chat").status == 400
        process.terminate()
        line = json.loads(process.stderr.read())
        assert process.wait(PATIENCE_SECONDS) == 0
    assert (line["path"], line["status"], line["use_case"]) == (f"/v1{CHAT}", 400, "chat")
    assert "secret" not in json.dumps(line)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("port: 0", "port: TAKEN", "TAKEN: Address already in use; choose another"),
        ("metrics: {port: 0}", "metrics: {port: TAKEN}", "cannot serve metrics on .*:TAKEN"),
        ("metrics: {port: 0}", "review: {port: 0}", "there is no store"),
        (
            "port: 0",
            f"host: none.invalid\n  keys: [{KEY}]\n  port: 0",
            "cannot serve the gateway on",
        ),
    ],
)
def test_where_nobody_can_listen_is_one_line(
    upstream: Upstream, tmp_path: Path, old: str, new: str, said: str
) -> None:
    file = tmp_path / "guard.yaml"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        text = settings(upstream).replace(old, new.replace("TAKEN", port), 1)
        file.write_text(text, encoding="utf-8")
        done = CliRunner().invoke(main, ["serve", "--settings", str(file)])
    assert done.exit_code == 2
    assert re.search(said.replace("TAKEN", port), done.stderr), done.stderr
    assert (done.stderr.count("\n"), done.stdout) == (1, "")


def test_what_a_worker_cannot_begin_with_is_said_once(upstream: Upstream, tmp_path: Path) -> None:
    file = tmp_path / "guard.yaml"
    text = settings(upstream).replace("judged: {", "judged: {policy: {tox: {}}, ")
    file.write_text(text.replace("tox: {}", "tox: {block: 0.5}"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "guard", "serve", "--settings", str(file)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 2
    assert "use_cases.judged.policy.tox: not a harm score" in done.stderr
    assert (done.stderr.count("\n"), done.stdout) == (1, ""), done.stderr
