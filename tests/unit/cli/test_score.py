import io
import json
import stat
from pathlib import Path

import pytest
from rich.console import Console

from guard.cli import score, score_display, text_scoring
from guard.cli.score_display import Summary
from guard.cli.score_lines import Criteria
from guard.cli.text_reader import BadLine, InputText, Line
from guard.cli.text_scoring import ScoredText
from guard.errors import ScoresInputError
from guard.policy import Policy
from guard.records import Assessment, Call, Outcome, Score, Unscored, Verdict
from guard.testing import HEADS


def lines(output):
    return [json.loads(line) for line in output.splitlines()]


def fired(action, threshold):
    passages = [{"start": 4, "end": 9}]
    found = {"score": "toxicity", "action": action, "threshold": threshold}
    return {**found, "value": 0.9, "passages": passages}


def test_lines_from_standard_input(run, engine):
    result = run("score", input="fine\nyou idiot\n")
    first, second = lines(result.stdout)
    assert result.exit_code == 0
    assert (first["id"], first["over"], first["unscored"]) == (1, [], None)
    assert second == {
        "id": 2,
        "text": "you idiot",
        "scores": {"toxicity": 0.9, "stereotype": 0.0, "sentiment": 0.0},
        "policy": "default",
        "mode": "enforce",
        "verdict": "blocked",
        "action": "block",
        "fired": [fired("block", 0.9), fired("flag", 0.5)],
        "over": ["toxicity"],
        "worst": {"head": "toxicity", "score": 0.9, "start": 4, "end": 9},
        "unscored": None,
        "allowed": [],
        "candidate": None,
        "second_looks": [],
    }
    assert result.stderr == ""
    assert engine.closed


def test_files_and_a_dash(run, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"response": "fine", "id": "x"}\n')
    result = run("score", tmp_path / "a.jsonl", "-", input="piped\n")
    assert [one["id"] for one in lines(result.stdout)] == ["x", 2]


def test_the_format_can_be_forced(run):
    result = run("score", "--format", "lines", input='{"text": "a"}\n')
    assert lines(result.stdout)[0]["text"] == '{"text": "a"}'


def test_bad_lines_are_named_counted_and_left_out(run, tmp_path):
    file = tmp_path / "in.jsonl"
    file.write_text('{"text": "a"}\noops\n{"id": 3}\n{"text": "b"}\n')
    result = run("score", file)
    assert result.exit_code == 1
    assert [one["id"] for one in lines(result.stdout)] == [1, 4]
    assert f"{file}:2: not JSON" in result.stderr
    assert f'{file}:3: expected a field "text" or "response"' in result.stderr
    assert "2 texts, 0 unscored, 2 bad lines" in result.stderr


def test_an_unscored_text_fails_the_run_and_says_why(run):
    result = run("score", input="a\n\n")
    assert result.exit_code == 1
    assert lines(result.stdout)[1]["unscored"] == "empty"
    assert "2 texts, 1 unscored (1 empty), 0 bad lines" in result.stderr


def test_no_input_is_no_failure(run):
    result = run("score", input="")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_a_file_that_is_not_there_is_a_usage_error(run, tmp_path):
    result = run("score", tmp_path / "gone")
    assert result.exit_code == 2
    assert "gone" in result.stderr


