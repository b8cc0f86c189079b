"""The other side of bench_counterfactual: the generator of LangFair 0.8, as its users run it.

Reads {"attribute", "texts"} as JSON per line, writes the CPU seconds that the rewrites to every
group took, and the rewrites. The base class, which talks to a model, is left out: rewriting does
not use it.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
import types
from typing import Any

from fairness_theirs import without_packages

BARE = ("langfair", "langfair.constants", "langfair.generator", "langfair.utils")


class NoModel:
    """What the generator inherits, without a model."""

    def __init__(self, **_: object) -> None:
        self.progress_bar = None


def generator() -> Any:
    """Their generator."""
    without_packages(BARE)
    stand_in("langfair.generator.generator", ResponseGenerator=NoModel)
    stand_in("langchain_core.messages.system", SystemMessage=object)
    from langfair.generator.counterfactual import CounterfactualGenerator

    return CounterfactualGenerator()


def stand_in(name: str, **members: object) -> None:
    """A module of this name with these members."""
    parent = ""
    for part in name.split("."):
        parent = f"{parent}.{part}".lstrip(".")
        sys.modules.setdefault(parent, types.ModuleType(parent))
    vars(sys.modules[name]).update(members)


def answer(theirs: Any, attribute: str, texts: list[str]) -> dict[str, Any]:
    """The time all rewrites took, and the rewrites; `_prompt` after the name of a group."""
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        rewrites = theirs.create_prompts(prompts=texts, attribute=attribute)
    seconds = time.process_time() - start
    return {"seconds": seconds, "rewrites": rewrites}


def main() -> None:
    theirs = generator()
    for line in sys.stdin:
        print(json.dumps(answer(theirs, **json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
