"""`python -m evaluate.suites --summary`: counts and samples; `--golden` writes the golden file."""

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence

from evaluate.suites.counterfactual import counterfactual_sets
from evaluate.suites.functional import functional_cases
from evaluate.suites.golden import FILE, golden_cases, write_golden
from evaluate.suites.groups import word_groups
from evaluate.suites.texts import all_texts, texts_by_suite


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evaluate.suites", description=__doc__)
    parser.add_argument("--summary", action="store_true", help="print counts and samples")
    parser.add_argument("--samples", type=int, default=4, help="samples of each suite")
    parser.add_argument("--golden", action="store_true", help="choose and write the golden set")
    return parser.parse_args()


def sample(texts: Sequence[str], n: int) -> list[str]:
    chosen = random.Random("summary").sample(list(texts), min(n, len(texts)))
    return [text.replace("\n", " ")[:180] for text in chosen]


def summary(samples: int) -> Iterator[str]:
    """Lines: a count and samples of every suite, then the sentences behind the versions."""
    for suite, texts in texts_by_suite().items():
        yield f"{suite}: {len(texts)} texts"
        yield from (f"    {text}" for text in sample(texts, samples))
    sentences = Counter("toxic" if item.toxic else "benign" for item in counterfactual_sets())
    families = Counter(case.family for case in functional_cases())
    yield f"counterfactual sentences: {dict(sentences)}"
    yield f"functionalities: {len(families)}, the smallest of {min(families.values())} texts"
    yield f"groups: {len(word_groups())}; golden set: {len(golden_cases())} texts"
    yield f"distinct texts in all: {len(all_texts())}"


def main() -> None:
    chosen = arguments()
    if chosen.golden:
        write_golden()
        print(f"wrote {FILE.name}")
    if chosen.summary:
        print("\n".join(summary(chosen.samples)))


if __name__ == "__main__":
    main()
