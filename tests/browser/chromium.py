"""One Chromium for many tests: contexts are used again, and a test that hangs ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from tests.browser.watching import Watch
from tests.repeats import repeats

TEST_SECONDS = repeats(240, soak=0)
"""Playwright has no limit for `evaluate`, `new_page` or `close`: a test has this one. 0: none."""
STEP_SECONDS = 60
FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser context as the user of a test has it. again: whether others use it later."""

    context: BrowserContext
    watch: Watch
    again: bool

    @property
    def page(self) -> Page:
        """Its first page."""
        return self.context.pages[0]

    @property
    def can_be_cleared(self) -> bool:
        """Not with a second tab: to close one that is still on its way may never end."""
        return self.again and len(self.context.pages) == 1

    def clear(self) -> None:
        """Sign out, as it were. The page stays: after an empty one the next needs a new process."""
        self.context.clear_cookies()


@dataclass(slots=True, kw_only=True)
class Chromium:
    """Starts with the first test that needs it, and again after it was killed."""

    playwright: Playwright
    program: str
    _browser: Browser | None = None
    _pid: int = 0
    _idle: list[Session] = field(default_factory=list)

    def take(self, origin: str, **options: object) -> Session:
        """A context without cookies, with one page, for those of this origin.

        To open one costs a second; so those without options, which are Playwright's for
        `new_context`, are used again.
        """
        again = not options
        session = self._idle.pop() if again and self._idle else self._open(options)
        session.watch.begin(origin)
        return session

    def give_back(self, session: Session) -> None:
        if session.can_be_cleared:
            session.clear()
            self._idle.append(session)
        else:
            session.context.close()

    @contextmanager
    def limited(self) -> Iterator[None]:
        """After TEST_SECONDS the browser is killed, and the step under way raises an error."""
        self._started()
        timer = threading.Timer(TEST_SECONDS, self._kill)
        if TEST_SECONDS:
            timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def stop(self) -> None:
        if self._browser is not None:
            self._browser.close()

    def _kill(self) -> None:
        """The one that runs now: a test may have had to start another since its limit began."""
        os.kill(self._pid, signal.SIGKILL)

    def _open(self, options: Mapping[str, object]) -> Session:
        context = self._started().new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(STEP_SECONDS * 1000)
        watch = Watch()
        watch.over(context)
        context.new_page()
        return Session(context=context, watch=watch, again=not options)

    def _started(self) -> Browser:
        if self._browser is None or not self._browser.is_connected():
            self._idle.clear()
            self._browser = self.playwright.chromium.launch(
                executable_path=self.program, args=list(FLAGS)
            )
            self._pid = _process_of(self._browser)
        return self._browser


def _process_of(browser: Browser) -> int:
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
    (pid,) = (one["id"] for one in found["processInfo"] if one["type"] == "browser")
    return int(pid)
