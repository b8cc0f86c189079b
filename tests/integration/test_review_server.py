"""The review page as it is served: over sockets, by the command, beside an application."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from guard.errors import SettingsError
from guard.review.accounts import AccountService, User
from guard.review_web import ReviewOptions, ReviewPage, open_review
from guard.review_web.http import HEADERS, MAX_HEADER_BYTES
from guard.settings import Settings, StoreSettings
from tests.servers import PATIENCE_SECONDS, free_port
from tests.waiting import wait_until

GUARD = str(Path(sys.executable).with_name("guard"))
PASSWORD = "a-password-for-tests"
WAIT_SECONDS = 60


def settings_in(folder: Path) -> Settings:
    return Settings(store=StoreSettings(url=f"sqlite:///{folder / 'review.db'}"))


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ReviewPage]:
    with closing(open_review(settings_in(tmp_path))) as opened:
        yield opened


@pytest.fixture
def strict_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReviewPage]:
    """A page with little patience."""
    monkeypatch.setattr("guard.review_web.server.REQUEST_SECONDS", 0.2)
    with closing(open_review(settings_in(tmp_path))) as opened:
        yield opened


def port_of(page: ReviewPage) -> int:
    return int(page.url.rstrip("/").rpartition(":")[2])


@contextmanager
def connected(page: ReviewPage) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port_of(page)), timeout=WAIT_SECONDS) as made:
        yield made


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side ends it without a word."""
    try:
        return connection.recv(1000) == b""
    except ConnectionResetError:
        return True


def test_it_answers_on_this_machine_alone(page: ReviewPage) -> None:
    assert page.url.startswith("http://127.0.0.1:")
    answer = httpx.get(page.url, follow_redirects=True, timeout=PATIENCE_SECONDS)
    assert "Sign in" in answer.text
    for name, value in HEADERS.items():
        assert answer.headers.get_list(name) == [value]
    assert "server" not in answer.headers


def test_closing_it_frees_the_port_and_can_be_done_twice(tmp_path: Path) -> None:
    page = open_review(settings_in(tmp_path))
    port = port_of(page)
    page.close()
    page.close()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/", timeout=PATIENCE_SECONDS)
    again = open_review(settings_in(tmp_path), port=port)
    again.close()


def test_a_port_that_is_taken_is_said(page: ReviewPage, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="choose another port"):
        open_review(settings_in(tmp_path), port=port_of(page))


