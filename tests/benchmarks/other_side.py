"""A process of another environment that is asked, and answers, one JSON value per line."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

_NONE: Mapping[str, str] = MappingProxyType({})


class OtherSide:
    """`script`, a neighbour of this file, under the interpreter of its own environment.

    variables: of the process environment, besides our own.
    """

    def __init__(
        self, python: str, script: str, *arguments: str, variables: Mapping[str, str] = _NONE
    ) -> None:
        self._process = subprocess.Popen(
            [python, str(Path(__file__).parent / script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **variables},
        )

    def tell(self, what: object) -> None:
        """Send without waiting for an answer."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()

    def ask(self, what: object) -> Any:
        """Send and wait. Ends the benchmark if the other side has ended."""
        self.tell(what)
        assert self._process.stdout
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"the other side ended with {self._process.wait()}")
        return json.loads(answer)

    def close(self) -> None:
        """End it and wait."""
        self._process.communicate()
