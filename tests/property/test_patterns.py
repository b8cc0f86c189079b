"""No regular expression of the package goes back and forth without an end over a short text."""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
from collections import deque
from collections.abc import Iterator
from functools import partial
from itertools import product
from types import FrameType, ModuleType

import pytest

import guard

LENGTH = 90
"""A pattern that tries all ways to part so many characters does not end."""
HANGS_SECONDS = 60
UNITS = (
    *("a", "ab", "aa ", "a ", "a-", "1", "1 ", "1,", "$1 ", "- ", "\n", "a\n", "- a\n", "\t", "\\"),
    *(
        "<a>",
        "</a>",
        "<a ",
        "[a]",
        "(a",
        "((",
        "{",
        "\\a{",
        "'",
        '"',
        "`",
        "_a_",
        "*a*",
        "|a",
        "| ",
    ),
    *("&#1;", "&a;", "a.", "a@", "a:", "a=", "#", "$", "%", "\u200b", "é", "а", "\x1b[1m"),
    *("Mr. A ", "A ", "F, ", "20 y", "and ", "her ", "http://a/"),
)
TAILS = ("", "b", "!", "\x00", "\n", "1", "]")
TEXTS = ["".join((unit * LENGTH)[:LENGTH] + tail) for unit, tail in product(UNITS, TAILS)]
PACKAGES = ("counterfactual", "text", "")
"""Those with most patterns, and all others."""


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(guard.__path__, "guard."):
        if "export" not in found.name and not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def patterns(package: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    for module in modules():
        part = module.__name__.split(".")[1]
        if (part if part in PACKAGES else "") != package:
            continue
        for name, value in vars(module).items():
            several = value.values() if isinstance(value, dict) else value
            for one in several if isinstance(value, (tuple, list, dict)) else [value]:
                if isinstance(one, re.Pattern) and isinstance(one.pattern, str):
                    yield f"{module.__name__}.{name}", one


def fail(name: str, _: int, __: FrameType | None) -> None:
    pytest.fail(f"{name} has not ended in {HANGS_SECONDS} s")


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES, ids=[*PACKAGES[:-1], "others"])
def test_every_pattern_ends(package: str) -> None:
    found = list(patterns(package))
    assert len(found) > 20
    earlier = signal.getsignal(signal.SIGALRM)
    try:
        for name, pattern in found:
            signal.signal(signal.SIGALRM, partial(fail, name))
            signal.alarm(HANGS_SECONDS)
            for text in TEXTS:
                deque(pattern.finditer(text), maxlen=0)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, earlier)
