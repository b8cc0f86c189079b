"""What a page does that it should not: dialogs, errors, violations, requests to others."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Page, Route

REPORT = """
document.addEventListener('securitypolicyviolation', event => console.error(
    'CSP ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));
"""


@dataclass(kw_only=True)
class Watch:
    """Everything suspicious that happened in a browser context.

    Nothing leaves for another origin: such a request is written down and ended.
    """

    origin: str
    seen: list[str] = field(default_factory=list)
    expected: set[int] = field(default_factory=set)

    def over(self, context: BrowserContext) -> None:
        """From now on look at this context and at every page it opens."""
        context.add_init_script(REPORT)
        context.route("**/*", self._route)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.seen.append(f"error {error.error}"))
        context.on("page", self._page)

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

    def _route(self, route: Route) -> None:
        url = urlsplit(route.request.url)
        if f"{url.scheme}://{url.netloc}" == self.origin or url.scheme == "data":
            route.continue_()
            return
        self.seen.append(f"request {route.request.url[:200]}")
        route.abort()
