"""The scripts in Lua that the server runs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True, kw_only=True)
class LuaScript:
    """text: Lua. sha: by which the server knows it once it has seen it."""

    text: str
    sha: str


def read_script(name: str) -> LuaScript:
    """`lua/<name>.lua`, after the parts that its second line, `-- uses: ...`, names."""
    kind, uses, body = _file(name).split("\n", 2)
    parts = ["base", *uses.removeprefix("-- uses:").split()]
    text = "\n".join([kind, *(_file(f"parts/{part}") for part in parts), body])
    return LuaScript(text=text, sha=hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


def _file(name: str) -> str:
    return (files("guard.store") / "lua" / f"{name}.lua").read_text(encoding="utf-8")
