"""`python -m train.written`: how many rows of what, and samples to read."""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from random import Random

from train.heads import KEYS
from train.written.build import Written, written


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="train.written", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=3, help="texts to show per section")
    parser.add_argument("--family", help="show this family only")
    return parser.parse_args()


def labels(rows: Iterable[Written]) -> str:
    """Per head, how many rows are positive of those that are labelled."""
    known: dict[str, list[float]] = defaultdict(list)
    for each in rows:
        for key, target in zip(KEYS, each.row.targets, strict=True):
            if target is not None:
                known[key].append(target)
    return ", ".join(f"{key} {sum(t > 0.5 for t in ts)}/{len(ts)}" for key, ts in known.items())


def show_groups(rows: Sequence[Written]) -> None:
    rated = [each for each in rows if each.row.targets[0] is not None]
    total = Counter(each.group or "(none)" for each in rated)
    toxic = Counter(each.group or "(none)" for each in rated if each.row.targets[0] == 1.0)
    for group, count in sorted(total.items()):
        print(f"  {group:16} rows {count:5}  toxic {toxic[group] / count:.2f}")


def show_section(name: str, rows: Sequence[Written], samples: int) -> None:
    print(f"\n-- {name}: {len(rows)} rows; {labels(rows)}")
    for each in Random(len(rows)).sample(rows, min(samples, len(rows))):
        print(f"   [{each.group}] {each.row.text}")


def lengths(rows: Sequence[Written]) -> str:
    counts = sorted(len(each.row.text.split()) for each in rows)
    return ", ".join(f"{q}%: {counts[(len(counts) - 1) * q // 100]}" for q in (1, 10, 50, 90, 99))


def main() -> None:
    options = arguments()
    rows = written(options.seed)
    sections: dict[str, list[Written]] = defaultdict(list)
    for each in rows:
        if options.family in {None, each.family}:
            sections[f"{each.family}/{each.section}"].append(each)
    for name, found in sections.items():
        show_section(name, found, options.samples)
    print(f"\n{len(rows)} rows in {len({each.pair for each in rows})} pairs; words {lengths(rows)}")
    for family, count in Counter(each.family for each in rows).items():
        print(f"  {family:16} {count:6}  {labels(e for e in rows if e.family == family)}")
    show_groups(rows)


if __name__ == "__main__":
    main()
