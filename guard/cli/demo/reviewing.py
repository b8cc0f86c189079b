"""The review page of a demo, with an account that lives as long as it does."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from guard.bootstrap.review import open_accounts
from guard.errors import SettingsError
from guard.ports import Store
from guard.review import Role
from guard.settings import Settings

if TYPE_CHECKING:
    from guard.review_web import ReviewPage

USUAL_PORT: Final = 9466
NAME: Final = "demo"
PASSWORD_BYTES: Final = 12
NEEDED: Final = ("starlette", "jinja2", "uvicorn")
MISSING: Final = "pip install 'evenguard[review]' for the page"


class Reviewing:
    """The page, if what it needs is installed. told: where it is and how to sign in."""

    def __init__(self, store: Store, settings: Settings, port: int | None) -> None:
        self._page: ReviewPage | None = None
        self.told = MISSING
        if all(map(find_spec, NEEDED)):
            password = secrets.token_urlsafe(PASSWORD_BYTES)
            open_accounts(store).add(NAME, password, Role.ADMIN)
            self._page = _opened(store, settings, port)
            self.told = f"{self._page.url} sign in as {NAME} with {password}"

    def close(self) -> None:
        """Stop serving."""
        if self._page is not None:
            self._page.close()


def _opened(store: Store, settings: Settings, port: int | None) -> ReviewPage:
    """On the port that is wanted; without a wish on the usual one, or on any if that is taken."""
    from guard.review_web import open_review  # noqa: PLC0415 - an extra

    def at(port: int) -> ReviewPage:
        return open_review(settings, store=store, port=port)

    if port is None:
        return _first(lambda: at(USUAL_PORT), lambda: at(0))
    try:
        return at(port)
    except SettingsError as error:
        raise SettingsError(f"{error} (--review-port)") from error


def _first(one: Callable[[], ReviewPage], other: Callable[[], ReviewPage]) -> ReviewPage:
    try:
        return one()
    except SettingsError:
        return other()