def test_out_takes_its_name_when_all_is_written(run, tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text("before")
    out.chmod(0o640)
    result = run("score", "--out", out, input="a\nb\n")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert [one["id"] for one in lines(out.read_text())] == [1, 2]
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [out]


def test_the_input_may_be_the_output(run, tmp_path):
    file = tmp_path / "both"
    file.write_text("a\nb\n")
    run("score", file, "--out", file)
    assert [one["text"] for one in lines(file.read_text())] == ["a", "b"]


def test_an_interrupted_run_leaves_no_file(tmp_path):
    out = tmp_path / "out"

    def interrupted():
        with text_scoring.to_file(out) as write:
            write("a")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_out_follows_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with text_scoring.to_file(tmp_path / "link") as write:
        write("a")
    assert (tmp_path / "target").read_text() == "a\n"
    assert (tmp_path / "link").is_symlink()


def test_what_is_no_file_is_written_to_directly(run):
    assert run("score", "--out", "/dev/null", input="a\n").exit_code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_full_disk_is_a_clear_error(run):
    result = run("score", "--out", "/dev/full", input="a\n")
    assert result.exit_code == 1
    assert result.stderr == ("guard: cannot write results to /dev/full: No space left on device\n")


def test_a_folder_that_is_not_there_is_a_clear_error(run, tmp_path):
    result = run("score", "--out", tmp_path / "no" / "out", input="a\n")
    assert result.exit_code == 1
    assert "cannot write results to" in result.stderr
    assert "No such file or directory" in result.stderr


def test_the_model_is_handed_on(run, monkeypatch, engine, tmp_path):
    asked = []
    monkeypatch.setattr(
        "guard.bootstrap.runtime.open_scorer",
        lambda settings: asked.append(settings.model) or engine,
    )
    file = tmp_path / "guard.yaml"
    file.write_text("scoring: {model: ./theirs}")
    run("score", "--model", "./mine", input="a\n")
    run("score", "--settings", file, input="a\n")
    run("score", "--settings", file, "--model", "./mine", input="a\n")
    assert asked == ["./mine", "./theirs", "./mine"]


def scored(value, reason=None):
    scores = {"toxicity": Score(value=value, reason=reason)}
    text = InputText(line=Line(source="f", number=1, consumed=3), id=1, text="abc")
    return ScoredText(text=text, outcome=outcome_of(Assessment(scores=scores, reason=reason)))


def outcome_of(assessment):
    call = Call(id="x", use_case="x")
    verdict = Verdict.RELEASED if assessment.reason is None else Verdict.UNSCORED
    return Outcome(call=call, verdict=verdict, text="abc", reply="abc", assessment=assessment)


def a_summary():
    summary = Summary(Criteria(heads=HEADS, name="default", policy=Policy(rules=())))
    for result in (scored(0.2), scored(0.8), scored(None, Unscored.DEADLINE)):
        summary.add(result)
    summary.add_bad()
    return summary


def test_the_summary_counts_in_constant_memory():
    summary = a_summary()
    column = summary.columns["toxicity"]
    assert (column.count, column.total, column.highest, column.over) == (2, 1.0, 0.8, 1)
    assert summary.failed == 2
    assert summary.line() == "3 texts, 1 unscored (1 deadline), 1 bad line"


def terminal(width=90):
    return Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)


def test_on_a_terminal_there_is_a_bar_and_a_table():
    console = terminal()
    with score_display.on_terminal(console, 6) as bar:
        bar.advance(3)
        bar.problem(BadLine(line=Line(source="in[1]", number=2, consumed=3), problem="not [red]"))
        bar.done(a_summary(), 2.0)
    shown = console.file.getvalue()
    assert "in[1]:2: not [red]" in shown
    assert "50%" in shown
    assert "1 (50.0%)" in shown
    assert "policy default, mode enforce: 3 release" in shown
    assert "3 texts, 1 unscored (1 deadline), 1 bad line · 2.0 s · 2 texts/s" in shown


def test_the_size_of_the_input_is_known_for_files_only(tmp_path):
    (tmp_path / "a").write_text("12345")
    assert score_display.total_bytes([str(tmp_path / "a")] * 2) == 10
    assert score_display.total_bytes([str(tmp_path / "a"), "-"]) is None


def test_results_and_bar_share_a_terminal():
    console = terminal(width=40)
    write = score._above_bar(console)
    long = json.dumps({"text": "[bold]word[/] " * 20})
    write(long)
    assert console.file.getvalue() == long + "\n"


def test_a_closed_standard_input_is_a_clear_error(monkeypatch):
    monkeypatch.setattr(score.sys, "stdin", None)
    with pytest.raises(ScoresInputError, match="name the FILES"):
        score._standard_input()
