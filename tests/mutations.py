"""Twenty small faults, put into the code one at a time: do the tests near each notice?

    python -m tests.mutations              # all of them, with a table at the end
    python -m tests.mutations lease seen   # those whose description has one of these words

Each is made in a copy of the code, so that the working tree stays as it is. The exit status is 1
where a fault was missed. A text that is not there any more is an error: choose another place.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
COPIED: Final = ("guard", "tests", "exporters", "models/pyproject.toml", "models/large")
FILES: Final = ("pyproject.toml", "README.md", "CHANGELOG.md")
LUA: Final = "guard/store/lua"
STORES: Final = ("tests/contract/test_inbox.py", "tests/contract/test_windows.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """`old` in `file`, where it stands once, becomes `new`; `tests` should fail then."""

    part: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        """In one line."""
        return f"{self.file}: {' '.join(self.old.split())} -> {' '.join(self.new.split())}"


def change(part: str, file: str, old: str, new: str, *tests: str) -> Mutation:
    """One row of the table."""
    return Mutation(part=part, file=file, old=old, new=new, tests=tests)


MUTATIONS: Final = (
    change(
        "policy",
        "guard/policy/decision.py",
        "is not None and value >= rule.threshold",
        "is not None and value > rule.threshold",
        "tests/unit/policy",
    ),
    change(
        "policy",
        "guard/policy/decision.py",
        "max(first, second, key=_ORDER.__getitem__)",
        "min(first, second, key=_ORDER.__getitem__)",
        "tests/unit/policy",
        "tests/unit/flow",
    ),
    change(
        "hold-back",
        "guard/holdback.py",
        "sum(map(len, stretches[:-1] if whole else stretches))",
        "sum(map(len, stretches))",
        "tests/unit/test_holdback.py",
    ),
    change(
        "hold-back",
        "guard/holdback.py",
        "pending=self.pending[count:], begins=begins",
        "pending=self.pending[count + 1 :], begins=begins",
        "tests/unit/flow",
    ),
    change(
        "tallies",
        "guard/fairness/tally.py",
        'key(*prefix, "squares"): value * value',
        'key(*prefix, "squares"): value',
        "tests/unit/fairness/test_tally.py",
    ),
    change(
        "tallies",
        "guard/fairness/tally.py",
        "return range(present - self.buckets, present + 1)",
        "return range(present - self.buckets, present)",
        "tests/unit/fairness/test_tally.py",
    ),
    change(
        "tallies",
        "guard/fairness/evidence.py",
        "np.maximum(squares - 2.0 * bound * total + n * bound * bound, 0.0)",
        "np.maximum(squares + 2.0 * bound * total + n * bound * bound, 0.0)",
        "tests/unit/fairness/test_evidence.py",
    ),
    change(
        "tallies",
        "guard/fairness/evidence.py",
        "log_above(self.n, -self.total, self.squares, -bound)",
        "log_above(self.n, -self.total, self.squares, bound)",
        "tests/unit/fairness/test_evidence.py",
    ),
    change(
        "tallies",
        "guard/shadow/measurement.py",
        "ending = Ending.REFUSED if refused else generated.ending",
        "ending = generated.ending",
        "tests/unit/shadow",
    ),
    change(
        "Lua",
        f"{LUA}/retry.lua",
        'call("ZREM", P .. "leased:" .. lane, A.key)',
        "",
        *STORES,
    ),
    change(
        "Lua",
        f"{LUA}/accept.lua",
        ">= A.position then",
        "> A.position then",
        *STORES,
        "tests/contract/test_store.py",
    ),
    change(
        "Lua",
        f"{LUA}/erase.lua",
        'call("SADD", P .. "erased", A.call_id)',
        "",
        "tests/contract/test_cases.py",
    ),
    change(
        "gateway",
        "guard/gateway/auth.py",
        "return not self.use_cases or use_case in self.use_cases",
        "return not self.use_cases or use_case not in self.use_cases",
        "tests/unit/gateway",
    ),
    change(
        "gateway",
        "guard/gateway/judging/streams.py",
        "for event in feed.reply(0):",
        "for event in feed.reply(number):",
        "tests/unit/gateway/judging",
    ),
    change(
        "gateway",
        "guard/gateway/overload.py",
        "self._reserved[key] -= count",
        "self._reserved[key] -= 0",
        "tests/unit/gateway/test_overload.py",
    ),
    change(
        "gateway",
        "guard/replies/sse.py",
        "return self.raw.endswith(_BLANK_LINES)",
        "return True",
        "tests/unit/replies",
        "tests/unit/gateway/judging",
        "tests/property/test_replies_sse.py",
    ),
    change(
        "gateway",
        "guard/gateway/response.py",
        "if self._left and self._task.uncancel() <= 0 and",
        "if self._task.uncancel() <= 0 and",
        "tests/unit/gateway",
        "tests/integration/test_gateway_load.py",
    ),
    change(
        "sign-in",
        "guard/review_web/rate_limit.py",
        "if key[0] not in _SHARED:",
        "if key[0] in _SHARED:",
        "tests/unit/review_web",
    ),
    change(
        "sign-in",
        "guard/review/accounts.py",
        "session_version=kept.session_version + 1)",
        "session_version=kept.session_version)",
        "tests/unit/review/test_accounts.py",
    ),
    change(
        "sign-in",
        "guard/review_web/sessions.py",
        "return idle < options.idle_seconds and age < options.session_seconds",
        "return idle < options.idle_seconds or age < options.session_seconds",
        "tests/unit/review_web/test_sessions.py",
    ),
)


@contextmanager
def copied() -> Iterator[Path]:
    """A folder with the code and its tests, to be changed."""
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        for name in COPIED:
            copy(ROOT / name, Path(folder) / name)
        for name in FILES:
            copy(ROOT / name, Path(folder) / name)
        yield Path(folder)


def copy(source: Path, target: Path) -> None:
    """A file, or a folder without what was compiled from it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


@contextmanager
def mutated(folder: Path, mutation: Mutation) -> Iterator[None]:
    """The fault, for as long as the context lasts. Raises ValueError if its place is not there."""
    path = folder / mutation.file
    before = path.read_text(encoding="utf-8")
    if before.count(mutation.old) != 1:
        raise ValueError(
            f"{mutation.file}: {mutation.old!r} stands there {before.count(mutation.old)} times"
        )
    path.write_text(before.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")


def failed_test(folder: Path, tests: tuple[str, ...]) -> str:
    """The first test that fails; empty where all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-rfE", "--tb=no", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    found = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    if done.returncode == 0:
        return ""
    if not found:
        raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return found[0].partition(" ")[2].partition(" - ")[0]


def main(words: list[str]) -> int:
    """Print a row for each mutation; 1 where one was missed."""
    chosen = [one for one in MUTATIONS if not words or any(word in one.name for word in words)]
    missed = 0
    print("| part | fault | caught by |\n|---|---|---|", flush=True)
    with copied() as folder:
        for mutation in chosen:
            with mutated(folder, mutation):
                caught = failed_test(folder, mutation.tests)
            missed += not caught
            print(f"| {mutation.part} | `{mutation.name}` | {caught or '**missed**'} |", flush=True)
    print(f"\n{len(chosen) - missed} of {len(chosen)} caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
