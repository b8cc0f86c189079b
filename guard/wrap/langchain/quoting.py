"""Exceptions that hold what the model said. Callers, callbacks and logs hear of exceptions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from langchain_core.exceptions import OutputParserException

from guard.errors import Blocked, UpstreamError
from guard.policy import Policy

_VALIDATORS = frozenset({"pydantic", "pydantic_core"})
_FIELDS = ("completion", "llm_output")
_QUOTES = "failed_generation"


def unquoted(error: Exception, policy: Policy) -> Exception:
    """`error`, or one without the words of the reply where policy might withhold them.

    Models that parse a reply themselves, to a schema say, raise what is wrong with it in its words.
    """
    if isinstance(error, Blocked):
        return Blocked(replace(error.outcome, reply=""))
    if policy.may_withhold and any(map(_may_quote, _with_causes(error))):
        return UpstreamError(
            f"the model raised {type(error).__name__}, which may quote its reply and so is not"
            " shown; handlers given as `trusted` hear it"
        )
    return error


def _may_quote(error: BaseException) -> bool:
    kinds = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    parses = isinstance(error, json.JSONDecodeError | OutputParserException)
    holds = any(getattr(error, name, None) is not None for name in _FIELDS)
    return parses or holds or bool(kinds & _VALIDATORS) or _QUOTES in str(error)


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    """The error and those it came of."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in found:
            found.append(one)
            waiting += [one.__cause__, one.__context__]
    yield from found
