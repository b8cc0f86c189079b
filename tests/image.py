"""The Dockerfile, read instruction by instruction."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction, with the number of the stage it belongs to."""

    stage: int
    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """Its words, without options like `--from=build`."""
        return [word for word in shlex.split(self.text) if not word.startswith("--")]

    @property
    def exec_form(self) -> list[str]:
        """The command that it starts without a shell. Raises ValueError where there is one."""
        found: list[str] = json.loads(self.text[self.text.index("[") :])
        return found


def instructions() -> list[Instruction]:
    """All instructions of the Dockerfile, without its comments."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line and line[0] != "#"]
    stage, found = -1, []
    for line in lines:
        name, _, rest = line.partition(" ")
        stage += name == "FROM"
        found.append(Instruction(stage, name, rest.strip()))
    return found


def only(name: str) -> Instruction:
    """The one instruction with this name in the last stage."""
    last = instructions()[-1].stage
    (found,) = (one for one in instructions() if one.name == name and one.stage == last)
    return found


def argument(name: str) -> str:
    """The default of a build argument."""
    (text,) = (one.text for one in instructions() if one.name == "ARG" and name in one.text)
    return text.partition("=")[2]


def copied() -> list[Path]:
    """The files and folders that the image is made from."""
    copies = [one for one in instructions() if one.name == "COPY" and "--from" not in one.text]
    return [ROOT / source for one in copies for source in one.words[:-1]]


def stages() -> list[str]:
    """The images that are built on."""
    return [re.split(r"\s", one.text)[0] for one in instructions() if one.name == "FROM"]
