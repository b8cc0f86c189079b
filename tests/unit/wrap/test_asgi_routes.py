"""Which requests are guarded: no spelling of a path goes round the guard."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from guard.errors import UnknownUseCase
from guard.wrap.asgi import GuardASGI, Guarded
from tests.asgi_made import App, ask, guard_of

NASTY = [json.dumps({"text": "nasty"}).encode()]


async def is_guarded(pattern: str, path: str, **scope: Any) -> bool:
    app = GuardASGI(App(NASTY), guard=guard_of(), use_case="test", paths={pattern: "text"})
    return b"nasty" not in (await ask(app, path, **scope)).body


@pytest.mark.parametrize("path", ["/text", "/text/", "//text", "/text\n", "/text//", "/text \r\n"])
async def test_loose_spellings_are_guarded(path: str) -> None:
    assert await is_guarded("/text", path)


@pytest.mark.parametrize("path", ["/", "/texts", "/text/a", "/a/text", "/Text"])
async def test_other_paths_are_not(path: str) -> None:
    assert not await is_guarded("/text", path)


@pytest.mark.parametrize(
    ("pattern", "path", "wanted"),
    [
        ("/docs/{id}/summary", "/docs/7/summary", True),
        ("/docs/{id:int}/summary", "/docs/7/summary/", True),
        ("/docs/{id}/summary", "/docs/7/8/summary", False),
        ("/docs/{id}/summary", "/docs//summary", False),
        ("/files/{rest:path}", "/files/a/b.txt", True),
        ("/files/{rest:path}", "/files/", True),
        ("/files/{rest:path}", "/files//", True),
        ("/files/{rest:path}", "/files/\n", True),
        ("/files/{rest:path}", "/files", False),
        ("/files/{rest:path}", "/file", False),
        ("/docs/{id:path}/notes", "/docs//notes", True),
        ("/docs/{id:path}/notes", "/docs/notes", False),
        ("/a.b", "/axb", False),
        ("/v{n}.x/{name}", "/v2.x/me", True),
        ("/", "/", True),
    ],
)
async def test_parameters_of_paths(pattern: str, path: str, wanted: bool) -> None:
    assert await is_guarded(pattern, path) is wanted


@pytest.mark.parametrize(
    ("root", "path", "wanted"),
    [
        ("/api", "/api/text", True),
        ("/api", "/text", True),
        ("/api", "/apitext", False),
        ("/api", "/api", False),
        ("", "/api/text", False),
    ],
)
async def test_a_mounted_application_sees_its_own_paths(root: str, path: str, wanted: bool) -> None:
    assert await is_guarded("/text", path, root_path=root) is wanted


async def test_each_path_has_its_use_case_and_the_first_that_matches_counts() -> None:
    known: list[str] = []

    def lane(use_case: str, shadow: Any = None) -> None:
        known.append(use_case)
        return

    guard = SimpleNamespace(flow=guard_of().flow, lane=lane)
    paths = {"/text": Guarded(field="text", use_case="one"), "/{any}": "other"}
    app = GuardASGI(App(NASTY), guard=guard, use_case="two", paths=paths)
    assert known == ["one", "two"]
    assert (await ask(app)).json == {"text": "No."}
    assert (await ask(app, "/more")).headers["x-guard-verdict"] == "unscored"


async def test_a_use_case_nobody_declared_is_an_error_at_once() -> None:
    def lane(use_case: str, shadow: Any = None) -> None:
        raise UnknownUseCase(use_case)

    guard = SimpleNamespace(flow=None, lane=lane)
    with pytest.raises(UnknownUseCase):
        GuardASGI(App(NASTY), guard=guard, use_case="typo", paths={"/text": "text"})