def test_others_are_let_in_only_under_a_named_address(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--url"):
        open_review(settings_in(tmp_path), host="0.0.0.0")
    options = ReviewOptions(url="https://review.example.org")
    with closing(open_review(settings_in(tmp_path), host="0.0.0.0", options=options)) as page:
        address = f"http://127.0.0.1:{port_of(page)}/sign-in"
        assert httpx.get(address, timeout=PATIENCE_SECONDS).status_code == 421
        answer = httpx.get(
            address, headers={"host": "review.example.org"}, timeout=PATIENCE_SECONDS
        )
        assert "__Host-" in answer.headers["set-cookie"]
        assert "Secure" in answer.headers["set-cookie"]


def test_without_a_store_there_is_nothing_to_show() -> None:
    with pytest.raises(SettingsError, match=r"store\.url"):
        open_review(Settings())


def test_two_pages_of_one_store_know_each_others_sessions(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    add_user(tmp_path, "ada")
    with closing(open_review(settings)) as one, closing(open_review(settings)) as other:
        with closing(signed_in(one, "ada")) as client:
            cookies = dict(client.cookies)
        answer = httpx.get(f"{other.url}queue", cookies=cookies, timeout=PATIENCE_SECONDS)
        assert answer.status_code == 200


def test_a_request_that_does_not_come_to_its_point_is_ended(strict_page: ReviewPage) -> None:
    page = strict_page
    with connected(page) as silent, connected(page) as slow:
        slow.sendall(b"GET /sign-in HTTP/1.1\r\nHost: localhost\r\nX: ")
        assert is_closed(silent)
        assert is_closed(slow)
    assert httpx.get(f"{page.url}sign-in", timeout=PATIENCE_SECONDS).status_code == 200


def test_a_second_request_that_does_not_either(strict_page: ReviewPage) -> None:
    with connected(strict_page) as connection:
        connection.sendall(b"GET /static/icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(100_000).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /")
        while connection.recv(100_000):
            pass


def test_a_form_that_does_not_arrive_is_ended(
    page: ReviewPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("guard.review_web.http.FORM_SECONDS", 0.2)
    with connected(page) as connection:
        connection.sendall(
            b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n\r\nname="
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x00",
        b"GET /\x00 HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, x\r\n\r\n",
    ],
    ids=range(4),
)
def test_what_is_no_request_gets_no_answer(page: ReviewPage, sent: bytes) -> None:
    with connected(page) as connection:
        connection.sendall(sent + b"\r\n\r\n")
        assert is_closed(connection)
    assert httpx.get(f"{page.url}sign-in", timeout=PATIENCE_SECONDS).status_code == 200


def test_headers_are_bounded_however_they_arrive(page: ReviewPage) -> None:
    with connected(page) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        connection.sendall(b"x" * (3 * MAX_HEADER_BYTES))
        assert is_closed(connection)
    answer = httpx.get(
        f"{page.url}sign-in", headers={"x": "x" * (2 * MAX_HEADER_BYTES)}, timeout=PATIENCE_SECONDS
    )
    assert answer.status_code == 431
    assert (
        httpx.get(
            f"{page.url}queue?{'x' * (2 * MAX_HEADER_BYTES)}", timeout=PATIENCE_SECONDS
        ).status_code
        == 431
    )


def test_two_host_headers_are_refused(page: ReviewPage) -> None:
    with connected(page) as connection:
        connection.sendall(b"GET /sign-in HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n")
        reply = connection.recv(1000)
        assert reply == b"" or reply.startswith(b"HTTP/1.1 421")


def test_one_connection_too_many_takes_the_place_of_an_idle_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("guard.review_web.server.MAX_CONNECTIONS", 2)
    page = open_review(settings_in(tmp_path))
    with closing(page), connected(page) as longest, connected(page) as later:
        assert [is_answered(one) for one in (longest, later)] == [True, True]
        with connected(page) as third:
            assert is_answered(third)
            read_to_end(longest)


def test_connections_whose_clients_do_not_read_keep_nobody_from_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("guard.review_web.server.MAX_CONNECTIONS", 2)
    page = open_review(settings_in(tmp_path))
    many = b"GET /static/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000

    def is_served() -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{page.url}sign-in", timeout=PATIENCE_SECONDS).status_code == 200
        return False

    with closing(page), connected(page) as one, connected(page) as other:
        for connection in (one, other):
            connection.sendall(many)
            assert connection.recv(1)
        wait_until(is_served, bool)


def read_to_end(connection: socket.socket) -> None:
    """Until the other side closes it; raises TimeoutError where it does not."""
    with suppress(ConnectionResetError):
        while connection.recv(100_000):
            pass


def is_answered(connection: socket.socket) -> bool:
    connection.sendall(b"GET /static/icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return connection.recv(100_000).startswith(b"HTTP/1.1 200")


def test_a_websocket_is_not_spoken(page: ReviewPage) -> None:
    headers = {"connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
    answer = httpx.get(f"{page.url}sign-in", headers=headers, timeout=PATIENCE_SECONDS)
    assert answer.status_code in {200, 400}


def add_user(folder: Path, name: str) -> None:
    command = [GUARD, "review", "add-user", name, "--role", "admin", "--password-stdin"]
    where = ["--store", f"sqlite:///{folder / 'review.db'}"]
    subprocess.run(
        [*command, *where], input=f"{PASSWORD}\n", text=True, check=True, capture_output=True
    )


def signed_in(page: ReviewPage, name: str) -> httpx.Client:
    client = httpx.Client(base_url=page.url, timeout=PATIENCE_SECONDS)
    form = client.get("/sign-in").text
    token = re.search(r'name="csrf" value="(\w+)"', form)
    assert token
    answer = client.post("/sign-in", data={"csrf": token[1], "name": name, "password": PASSWORD})
    assert answer.headers["location"] == "/queue"
    return client


def served(folder: Path, *options: str, before: Sequence[str] = ()) -> subprocess.Popen[str]:
    where = ["--store", f"sqlite:///{folder / 'review.db'}"]
    return subprocess.Popen(
        [*before, GUARD, "review", "serve", *where, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_command_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    with served(tmp_path, "--port", str(free_port())) as process:
        guard = threading.Timer(WAIT_SECONDS, process.kill)
        guard.start()
        try:
            assert process.stdout
            url = process.stdout.readline().removeprefix("review: ").strip()
            assert (
                httpx.get(url, follow_redirects=True, timeout=PATIENCE_SECONDS).status_code == 200
            )
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate()
            assert process.returncode == 128 + signal.SIGTERM
            assert "guard review add-user" in errors
            assert "Traceback" not in errors
        finally:
            guard.cancel()


def test_connections_that_ask_nothing_do_not_take_all_files(tmp_path: Path) -> None:
    few_files = ("prlimit", "--nofile=128:128")
    port = free_port()
    with (
        served(tmp_path, "--port", str(port), before=few_files) as process,
        ExitStack() as idle,
    ):
        guard = threading.Timer(WAIT_SECONDS, process.kill)
        guard.start()
        try:
            assert process.stdout
            url = process.stdout.readline().removeprefix("review: ").strip()
            for _ in range(300):
                connection = idle.enter_context(socket.socket())
                connection.settimeout(0.0)
                connection.connect_ex(("127.0.0.1", port))
            answer = httpx.get(url, follow_redirects=True, timeout=WAIT_SECONDS)
            assert answer.status_code == 200
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate()
            assert "Traceback" not in errors
        finally:
            guard.cancel()


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """No password of a name that nobody has is checked until this is set."""
    released, checked = threading.Event(), AccountService.check

    def check(self: AccountService, name: str, password: str) -> User | None:
        if name.startswith("made-up"):
            released.wait(WAIT_SECONDS)
        return checked(self, name, password)

    monkeypatch.setattr(AccountService, "check", check)
    monkeypatch.setattr("guard.review_web.capacity.CHECK_SECONDS", WAIT_SECONDS)
    yield released
    released.set()


def posts_of(client: httpx.Client, names: Iterable[str]) -> Iterator[bytes]:
    """Forms of a browser to sign in with, as they are sent."""
    token = re.search(r'name="csrf" value="(\w+)"', client.get("/sign-in").text)
    assert token
    cookies = "; ".join(f"{one}={value}" for one, value in client.cookies.items())
    for name in names:
        body = f"csrf={token[1]}&name={name}&password={PASSWORD}"
        yield (
            f"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nCookie: {cookies}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        ).encode()


def test_sign_ins_that_wait_on_many_connections_keep_nobody_from_the_page(
    tmp_path: Path, release: threading.Event
) -> None:
    add_user(tmp_path, "ada")
    options = ReviewOptions(tries_per_address=10**9)  # as behind a proxy
    page = open_review(settings_in(tmp_path), options=options)
    with closing(page), closing(signed_in(page, "ada")) as ada, ExitStack() as opened:
        stranger = opened.enter_context(httpx.Client(base_url=page.url, timeout=WAIT_SECONDS))
        for sent in posts_of(stranger, (f"made-up-{number}" for number in range(300))):
            opened.enter_context(connected(page)).sendall(sent)
        assert ada.get("/queue").status_code == 200
        ada.cookies.pop(next(name for name in ada.cookies if name.count("-") == 1))
        form = ada.get("/sign-in").text
        token = re.search(r'name="csrf" value="(\w+)"', form)
        assert token
        fields = {"csrf": token[1], "name": "ada", "password": PASSWORD}
        assert ada.post("/sign-in", data=fields).headers["location"] == "/queue"
        assert not release.is_set()
        release.set()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--host", "0.0.0.0"), "--url"),
        (("--url", "review.example.org"), "not an origin"),
        (("--port", "-1"), "--port"),
    ],
)
def test_the_command_refuses_what_would_not_be_safe(
    tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    with served(tmp_path, *options) as process:
        _, errors = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 2
    assert told in errors
