"""`guard assess` and what is made of its runs, as a user calls it."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import guard
from guard.assessment import decode_results
from guard.bootstrap import assess_files
from guard.cli.main import main
from guard.errors import SettingsError
from guard.testing import assert_rules_kept
from guard.text import json_lines

CLASSES = "id,group,label,prediction\n" + "".join(
    f"{number},{'f' if number % 2 else 'm'},{number % 3 == 0:d},{number % 4 == 0:d}\n"
    for number in range(60)
)
LISTS = [
    {"pair": n, "group": group, "items": list(items)}
    for n in range(6)
    for group, items in (("f", "abc"), ("m", "abd"))
]


def guard_assess(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["assess", *map(str, arguments)])


def classified(folder: Path, name: str = "one", *more: object) -> Path:
    data, out = folder / "classes.csv", folder / name
    data.write_text(CLASSES)
    found = guard_assess("--use-case", "loans", "--prompts", data, "--out", out, *more)
    assert found.exit_code == 0, found.output
    return out


def test_a_table_of_classes_becomes_results_and_a_report(tmp_path: Path) -> None:
    out = classified(tmp_path, "one", "--representation-parity")
    results = decode_results((out / "results.json").read_text())
    assert results.task == "classification"
    assert results.provenance.data[0].rows == 60
    assert [one.metric for one in results.comparisons] == ["demographic_parity"]
    report = (out / "report.md").read_text()
    assert "# Assessment of loans" in report
    assert "representation parity is wanted, whatever the errors" in report
    assert len((out / "items.jsonl").read_text().splitlines()) == 60


def test_the_same_data_give_the_same_results_but_for_times(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        out = classified(tmp_path, name, "--representation-parity")
        values = json.loads((out / "results.json").read_text())
        del values["provenance"]["made_at"], values["provenance"]["seconds"]
        made.append(values)
    assert made[0] == made[1]


def test_a_run_is_gated_with_an_exit_status_for_each_outcome(tmp_path: Path) -> None:
    out = classified(tmp_path, "one", "--representation-parity")
    for bound, status in ((1.0, 0), (0.45, 3), (0.1, 1)):
        rules = tmp_path / "rules.toml"
        rules.write_text(f'[[rule]]\nmetric = "demographic_parity"\nmax = {bound}\n')
        junit, markdown = tmp_path / "junit.xml", tmp_path / "gate.md"
        found = guard_assess(
            "gate", out, "--rules", rules, "--junit", junit, "--markdown", markdown
        )
        assert found.exit_code == status, found.output
        assert 'tests="1"' in junit.read_text()
        assert "demographic" in markdown.read_text()
    rules.write_text("nothing")
    assert guard_assess("gate", out, "--rules", rules).exit_code == 2


def test_a_test_fails_with_the_reason_unless_rules_are_kept(tmp_path: Path) -> None:
    out = classified(tmp_path, "one", "--representation-parity")
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nmetric = "demographic_parity"\nmax = 1.0\n')
    assert_rules_kept(out, rules)
    assert_rules_kept(out, rules, against=out)
    rules.write_text('[[rule]]\nmetric = "demographic_parity"\nmax = 0.1\n')
    with pytest.raises(
        AssertionError, match=r"broken: demographic_parity: max 0\.1: 0\.5, between"
    ):
        assert_rules_kept(out, rules)


def test_runs_are_compared(tmp_path: Path) -> None:
    one, two = (classified(tmp_path, name, "--representation-parity") for name in ("one", "two"))
    found = guard_assess("compare", one, two)
    assert found.exit_code == 0, found.output
    assert "60 prompts in both" in found.output
    assert guard_assess("compare", one).exit_code == 2
    assert guard_assess("compare", one, tmp_path).exit_code == 1


def test_runs_of_ranked_lists_are_compared(tmp_path: Path) -> None:
    data, runs = tmp_path / "lists.jsonl", [tmp_path / "one", tmp_path / "two"]
    for out, items in zip(runs, ("abd", "xyz"), strict=True):
        rows = ({**row, "items": list(items)} if row["group"] == "m" else row for row in LISTS)
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
        found = guard_assess("--use-case", "shop", "--prompts", data, "--out", out)
        assert found.exit_code == 0, found.output
    told = guard_assess("compare", *runs)
    assert told.exit_code == 0, told.output
    assert "the correction for 3 tests" in told.output
    assert "Shared items (Jaccard-K), group: f and m (` jaccard_k group f and m `)" in told.output


def test_runs_without_a_figure_in_common_are_not_compared(tmp_path: Path) -> None:
    out = classified(tmp_path, "one", "--representation-parity")
    lines = [json.loads(line) for line in (out / "items.jsonl").read_text().splitlines()]
    bare = (json.dumps({**line, "figures": {}}) + "\n" for line in lines)
    (out / "items.jsonl").write_text("".join(bare))
    found = guard_assess("compare", out, out)
    assert found.exit_code == 2
    assert "Nothing was compared" in found.output


def test_a_dry_run_says_what_would_be_asked_and_asks_nothing(tmp_path: Path) -> None:
    data, out = tmp_path / "lists.jsonl", tmp_path / "one"
    data.write_text("".join(json.dumps(row) + "\n" for row in LISTS))
    found = guard_assess("--use-case", "shop", "--prompts", data, "--out", out, "--dry-run")
    assert found.exit_code == 0, found.output
    assert "assessed: jaccard_k, serp_k, prag_k" in found.stderr
    assert not (out / "results.json").exists()


NEEDED = ("--use-case", "u", "--prompts", "FILE", "--out", "OUT")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "--use-case: is missing"),
        (NEEDED[:2], "--prompts: is missing"),
        (("--use-case", " ", *NEEDED[2:]), "--use-case: is empty"),
        ((*NEEDED, "--model", "m"), "--base-url"),
        ((*NEEDED, "--call", "x"), "package.module"),
        ((*NEEDED, "--metrics", "x"), "no metric 'x'"),
        ((*NEEDED, "--attributes", "x"), "guard: attributes: no attribute 'x'"),
        ((*NEEDED, "--intervention", "punitive", "--positive", "x"), "--positive: no row has"),
        ((*NEEDED, "--words", "FILE"), "--words"),
        ((*NEEDED, "--base-url", "ftp://x", "--model", "m"), "guard: --base-url: expected http"),
        ((*NEEDED, "--task", "x"), "--task"),
    ],
)
def test_a_wrong_option_is_one_clear_line(
    tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    data = tmp_path / "classes.csv"
    data.write_text(CLASSES)
    places = {"FILE": data, "OUT": tmp_path / "out"}
    found = guard_assess(*(places.get(one, one) for one in arguments))
    assert found.exit_code == 2
    assert told in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("place", ["file/out", "/proc/nothing/out"])
def test_a_folder_that_cannot_be_written_is_named_with_its_option(
    tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").touch()
    data = tmp_path / "classes.csv"
    data.write_text(CLASSES)
    found = guard_assess("--use-case", "u", "--prompts", data, "--out", tmp_path / place)
    assert found.exit_code == 2
    assert "cannot write" in found.stderr
    assert "(setting --out)" in found.stderr


def test_a_full_disk_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(assess_files, "write_text", fail)
    data = tmp_path / "classes.csv"
    data.write_text(CLASSES)
    found = guard_assess(
        "--use-case", "u", "--prompts", data, "--out", tmp_path / "out", "--representation-parity"
    )
    assert found.exit_code == 2, found.output
    assert f"cannot write {tmp_path / 'out'}: No space left" in found.stderr.replace("\n", " ")


def test_a_fault_of_the_model_is_not_one_of_the_folder(tmp_path: Path) -> None:
    with (
        pytest.raises(ConnectionError, match="away"),
        assess_files.items_file(tmp_path),
    ):
        raise ConnectionError("away")


def prompted(folder: Path, *more: object) -> Result:
    data = folder / "prompts.txt"
    data.write_text("Should he go?\nShould she go?\n")
    return guard_assess("--use-case", "u", "--prompts", data, "--out", folder / "out", *more)


def test_a_model_that_cannot_be_asked_is_named_by_its_options(tmp_path: Path) -> None:
    address = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    found = prompted(tmp_path, *address, "--api-key-env", "THERE_IS_NO_SUCH_KEY")
    assert found.exit_code == 2
    assert "guard: --api-key-env: the environment variable" in found.stderr


def test_nothing_to_assess_is_one_error(tmp_path: Path) -> None:
    for more in ((), ("--dry-run",)):
        found = prompted(tmp_path, *more)
        assert found.exit_code == 1
        assert "guard: nothing can be assessed" in found.stderr
        assert not (tmp_path / "out" / "results.json").exists()


def test_a_file_with_a_line_that_does_not_end_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_LINE_BYTES", 1024)
    monkeypatch.setattr(json_lines, "MOST_SKIPPED_BYTES", 4096)
    data = tmp_path / "long.jsonl"
    data.write_text('{"prompt": "Hi."}\n' + "x" * 10_000)
    found = guard_assess("--use-case", "u", "--prompts", data, "--out", tmp_path / "out")
    assert found.exit_code == 1
    assert f"guard: cannot read {data}: a line is longer than" in found.stderr


def test_bad_rows_and_metrics_without_a_value_are_said(tmp_path: Path) -> None:
    data = tmp_path / "lists.jsonl"
    rows = [*LISTS, {"pair": 9, "promt": "?"}, *LISTS[:1]]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = guard_assess("--use-case", "u", "--prompts", data, "--out", tmp_path / "out")
    assert found.exit_code == 0, found.output
    assert (
        "1 of 14 rows could not be used; the first: lists.jsonl:13: unknown field" in found.stderr
    )
    assert "1 rows have a `pair` that stands elsewhere as well" in found.stderr


def test_an_interrupted_run_says_what_is_kept(tmp_path: Path) -> None:
    found = prompted(tmp_path, "--call", f"{__name__}:interrupted", "--concurrency", "1")
    assert found.exit_code == 130
    last = found.stderr.strip().splitlines()[-1]
    assert last.startswith("guard: interrupted; replies are kept in ")
    assert last.endswith("run the same command again to continue")


def interrupted(_: str) -> str:
    """As Ctrl-C does, while the model is asked in a thread of its own."""
    signal.raise_signal(signal.SIGINT)
    return ""


def test_python_gives_the_same_results(tmp_path: Path) -> None:
    out = classified(tmp_path, "one", "--representation-parity")
    command = decode_results((out / "results.json").read_text())
    rows = tmp_path / "classes.csv"
    found = guard.assess(rows, use_case="loans", representation_parity=True)
    assert found.comparisons == command.comparisons
    assert found.metrics == command.metrics
    assert found.to_dict()["use_case"] == "loans"


def test_python_takes_rows_as_they_are() -> None:
    found = guard.assess([*LISTS, {"colour": 1}], use_case="shop")
    assert found.task == "recommendation"
    assert found.coverage.bad_rows == 1
    with pytest.raises(SettingsError, match="no attribute 'x'"):
        guard.assess(LISTS, attributes=["x"])


def test_every_option_says_what_it_is_for() -> None:
    (command,) = (main.get_command(click.Context(main), "assess"),)
    assert isinstance(command, click.Group)
    assert all(getattr(one, "help", "") for one in command.params)
    assert set(command.commands) == {"cairo", "compare", "fairpair", "fisco", "gate", "paraphrase"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--engine", "ray"), "ray is missing: pip install 'evenguard[ray]'"),
        (("--ray-cpus", "2"), "--ray-cpus: goes with --engine ray"),
        (("--ray-address", "auto"), "--ray-address: goes with --engine ray"),
    ],
)
def test_a_cluster_needs_its_extra_and_is_asked_for(
    tmp_path: Path, given: tuple[str, str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    data = tmp_path / "classes.csv"
    data.write_text(CLASSES)
    out = tmp_path / "out"
    found = guard_assess("--use-case", "loans", "--prompts", data, "--out", out, *given)
    assert found.exit_code == 2
    assert told in found.output
