"""The guard.yaml that `guard init` writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

import pytest

from guard.settings import (
    BUILT_IN,
    ModelSettings,
    ReviewSettings,
    Settings,
    StoreSettings,
    UseCase,
    parse_settings,
)
from guard.settings.sections import Section
from guard.settings.starter import starter_yaml

KEY = re.compile(r"^[# ]*([a-z_0-9]+):", re.MULTILINE)


@pytest.mark.parametrize("names", [(), ("chat",), ("chat", "summaries")])
def test_it_loads_and_starts_in_observe(names: tuple[str, ...]) -> None:
    settings = parse_settings(starter_yaml(names))
    observing = UseCase(mode="observe")
    expected = Settings(defaults=observing, use_cases=dict.fromkeys(names, observing))
    assert settings == expected


def test_enforcing_is_one_word() -> None:
    text = starter_yaml(("chat",)).replace("mode: observe", "mode: enforce")
    assert parse_settings(text) == Settings(use_cases={"chat": UseCase()})


def test_what_is_commented_out_is_the_default() -> None:
    lines = starter_yaml().splitlines()
    settings = parse_settings("\n".join(line.removeprefix("# ") for line in lines))
    assert settings.defaults.model_dump() == UseCase(mode="observe", policy=BUILT_IN).model_dump()
    assert settings.scoring == ModelSettings()
    assert settings.store == StoreSettings()
    assert settings.review == ReviewSettings()
    others = {"defaults", "store"}
    assert settings.model_dump(exclude=others) == Settings().model_dump(exclude=others)


def test_every_key_there_is_stands_on_one_line_with_a_word_about_it() -> None:
    lines = [line for line in starter_yaml().splitlines() if KEY.match(line)]
    shown = [match[1] for line in lines if (match := KEY.match(line))]
    assert set(keys(Settings)) == set(shown)
    unexplained = [line for line in lines if line.count("#") < 2 and "  # " not in line]
    assert unexplained == ["version: 1", "defaults:"]


def keys(section: type[Section]) -> Iterator[str]:
    for name, field in section.model_fields.items():
        yield name
        for inside in sections(field.annotation):
            yield from keys(inside)


def sections(annotation: object) -> Iterator[type[Section]]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for one in get_args(annotation):
        yield from sections(one)
