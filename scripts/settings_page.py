"""Writes docs/settings.md from the models of the settings; a test compares the two.

python -m scripts.settings_page
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from guard.settings import BUILT_IN, Settings

PAGE = Path(__file__).resolve().parents[1] / "docs/settings.md"
HEAD = """\
# Settings

Every key of guard.yaml, as the program knows it: this page is written from its models
(`python -m scripts.settings_page`). An unknown key or a value that is not allowed is an error with
its path; `guard config check guard.yaml` says what a file means, and `guard init` writes one with
every key.
How keys go together is told by [gateway.md](gateway.md), [shadow.md](shadow.md),
[policy.md](policy.md) and [review.md](review.md).
"""
SHOWN: Mapping[tuple[str, str], object] = {
    ("UseCase", "policy"): BUILT_IN,
    ("GatewaySettings", "reads"): Settings().gateway.reads,
}
"""Defaults that the models do not say: the built-in rules lie under every policy."""
LIMITS = {
    "exclusiveMinimum": "above {}",
    "minimum": "at least {}",
    "exclusiveMaximum": "below {}",
    "maximum": "at most {}",
}
WORDS = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "`true` or `false`",
    "null": "`null`",
}
Schema = Mapping[str, Any]


class SettingsPage:
    """The page of one JSON Schema."""

    def __init__(self, schema: Schema) -> None:
        self._root = schema
        self._named: Mapping[str, Schema] = schema["$defs"]

    def text(self) -> str:
        """The whole of it: a table for each section."""
        return HEAD + "".join(f"\n{part}" for part in self._sections())

    def _sections(self) -> Iterator[str]:
        yield self._section("", "Settings", self._root)
        for name, paths in self._places().items():
            yield self._section(", ".join(paths), name, self._named[name])

    def _places(self) -> dict[str, list[str]]:
        """Section, then every path at which it stands, outer ones first."""
        found: dict[str, list[str]] = {}
        waiting = [("", self._root)]
        while waiting:
            path, section = waiting.pop(0)
            for key, field in section["properties"].items():
                for name, below in self._inner(field, f"{path}.{key}".lstrip(".")):
                    found.setdefault(name, []).append(f"`{below}`")
                    if len(found[name]) == 1:
                        waiting.append((below, self._named[name]))
        return found

    def _inner(self, field: Schema, path: str) -> Iterator[tuple[str, str]]:
        """The sections that a field is made of, and where they then stand."""
        if name := self._section_name(field):
            yield name, path
        for one in field.get("anyOf", ()):
            yield from self._inner(one, path)
        if isinstance(items := field.get("items"), dict):
            yield from self._inner(items, f"{path}[]")
        if values := named_values(field):
            yield from self._inner(values, f"{path}.NAME")

    def _section_name(self, field: Schema) -> str:
        name = str(field.get("$ref", "")).rpartition("/")[2]
        return name if "properties" in self._named.get(name, {}) else ""

    def _section(self, title: str, name: str, section: Schema) -> str:
        about = " ".join(section.get("description", "").split())
        head = f"## {title}\n\n{about}\n\n" if title else "## The whole file\n\n"
        wanted = section.get("required", ())
        rows = (
            self._row(name, key, field, key in wanted)
            for key, field in section["properties"].items()
        )
        return f"{head}| key | value | default | |\n|---|---|---|---|\n" + "".join(rows)

    def _row(self, section: str, key: str, field: Schema, wanted: bool) -> str:
        about = field.get("description") or self._description(field)
        default = "required" if wanted else self._default(field, SHOWN.get((section, key)))
        cells = (f"`{key}`", self._value(field), default, about)
        return f"| {' | '.join(map(in_a_cell, cells))} |\n"

    def _description(self, field: Schema) -> str:
        """That of the section where the field has none of its own."""
        return next(
            (self._named[name].get("description", "") for name, _ in self._inner(field, "")), ""
        )

    def _default(self, field: Schema, shown: object) -> str:
        value = shown or field.get("default", "")
        if value == "" or (self._section_name(field) and not shown):
            return ""
        return f"`{yaml.safe_dump(value, default_flow_style=True, width=10_000).split(chr(10))[0]}`"

    def _value(self, field: Schema) -> str:
        """What may stand there, in words."""
        if name := str(field.get("$ref", "")).rpartition("/")[2]:
            return (
                "keys and values" if self._section_name(field) else self._value(self._named[name])
            )
        if "anyOf" in field:
            return " or ".join(self._value(one) for one in field["anyOf"])
        if "const" in field or "enum" in field:
            return ", ".join(f"`{one}`" for one in field.get("enum", [field.get("const")]))
        return self._typed(field)

    def _typed(self, field: Schema) -> str:
        kind = field.get("type")
        if kind == "array":
            inner = field.get("items")
            return f"list of {self._value(inner)}" if inner else "list"
        if kind == "object":
            inner = named_values(field)
            return f"name: {self._value(inner)}" if inner else "keys and values"
        limits = (words.format(field[key]) for key, words in LIMITS.items() if key in field)
        return ", ".join((WORDS.get(str(kind), "any value"), *limits))


def named_values(field: Schema) -> Schema:
    """What the values of a mapping with free keys are; empty where any value may be."""
    by_pattern = list(field.get("patternProperties", {}).values())
    found = by_pattern[0] if by_pattern else field.get("additionalProperties")
    return found if isinstance(found, dict) else {}


def in_a_cell(text: str) -> str:
    """The text on one line, without what would end a cell."""
    return " ".join(text.replace("|", "\\|").split())


def settings_page() -> str:
    """The text of docs/settings.md."""
    return SettingsPage(Settings.model_json_schema()).text()


if __name__ == "__main__":
    PAGE.write_text(settings_page(), encoding="utf-8")
