"""A gate never ends with a traceback: 2 is bad input in one line, 3 too little data to say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from guard.assessment import encode_results
from guard.assessment.items import ItemFigures, item_line
from guard.assessment.run_folder import judge_run
from guard.cli.main import main
from guard.errors import AssessmentInputError
from tests.unit.assessment.results_made import results

ITEMS = tuple(
    json.loads(
        item_line(
            ItemFigures(
                key=str(number),
                place=f"a:{number}",
                prompt="p",
                figures={"toxicity": 0.1 * number, "words": 3.0 * number}
                | ({"wrong": 1.0} if number == 0 else {}),
            )
        )
    )
    for number in range(3)
)
RESULTS = json.loads(encode_results(results()))
RULES = """
[[rule]]
metric = "toxicity"
max_increase = 0.1
"""


def run_folder(folder: Path, made: object = RESULTS, items: Any = ITEMS) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "results.json").write_text(json.dumps(made))
    (folder / "items.jsonl").write_text("\n".join(map(json.dumps, items)))
    return folder


def gate(folder: Path, rules: str, *more: object) -> Result:
    file = folder / "rules.toml"
    file.write_text(rules)
    run, base = run_folder(folder / "run"), run_folder(folder / "base")
    arguments = ["assess", "gate", run, "--against", base, "--rules", file, *more]
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.mark.parametrize(
    "rules",
    [
        "rule = 3",
        "rule = [1]",
        "rule = [[1]]",
        "a = " + "[" * 5000,
        '[[rule]]\nmetric = "toxicity"\ngroups = ["x"]',
        '[[rule]]\nmetric = "toxicity"\nmax = nan',
        '[[rule]]\nmetric = "toxicity"\nmax_increase = -inf',
        '[[rule]]\nmetric = "toxicity"\nmax = 1' + "0" * 400,
        '[[rule]]\nmetric = "toxicity"\nmax = 1979-05-27',
        '[[rule]]\nmetric = "no such figure"\nmax_increase = 0.1',
        '[[rule]]\nmetric = "toxic_fraction"\nattribute = "shoe"\nmax = 0.1',
    ],
)
def test_a_wrong_rule_is_one_line(tmp_path: Path, rules: str) -> None:
    found = gate(tmp_path, rules)
    assert found.exit_code == 2
    assert found.output.startswith("guard: ")
    assert found.output.count("\n") == 1


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ('metric = "wrong"\nmax_increase = 0.1', "fewer than two prompts have it in both runs"),
        ('metric = "jaccard_k"\nmin = 0.5', "it was not assessed"),
        ('metric = "toxicity"\nmax_increase = 0.1\nmin_n = 50', "fewer than 50"),
    ],
)
def test_too_little_data_is_an_exit_status_of_its_own(
    tmp_path: Path, rules: str, told: str
) -> None:
    found = gate(tmp_path, f"[[rule]]\n{rules}\n")
    assert found.exit_code == 3, found.output
    assert "0 of 1 rule kept" in found.output
    assert told in found.output


def test_a_place_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    found = gate(tmp_path, RULES, "--junit", tmp_path / "no" / "junit.xml")
    assert found.exit_code == 2
    assert "cannot write" in found.output


STRANGE = ("{", -1, 1e308, [], 10**400)


def places(value: object, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in JSON, of lists the first."""
    yield place
    inner: Mapping[Any, object] = value if isinstance(value, dict) else {}
    inner = dict(enumerate(value[:1])) if isinstance(value, list) else inner
    for name, one in inner.items():
        yield from places(one, (*place, name))


def with_strange(value: object, place: tuple[Any, ...], strange: object) -> object:
    if not place:
        return strange
    changed = json.loads(json.dumps(value))
    inner = changed
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = strange
    return changed


@pytest.mark.parametrize("strange", STRANGE)
def test_a_broken_run_folder_is_bad_input_or_judged(tmp_path: Path, strange: object) -> None:
    rules, base = tmp_path / "rules.toml", run_folder(tmp_path / "base")
    rules.write_text(RULES)
    broken = [(with_strange(RESULTS, place, strange), ITEMS) for place in places(RESULTS)]
    broken += [
        (RESULTS, [with_strange(ITEMS[0], place, strange), *ITEMS[1:]])
        for place in places(ITEMS[0])
    ]
    refused = 0
    for made, items in broken:
        run = run_folder(tmp_path / "run", made, items)
        try:
            judge_run(run, rules, against=base)
        except AssessmentInputError:
            refused += 1
    assert refused > 20
