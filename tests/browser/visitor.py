"""A browser's view of the review page without a browser: cookies, forms, tokens, and nothing else.

For what needs many requests at once, or requests that no page of ours would send.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from types import TracebackType
from urllib.parse import urlencode

import httpx

Fields = dict[str, str]


@dataclass(slots=True, kw_only=True)
class Form:
    """Where it goes, and what it sends besides what a person enters."""

    action: str
    method: str
    fields: Fields = field(default_factory=dict)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "form":
            method = known.get("method", "get").lower()
            self.found.append(Form(action=known.get("action", ""), method=method))
        elif tag == "input" and self.found and known.get("type") == "hidden":
            self.found[-1].fields[known["name"]] = known.get("value", "")


def forms_of(html: str) -> list[Form]:
    parser = _Forms()
    parser.feed(html)
    return parser.found


class Visitor:
    """One browser, as far as the server can tell. seen: its last request and what came of it."""

    def __init__(self, origin: str, cookie: tuple[str, str] | None = None) -> None:
        self.origin = origin
        self.seen = "nothing yet"
        self._token = ""
        hooks = {"request": [self._asked], "response": [self._answered]}
        self._client = httpx.Client(base_url=origin, timeout=30, event_hooks=hooks)
        if cookie:
            self._client.cookies.set(*cookie)

    def __enter__(self) -> Visitor:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._client.close()

    def _asked(self, request: httpx.Request) -> None:
        self.seen = f"{request.method} {request.url.path}: no answer"

    def _answered(self, response: httpx.Response) -> None:
        request = response.request
        self.seen = f"{request.method} {request.url.path}: {response.status_code}"

    @property
    def cookie(self) -> tuple[str, str]:
        """Name and value of that of the session."""
        cookies = self._client.cookies.items()
        ((name, value),) = [one for one in cookies if not one[0].endswith("-known")]
        return name, value

    @property
    def token(self) -> str:
        """What the forms of this session carry."""
        if not self._token:
            (self._token,) = {form.fields["csrf"] for form in self.forms("/queue")}
        return self._token

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self._client.get(path, headers=headers)

    def forms(self, path: str) -> list[Form]:
        """Those of a page; where it leads elsewhere, those of where it leads."""
        return [
            form
            for form in forms_of(self._client.get(path, follow_redirects=True).text)
            if "csrf" in form.fields
        ]

    def post(self, path: str, fields: Fields, **headers: str) -> httpx.Response:
        """A form, as a page of ours would send it; a lone surrogate makes it no UTF-8 at all."""
        known = {name: value.encode("utf-8", "surrogatepass") for name, value in fields.items()}
        ours = {
            "origin": self.origin,
            "sec-fetch-site": "same-origin",
            "content-type": "application/x-www-form-urlencoded",
        }
        return self._client.post(path, content=urlencode(known), headers={**ours, **headers})

    def sign_in(self, name: str, password: str) -> httpx.Response:
        self._token = ""
        (form,) = self.forms("/sign-in")
        return self.post(form.action, {**form.fields, "name": name, "password": password})

    def next(self, use_case: str) -> str:
        """The path of the next case; of the queue when there is none."""
        answer = self.post("/next", {"csrf": self.token, "use_case": use_case})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"].partition("?")[0]

    def vote(self, case_path: str, verdict: str, **more: str) -> httpx.Response:
        fields = {"csrf": self.token, "verdict": verdict, **more}
        return self.post(f"{case_path}/vote", fields)
