"""Which requests are guarded, and where in their answers the model's text stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guard.errors import SettingsError
from guard.wrap.asgi.fields import Steps, steps_of
from guard.wrap.asgi.http import Scope

if TYPE_CHECKING:
    from guard.wrap.facade import Guard

_PARAMETER = re.compile(r"\{[^{}:]*(:[^{}]*)?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """How the answers on one path are guarded.

    field: where the text stands in the JSON of an answer, or of each event or line of a stream:
        keys and list numbers with dots between them, `*` for every entry of a list, "" for the
        whole. None: what is streamed as events is text itself. Answers of type text need none.
    use_case: None is that of the middleware.
    prompt: the field of the request's JSON that holds what is asked, a text or a list of messages;
        for the record, and for shadowing.
    blank: other fields that repeat the text: null wherever the text is withheld.
    shadow: see `Guard.wrap`.
    """

    field: str | None = None
    use_case: str | None = None
    prompt: str | None = None
    blank: tuple[str, ...] = ()
    shadow: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The same, ready for use. lane: who can ask the like again; empty is nobody."""

    pattern: re.Pattern[str]
    use_case: str
    field: Steps | None
    prompt: Steps | None
    blank: tuple[Steps, ...]
    lane: str


def routes_of(
    paths: Mapping[str, str | Guarded | None], use_case: str | None, guard: Guard
) -> tuple[Route, ...]:
    """Raises SettingsError and UnknownUseCase, naming the path."""
    if not paths:
        raise SettingsError("GuardASGI(paths=...): name at least one path that is guarded")
    return tuple(_route(path, given, use_case, guard) for path, given in paths.items())


def route_of(scope: Scope, routes: Iterable[Route]) -> Route | None:
    """The first route that a request takes.

    It is matched as frameworks do, and more loosely (a slash too many, a line break at the end that
    their patterns forgive), so that no spelling of a path goes round the guard.
    """
    path = _within(scope.get("root_path", ""), scope["path"])
    spellings = (_tidy(path), path)
    return next((route for route in routes if any(map(route.pattern.fullmatch, spellings))), None)


def _route(path: str, given: str | Guarded | None, use_case: str | None, guard: Guard) -> Route:
    one = given if isinstance(given, Guarded) else Guarded(field=given)
    name = one.use_case or use_case
    if name is None:
        raise SettingsError(f"GuardASGI: {path}: give `use_case`, here or for all paths")
    return Route(
        pattern=_pattern(path),
        use_case=name,
        field=None if one.field is None else steps_of(one.field),
        prompt=None if one.prompt is None else steps_of(one.prompt),
        blank=tuple(map(steps_of, one.blank)),
        lane=guard.lane(name, one.shadow),
    )


def _pattern(path: str) -> re.Pattern[str]:
    if not path.startswith("/"):
        raise SettingsError(f"GuardASGI: {path!r}: a path begins with a slash")
    parts, end = [], 0
    for found in _PARAMETER.finditer(path := _tidy(path)):
        parts += [re.escape(path[end : found.start()]), _wanted(found.group(1))]
        end = found.end()
    return re.compile("".join([*parts, re.escape(path[end:])]), re.DOTALL)


def _wanted(kind: str | None) -> str:
    return ".*" if kind == ":path" else "[^/]+"


def _tidy(path: str) -> str:
    return "/" + re.sub("/{2,}", "/", path).strip("/ \t\r\n")


def _within(root: str, path: str) -> str:
    """The path as seen from where the application is mounted."""
    inside = bool(root) and path.startswith(root) and path[len(root) :][:1] in {"", "/"}
    return path[len(root) :] if inside else path
