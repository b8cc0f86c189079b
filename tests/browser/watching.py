"""What a page does that it should not: dialogs, errors, violations, requests to others."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Page, Request

REPORT = """
document.addEventListener('securitypolicyviolation', event => console.error(
    'CSP ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));
"""


@dataclass(kw_only=True)
class Watch:
    """Everything suspicious that happened in a browser context.

    A request to another origin is written down. It reaches nobody: the browser knows no host but
    this one.
    origins: those that may be asked. expected: statuses that are no error.
    """

    origins: set[str] = field(default_factory=set)
    seen: list[str] = field(default_factory=list)
    expected: set[int] = field(default_factory=set)

    def over(self, context: BrowserContext) -> None:
        """From now on look at this context and at every page it opens."""
        context.add_init_script(REPORT)
        context.on("request", self._request)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.seen.append(f"error {error.error}"))
        context.on("page", self._page)

    def begin(self, origin: str) -> None:
        """Forget everything: somebody else uses the context now, for the pages of this origin."""
        self.origins, self.seen, self.expected = {origin}, [], set()

    def quiet(self) -> list[str]:
        """What was seen, and forget it."""
        seen, self.seen = self.seen, []
        return seen

    def _page(self, page: Page) -> None:
        page.on("dialog", self._dialog)
        page.on("download", lambda one: self.seen.append(f"download {one.suggested_filename}"))

    def _dialog(self, dialog: Dialog) -> None:
        self.seen.append(f"dialog {dialog.message[:80]}")
        dialog.dismiss()

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not self._foreseen(message.text):
            self.seen.append(f"{message.type} {message.text[:300]}")

    def _foreseen(self, text: str) -> bool:
        """Chromium reports an answer of status 4xx as an error of the console."""
        told = "the server responded with a status of "
        return any(f"{told}{status} " in text for status in self.expected)

    def _request(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme != "data" and f"{url.scheme}://{url.netloc}" not in self.origins:
            self.seen.append(f"request {request.url[:200]}")
