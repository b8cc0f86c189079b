"""What does a rewrite cost? CPU time of the generator of LangFair 0.8 over ours.

Both sides rewrite the same texts of about 120 words, prompts that speak of people of one group, to
each group that LangFair knows of the attribute: two of gender, four of race. Ours includes the
check of every rewrite. The order of the sentences is new in each round, so nothing is remembered.
`--table` prints 40 tricky sentences with both sides' rewrites instead. The other side runs in an
environment of its own, made by `scripts/environment.sh langfair`.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_fairness import timed
from guard.counterfactual import Lexicons, bundled, rewrite, variants
from other_side import OtherSide
from paired import heading, ratio, row

HERE = Path(__file__).parent
COPIES, GOAL = 20, 10.0
GROUPS = {"gender": ("female", "male"), "race": ("white", "black", "hispanic", "asian")}


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text, and the group it speaks of."""

    source: str
    text: str


def table(name: str) -> list[list[str]]:
    """The lines of a file of tab-separated values below its heading."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


def prompts(attribute: str, rng: random.Random) -> list[Prompt]:
    """Texts about people, their sentences in new orders."""
    known = [line[1:] for line in table("people.tsv") if line[0] == attribute]
    return [Prompt(source, shuffled(text, rng)) for source, text in known for _ in range(COPIES)]


def shuffled(text: str, rng: random.Random) -> str:
    sentences = re.split(r"(?<=[.?]) ", text)
    return " ".join(rng.sample(sentences, len(sentences)))


def ours(texts: list[Prompt], attribute: str, lexicons: Lexicons) -> float:
    """The CPU seconds of every rewrite."""
    return timed(lambda: [rewrites(prompt, attribute, lexicons) for prompt in texts])


def rewrites(prompt: Prompt, attribute: str, lexicons: Lexicons) -> list[str | None]:
    """The text about each group that LangFair knows."""
    groups = GROUPS[attribute]
    done = variants([prompt.text], lexicons, attribute, to=groups, source=prompt.source)
    return [done[group][0].text if group in done else prompt.text for group in groups]


def one_round(
    theirs: OtherSide, attribute: str, lexicons: Lexicons, number: int
) -> tuple[float, float]:
    """What both sides take for a text; every other round runs in reverse order."""
    texts = prompts(attribute, random.Random(number))
    asked = {"attribute": attribute, "texts": [prompt.text for prompt in texts]}
    if number % 2:
        their_seconds = theirs.ask(asked)["seconds"]
        return their_seconds / len(texts), ours(texts, attribute, lexicons) / len(texts)
    mine = ours(texts, attribute, lexicons)
    return theirs.ask(asked)["seconds"] / len(texts), mine / len(texts)


def compared(theirs: OtherSide, lexicons: Lexicons, rounds: int) -> bool:
    """Print the ratios; whether the goal is met."""
    met = True
    for attribute in GROUPS:
        seen = [one_round(theirs, attribute, lexicons, number) for number in range(rounds + 1)][1:]
        found = ratio([one for one, _ in seen], [one for _, one in seen])
        row(f"{attribute}: theirs / ours", found, f">= {GOAL:g}", met=found.value >= GOAL)
        for side, name in enumerate(("theirs", "ours")):
            milliseconds = statistics.median(one[side] for one in seen) * 1e3
            row(f"{attribute}: {name}, one text to every group", f"{milliseconds:.2f} ms")
        met &= found.value >= GOAL
    return met


def print_table(theirs: OtherSide, lexicons: Lexicons) -> None:
    """Tricky sentences and both sides' rewrites, as Markdown."""
    print("| sentence | to | ours | LangFair 0.8 |\n|---|---|---|---|")
    for attribute, source, to, sentence in table("tricky.tsv"):
        mine = rewrite(sentence, lexicons, attribute=attribute, to=to, source=source or None)
        answer = mine.text or f"*declined: {mine.declined} {mine.detail}*"
        other = their_rewrite(theirs, attribute, to, sentence)
        print(f"| {sentence} | {to} | {answer} | {other} |")


def their_rewrite(theirs: OtherSide, attribute: str, to: str, sentence: str) -> str:
    """Theirs, or why there is none."""
    if to not in GROUPS.get(attribute, ()):
        return "*not offered*"
    anchor = {"gender": "he", "race": "black man"}[attribute]
    asked = {"attribute": attribute, "texts": [sentence, anchor]}
    found: dict[str, Any] = theirs.ask(asked)["rewrites"]
    if found["original_prompt"][0] != sentence:
        return "*nothing found*"
    return str(found[f"{to}_prompt"][0])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--langfair-python", required=True, help="an interpreter with LangFair 0.8")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--table", action="store_true", help="print 40 rewrites of both sides")
    return parser.parse_args()


def main() -> None:
    options, lexicons = arguments(), bundled()
    theirs = OtherSide(options.langfair_python, "counterfactual_theirs.py")
    met = True
    if options.table:
        print_table(theirs, lexicons)
    else:
        heading("Rewriting texts of 120 words to every group, CPU time")
        met = compared(theirs, lexicons, options.rounds)
    theirs.close()
    sys.exit(not met)


if __name__ == "__main__":
    main()
