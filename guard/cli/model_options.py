"""Options of commands that ask a model, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, TypeVar

import click

from guard.assessment.generation import AskingLimits
from guard.bootstrap.assessment import ModelToAsk, function_to_ask
from guard.errors import SettingsError

F = TypeVar("F", bound=Callable[..., Any])


def model_options(purpose: str) -> Callable[[F], F]:
    """Adds them to a command. purpose: of asking, in the help of `--model`."""
    options = (
        click.option("--model", help=f"The model {purpose}, as its API calls it."),
        click.option("--base-url", help="Its address, everything before /chat/completions."),
        click.option("--api-key-env", help="The environment variable that holds its key."),
        click.option("--call", help="A Python function to ask instead: package.module:function."),
        click.option("--temperature", type=float, help="Goes along with every question."),
        click.option(
            "--concurrency", type=click.IntRange(1), default=8, help="Questions under way at once."
        ),
        click.option("--retry-failed", is_flag=True, help="Ask again what an earlier run gave up."),
        click.option("--max-calls", type=click.IntRange(0), help="Ask no more than this."),
        click.option("--max-total-tokens", type=click.IntRange(0), help="Stop asking beyond."),
    )

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def named_model(given: Mapping[str, Any]) -> ModelToAsk | None:
    """The model that `--base-url` or `--call` name; None without them. Raises SettingsError."""
    if given["call"]:
        return ModelToAsk(name=given["call"], fn=function_to_ask(given["call"]))
    if not given["base_url"]:
        if given["model"]:
            raise SettingsError("--model: say with --base-url where it is")
        return None
    name = given["model"] or ""
    return ModelToAsk(name=name, base_url=given["base_url"], api_key_env=given["api_key_env"])


def model_parameters(given: Mapping[str, Any]) -> dict[str, object]:
    """What goes along with every question."""
    said = {name: given[name] for name in ("model", "temperature")}
    return {name: value for name, value in said.items() if value not in {None, ""}}


def asking_limits(given: Mapping[str, Any]) -> AskingLimits:
    """How the model is asked, and the budget."""
    calls, tokens = given["max_calls"], given["max_total_tokens"]
    return AskingLimits(
        concurrency=given["concurrency"],
        retry_failed=given["retry_failed"],
        calls=inf if calls is None else calls,
        tokens=inf if tokens is None else tokens,
    )
