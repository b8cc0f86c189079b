"""The first guard.yaml of a user: every key with its default, commented out, in mode `observe`.

It is made from the models of the settings, so that it names what they know. Lines with `##` are
prose; a line with `# ` before a key is that key with its default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeGuard, get_args

import yaml
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from guard.settings.load import Settings
from guard.settings.sections import Section
from guard.settings.use_cases import BUILT_IN, UseCase

PROSE: Final = "## "
COMMENT: Final = "# "
_HEAD: Final = """\
## Settings of evenguard. A line with `# ` before a key holds its default: remove the `# ` to change
## it, and that of the keys it belongs to. Lines with `##` say what stands within a key. When this
## file is changed, `guard config check` says what it means.

version: 1
defaults:
  mode: observe  # releases everything and records what would have been done; `enforce` acts on it
"""
_ACTIVE: Final = frozenset({"version", "defaults", "mode"})
_SHOWN: Final[Mapping[str, object]] = {"policy": BUILT_IN}
"""Defaults that are not those of the model: the built-in rules lie under every policy."""
_SENTENCE_END: Final = re.compile(r"(?<=[a-z0-9`)\]])\. (?=[A-Z0-9`])")
_REQUIRED: Final = "REQUIRED"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """How lines begin. marker: of comments or prose. depth: of the section."""

    marker: str = COMMENT
    depth: int = 0

    @property
    def indent(self) -> str:
        return "  " * self.depth

    @property
    def inner(self) -> _Style:
        return replace(self, depth=self.depth + 1)

    def key(self, name: str, value: str, comment: str) -> str:
        """One line for one key."""
        said = f"{self.indent}{name}: {value}".rstrip()
        return f"{self.marker}{said}" + (f"  # {comment}" if comment else "")


def starter_yaml(use_cases: Sequence[str] = ()) -> str:
    """The text of the file. use_cases: names to declare; without any, every name is accepted."""
    style = _Style()
    lines = [
        *_fields(UseCase, style.inner),
        "",
        *_use_cases(use_cases),
        "",
        *_fields(Settings, style, without=frozenset({"use_cases"})),
    ]
    return _HEAD + "\n".join(lines) + "\n"


def _use_cases(names: Sequence[str]) -> Iterator[str]:
    about = _first_sentence(Settings.model_fields["use_cases"].description)
    if not names:
        yield _Style().key("use_cases", "{}", about)
        return
    yield f"use_cases:  # {about}"
    for name in names:
        yield f"  {name}: {{}}  # `{{mode: enforce}}` acts on this one alone"


def _fields(
    section: type[Section], style: _Style, without: frozenset[str] = frozenset()
) -> Iterator[str]:
    for name, field in section.model_fields.items():
        if name not in _ACTIVE | without:
            yield from _lines(name, field, style)


def _lines(name: str, field: FieldInfo, style: _Style) -> Iterator[str]:
    inside = next(filter(_is_section, _types(field.annotation)), None)
    comment = _first_sentence(field.description or (inside.__doc__ if inside else ""))
    default = _SHOWN.get(name, _default(field))
    if inside is not None and _has_defaults(inside) and not isinstance(default, dict | list):
        yield style.key(name, "", comment)
        yield from _fields(inside, style.inner)
        return
    yield style.key(name, _value(default), comment)
    if inside is not None:
        yield from _fields(inside, replace(style.inner, marker=PROSE))


def _default(field: FieldInfo) -> object:
    found = field.get_default(call_default_factory=True, validated_data={})
    return _REQUIRED if found is PydanticUndefined else found


def _has_defaults(section: type[Section]) -> bool:
    return not any(field.is_required() for field in section.model_fields.values())


def _value(default: object) -> str:
    text = yaml.safe_dump(_plain(default), default_flow_style=True, width=10_000)
    return text.removesuffix("...\n").strip()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list) else _scalar(value)


def _scalar(value: Any) -> Any:
    return str(value) if isinstance(value, str) else value


def _first_sentence(text: str | None) -> str:
    """Without its full stop, on one line."""
    flat = " ".join((text or "").split())
    return _SENTENCE_END.split(flat, maxsplit=1)[0].removesuffix(".")


def _types(annotation: object) -> Iterable[object]:
    """All types that an annotation is made of."""
    yield annotation
    for one in get_args(annotation):
        yield from _types(one)


def _is_section(one: object) -> TypeGuard[type[Section]]:
    return isinstance(one, type) and issubclass(one, Section)
