"""One session of the demo: a guard with a store of its own, /metrics, the review page, a screen."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from rich.console import Console

from guard.bootstrap import Runtime, open_runtime
from guard.bootstrap.readings import open_readings
from guard.bootstrap.review import open_accounts
from guard.demo.board import Board, Findings
from guard.demo.screen import SessionInfo, open_screen
from guard.demo.traffic import USE_CASES, Schedule, Stage, run_demo
from guard.errors import SettingsError
from guard.ports import Store
from guard.review.accounts import Role
from guard.settings import Settings, StoreSettings, parse_settings
from guard.telemetry import Metrics, MetricsServer, serve
from guard.wrap.facade import Guard

if TYPE_CHECKING:
    from guard.review_web import ReviewPage

METRICS_PORT: Final = 9464
REVIEW_PORT: Final = 9466
ACCOUNT: Final = "demo"
PASSWORD_BYTES: Final = 12
NEEDED_BY_PAGE: Final = frozenset(
    {"argon2", "httptools", "itsdangerous", "jinja2", "starlette", "uvicorn"}
)
PAGE_MISSING: Final = "pip install 'evenguard[review]' for the page"


def run_session(
    schedule: Schedule,
    write: Callable[[str], None],
    *,
    metrics_port: int = METRICS_PORT,
    review_port: int | None = None,
) -> None:
    """Run until the schedule ends or a signal comes. Raises SettingsError for ports in use.

    write: gets plain lines where standard output is no terminal. review_port: None tries
    `REVIEW_PORT` and then any free one.
    """
    # Warnings are shown in the picture; a log line on the terminal would tear it.
    logging.getLogger("guard.shadow").addHandler(logging.NullHandler())
    board = Board(USE_CASES)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="evenguard-demo-")))
        runtime = open_runtime(_settings(folder), observers=[board])
        guard = stack.enter_context(Guard(runtime))
        store = _store(runtime)
        server = stack.enter_context(closing(_serve_metrics(runtime.metrics, metrics_port)))
        page = stack.enter_context(closing(DemoReview(store, runtime.settings, review_port)))
        info = SessionInfo(heads=runtime.engine.heads, url=server.url, review=page.invitation)
        screen = stack.enter_context(open_screen(Console(), write, info))
        findings = Findings(open_readings(store, runtime.settings), clock=time.monotonic)
        stage = Stage(
            guard=guard, board=board, findings=findings, screen=screen, clock=time.monotonic
        )
        began = stage.clock()
        asyncio.run(run_demo(stage, schedule))
        found = findings.latest(fresh=True)
        page.close()
        server.close()  # a scrape of a store that is shut would be logged as a fault
        guard.close()
        screen.close(board.snapshot(found), stage.clock() - began)


class DemoReview:
    """The review page with an account of its own, if what it needs is installed.

    invitation: where it is and how to sign in, or what to install.
    """

    def __init__(self, store: Store, settings: Settings, port: int | None) -> None:
        self._page: ReviewPage | None = None
        self.invitation = PAGE_MISSING
        if all(map(find_spec, NEEDED_BY_PAGE)):
            password = secrets.token_urlsafe(PASSWORD_BYTES)
            open_accounts(store).add(ACCOUNT, password, Role.ADMIN)
            self._page = _open_page(store, settings, port)
            self.invitation = f"{self._page.url} sign in as {ACCOUNT} with {password}"

    def close(self) -> None:
        """Stop serving."""
        if self._page is not None:
            self._page.close()


def _open_page(store: Store, settings: Settings, port: int | None) -> ReviewPage:
    from guard.review_web import open_review  # noqa: PLC0415 - an extra

    try:
        return open_review(settings, store=store, port=REVIEW_PORT if port is None else port)
    except SettingsError as error:
        if port is None:
            return open_review(settings, store=store, port=0)
        raise SettingsError(f"{error} (--review-port)") from error


def _settings(folder: Path) -> Settings:
    """Those of the demo, with everything it keeps in a folder that is deleted at the end."""
    store = StoreSettings(url=f"sqlite:///{folder / 'demo.db'}", spool=str(folder / "spool"))
    text = files("guard.demo").joinpath("guard.yaml").read_text("utf-8")
    return parse_settings(text, source="demo").model_copy(update={"store": store})


def _store(runtime: Runtime) -> Store:
    if runtime.storage is None:
        raise SettingsError("demo: its settings name no store")
    return runtime.storage.store


def _serve_metrics(metrics: Metrics, port: int) -> MetricsServer:
    try:
        return serve(metrics, port=port)
    except SettingsError as error:
        raise SettingsError(f"{error} (--port)") from error
