"""What does a score cost? CPU time per 64-token response, theirs over ours.

Theirs: what a LangFair user runs, a RoBERTa-base toxicity classifier and a DistilBERT stereotype
classifier in torch, float32, one text at a time. It runs on one thread, which costs it least CPU.
Ours: `Guard.check` with default settings, every head, one text at a time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from tokenizers import Tokenizer

from guard.scoring import Catalogue
from paired import heading, in_turns, quantile, ratio, row
from texts import Texts, verify

HERE = Path(__file__).parent
TOKENS = 64
GOAL = 25.0


class Worker:
    """A process that says how much CPU time texts took it."""

    def __init__(self, *command: str | Path) -> None:
        self._process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds_per_text(self, texts: list[str]) -> float:
        """Score the texts."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise SystemExit("no pipes")
        stdin.write(json.dumps(texts) + "\n")
        stdin.flush()
        answer = stdout.readline()
        if not answer:
            raise SystemExit(f"a side ended with {self._process.wait()}")
        return float(answer) / len(texts)

    def close(self) -> None:
        """End it and wait."""
        self._process.communicate()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--torch-python", required=True, help="an interpreter with transformers")
    parser.add_argument("--torch-threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--texts", type=int, default=8, help="per round, theirs; ours get 10 times")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    vocabulary = Catalogue.installed().find("bundled").folder / "tokenizer.json"
    texts = Texts(seed=64)
    verify(Tokenizer.from_file(str(vocabulary)), texts.of(TOKENS, 200))
    theirs = Worker(
        options.torch_python, HERE / "cost_theirs.py", vocabulary, str(options.torch_threads)
    )
    ours = Worker(sys.executable, HERE / "cost_ours.py")
    heading(f"CPU time per {TOKENS}-token response")
    sides = (
        lambda: theirs.seconds_per_text(texts.of(TOKENS, options.texts)),
        lambda: ours.seconds_per_text(texts.of(TOKENS, options.texts * 10)),
    )
    seen = in_turns(sides, options.rounds)
    theirs.close()
    ours.close()
    report(*zip(*seen, strict=True))


def report(theirs: tuple[float, ...], ours: tuple[float, ...]) -> None:
    """Print both sides and their ratio; exit 1 if the goal is missed."""
    found = ratio(theirs, ours)
    row("RoBERTa-base + DistilBERT, torch", f"{1000 * quantile(theirs, 0.5):.1f} ms CPU")
    row("Guard.check, all heads", f"{1000 * quantile(ours, 0.5):.2f} ms CPU")
    row("theirs / ours", found, f">= {GOAL:g}", met=found.value >= GOAL)
    sys.exit(found.value < GOAL)


if __name__ == "__main__":
    main()
