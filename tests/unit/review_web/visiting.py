"""A review page in this process, and browsers that visit it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from itertools import count
from typing import Any
from unittest import mock

from httpx2 import ASGITransport, BaseTransport, ByteStream, Client, Request, Response
from jinja2 import Environment

from guard.ports import Store
from guard.review.accounts import AccountService, Role
from guard.review.service import ReviewService
from guard.review_web import ReviewOptions, app
from guard.review_web.capacity import Capacity
from guard.review_web.rendering import load_labels, template_environment
from guard.review_web.sessions import Sessions
from guard.settings import Settings
from tests.accounts import cheap_accounts
from tests.unit.review.made import ManualClock, desk_of, empty_store

HERE = "http://localhost"
PASSWORD = "a-password-for-tests"
SECRET = b"s" * 32
PEOPLE = {"ada": Role.ADMIN, "dan": Role.ADJUDICATOR, "ben": Role.REVIEWER, "cleo": Role.REVIEWER}


class Texts(HTMLParser):
    """What a page says, without its markup."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def said(page: Response) -> str:
    """The words of a page, one space between them."""
    texts = Texts()
    texts.feed(page.text)
    return " ".join(" ".join(texts.found).split())


class InProcess(BaseTransport):
    """Asks an application in the calling thread, where a TestClient starts one per request."""

    def __init__(self, app: Any, address: str) -> None:
        self._asking = ASGITransport(app, client=(address, 50_000))

    def handle_request(self, request: Request) -> Response:
        request.read()
        return asyncio.run(self._answer(request))

    async def _answer(self, request: Request) -> Response:
        answer = await self._asking.handle_async_request(request)
        whole = ByteStream(await answer.aread())
        return Response(answer.status_code, headers=answer.headers, stream=whole)


class Browser(Client):
    """One browser. It follows no redirects, and keeps cookies as browsers do."""

    def __init__(self, app: Any, *, base_url: str, address: str = "testclient") -> None:
        transport = InProcess(app, address)
        super().__init__(transport=transport, base_url=base_url, follow_redirects=False)

    def token(self, path: str = "/account") -> str:
        return token_of(self.get(path))

    def submit(self, path: str, **fields: str) -> Response:
        """A form of ours."""
        return self.post(path, data={"csrf": self.token(), **fields})

    def sign_in(self, name: str, password: str = PASSWORD, **fields: str) -> Response:
        token = token_of(self.get("/sign-in"))
        return self.post(
            "/sign-in", data={"csrf": token, "name": name, "password": password, **fields}
        )


def token_of(page: Response) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', page.text)
    assert found, page.text
    return found[1]


@dataclass(slots=True, kw_only=True)
class Site:
    """Everything behind the page, to be looked at and tampered with."""

    clock: ManualClock
    store: Store
    people: AccountService
    desk: ReviewService
    app: Any
    sessions: Sessions
    capacity: Capacity
    browsers: list[Browser] = field(default_factory=list)

    def browser(self, name: str = "", base: str = HERE, address: str = "testclient") -> Browser:
        """A new one; somebody is signed in if there is a name. address: of its connections."""
        made = Browser(self.app, base_url=base, address=address)
        self.browsers.append(made)
        if name:
            assert made.sign_in(name).status_code == 303
        return made


def site_of(
    settings: Settings | None = None, *, capacity: Capacity | None = None, **options: Any
) -> Site:
    clock = ManualClock()
    store = empty_store(clock)
    ids, capacity = count(1), capacity or Capacity()
    people = cheap_accounts(store, random_bytes=lambda size: b"r" * size, clock=clock)
    for name, role in PEOPLE.items():
        people.add(name, PASSWORD, role)
    desk = desk_of(store, clock)
    chosen = ReviewOptions(**{"clock": clock, **options})

    def new_id() -> str:
        return f"id-{next(ids)}"

    with mock.patch.object(app, "template_environment", return_value=templates()):
        made = app.review_app(
            desk, people, SECRET, chosen, settings=settings, new_id=new_id, capacity=capacity
        )
    sessions = Sessions(SECRET, chosen, new_id)
    return Site(
        clock=clock,
        store=store,
        people=people,
        desk=desk,
        app=made,
        sessions=sessions,
        capacity=capacity,
    )


@cache
def templates() -> Environment:
    """Compiled once for all sites: that takes longer than most tests."""
    return template_environment(load_labels())
