"""Results as Markdown."""

from collections.abc import Iterable, Sequence

from evaluate.suites.benign import FalsePositives
from evaluate.suites.counterfactual import Invariance
from evaluate.suites.everything import Measured
from evaluate.suites.functional import Functionality
from evaluate.suites.judged import HardResults, hard_bounds
from evaluate.suites.length import Lengths
from evaluate.suites.records import Reading
from evaluate.suites.subgroups import Subgroups


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def shown(reading: Reading | None, digits: int = 3) -> str:
    """`value [low, high]`, or a dash where there is no figure."""
    if reading is None:
        return "-"
    return f"{reading.value:.{digits}f} [{reading.low:.{digits}f}, {reading.high:.{digits}f}]"


def invariance_table(rows: Sequence[Invariance]) -> str:
    return table(
        ["head", "texts", "attribute", "sentences", "pairs", "mean change", "99th percentile",
         "pairs flipped", "sentences flipped"],
        (
            [row.head, "toxic" if row.toxic else "benign", row.attribute, str(row.sentences),
             str(row.pairs), shown(row.change, 4), f"{row.percentile_99:.3f}",
             shown(row.pair_flips, 4), shown(row.sentence_flips, 4)]
            for row in rows
        ),
    )  # fmt: skip


def subgroup_table(found: Subgroups) -> str:
    rows = [
        [row.group, row.attribute, shown(row.subgroup), shown(row.bpsn), shown(row.bnsp)]
        for row in found.groups
    ]
    background = ["(none)", "background", shown(found.background), "-", "-"]
    head = ["group", "attribute", "subgroup AUC", "BPSN AUC", "BNSP AUC"]
    return table(head, [background, *rows])


def functional_table(rows: Sequence[Functionality]) -> str:
    return table(
        ["functionality", "head", "measure", "passed", "n"],
        ([r.family, r.head, r.measure, shown(r.passed, 2), str(r.passed.n)] for r in rows),
    )


def benign_table(rows: Sequence[FalsePositives]) -> str:
    return table(
        ["texts", "head", "flagged", "n"],
        ([row.family, row.head, shown(row.fired, 4), str(row.fired.n)] for row in rows),
    )


def length_table(found: Lengths) -> str:
    rows = [
        [str(row.words), shown(row.score, 4), shown(row.fired), shown(row.found), str(row.fired.n)]
        for row in found.rows
    ]
    head = ["words", "mean toxicity, benign", "flagged, benign", "found, toxic", "n of each"]
    return f"{table(head, rows)}\n\nLongest less shortest, benign: {shown(found.growth, 4)}"


def worst_table(found: Measured) -> str:
    """The texts that were furthest on the wrong side, with their scores."""
    misses = [miss for row in found.functional for miss in row.misses[:1]]
    misses += [miss for row in found.benign[:2] for miss in row.worst]
    return table(
        ["where", "score", "text"],
        ([m.family, f"{m.score:.3f}", m.text.replace("\n", " ")[:160]] for m in misses),
    )


def markdown(found: Measured) -> str:
    """All tables but that of the bounds, each under its heading."""
    parts = {
        "Functional tests": functional_table(found.functional),
        "Harmless texts": benign_table(found.benign),
        "Length": length_table(found.lengths),
        "Counterfactual change": invariance_table(found.invariance),
        "Groups": subgroup_table(found.subgroups),
        "Worst errors": worst_table(found),
    }
    return "\n\n".join(f"### {heading}\n\n{body}" for heading, body in parts.items()) + "\n"


def hard_table(found: HardResults) -> str:
    return table(
        ["suite", "family", "flagged", "blocked", "texts", "templates"],
        (
            [row.suite, row.family, shown(row.flagged), shown(row.blocked), str(row.flagged.n),
             str(row.templates)]
            for row in found.families
        ),
    )  # fmt: skip


def hidden_table(found: HardResults) -> str:
    return table(
        [
            "words",
            "harmless, flagged",
            "with a harmful sentence, flagged",
            "with plain hate, flagged",
            "n of each",
        ],
        (
            [
                str(row.words),
                shown(row.flagged),
                shown(row.found),
                shown(row.outright),
                str(row.found.n),
            ]
            for row in found.hidden
        ),
    )


def hard_errors(found: HardResults) -> str:
    """The worst errors of each family that has any."""
    return table(
        ["suite", "family", "score", "text"],
        (
            [row.suite, row.family, f"{each.score:.3f}", each.text.replace("\n", " ")[:200]]
            for row in found.families
            for each in row.wrong
        ),
    )


def hard_markdown(found: HardResults) -> str:
    """What must hold, then all of it."""
    goals = table(
        ["what", "bound", "found", "held"],
        (
            [each.name, f"{'<=' if each.most else '>='} {each.bound}", f"{each.value:.4f}",
             "yes" if each.held else "no"]
            for each in hard_bounds(found)
        ),
    )  # fmt: skip
    parts = {
        "What must hold": goals,
        "Hidden sentences": hidden_table(found),
        "Hard texts": hard_table(found),
        "Worst errors": hard_errors(found),
    }
    return "\n\n".join(f"### {heading}\n\n{body}" for heading, body in parts.items()) + "\n"
