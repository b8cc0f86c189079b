"""guard.yaml: what is accepted, and how clearly the rest is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from guard.bootstrap import policies
from guard.errors import SettingsError, UnknownUseCase
from guard.policy import Hold, OnUnscored
from guard.records import Action, Head
from guard.settings import load_settings, parse_settings, unset_variable
from guard.testing import HEADS


def test_an_empty_file_means_the_defaults() -> None:
    policy = policies(parse_settings(""), HEADS)("any-name")
    assert policy.enforce
    assert {(rule.score, rule.action) for rule in policy.rules} == {
        ("toxicity", Action.FLAG),
        ("toxicity", Action.BLOCK),
        ("stereotype", Action.FLAG),
    }


def test_a_use_case_starts_from_the_defaults_and_overrides_key_by_key() -> None:
    text = """
defaults: {deadline_ms: 200, fallback: "No."}
use_cases:
  chat:
  summaries:
    mode: observe
    deadline_ms: 900
    on_unscored: withhold
    on_block: raise
    regenerate: 3
    redaction: "-"
    policy: {toxicity: {redact: 0.8}}
    stream: {hold: full}
"""
    policy_of = policies(parse_settings(text), HEADS)
    assert (policy_of("chat").deadline_seconds, policy_of("chat").fallback) == (0.2, "No.")
    own = policy_of("summaries")
    assert (own.deadline_seconds, own.fallback, own.redaction) == (0.9, "No.", "-")
    assert (own.enforce, own.raises, own.regenerations) == (False, True, 3)
    assert (own.hold, own.on_unscored) == (Hold.FULL, OnUnscored.WITHHOLD)


@pytest.mark.parametrize("written", ["off", "'off'", "false"])
def test_a_bare_off_is_a_mode_though_yaml_takes_it_for_false(written: str) -> None:
    settings = parse_settings(f"use_cases: {{chat: {{mode: {written}}}}}")
    assert settings.use_cases["chat"].mode == "off"
    with pytest.raises(SettingsError, match=r"chat\.mode: .*'off', 'observe' or 'enforce'"):
        parse_settings("use_cases: {chat: {mode: on}}")


def test_shipped_means_the_threshold_of_the_classifier() -> None:
    text = "defaults: {policy: {stereotype: {flag: shipped, block: 0.75}}}"
    rules = policies(parse_settings(text), HEADS)("x").rules
    assert [rule.threshold for rule in rules if rule.score == "stereotype"] == [0.5, 0.75]


def rules_of(text: str) -> set[tuple[str, str, float]]:
    rules = policies(parse_settings(text), HEADS)("x").rules
    return {(rule.score, rule.action.value, rule.threshold) for rule in rules}


def test_a_policy_is_laid_over_the_one_below_score_by_score() -> None:
    built_in = {("toxicity", "flag", 0.5), ("toxicity", "block", 0.9)}
    assert rules_of("use_cases: {x: {policy: {stereotype: {redact: 0.7}}}}") == {
        *built_in,
        ("stereotype", "redact", 0.7),
    }
    text = """
defaults: {policy: {stereotype: {redact: 0.7}, toxicity: {block: 0.6}}}
use_cases: {x: {policy: {toxicity: {flag: 1}}}}
"""
    assert rules_of(text) == {("stereotype", "redact", 0.7), ("toxicity", "flag", 1.0)}


def test_a_score_with_no_actions_has_no_rules() -> None:
    assert rules_of("use_cases: {x: {policy: {toxicity: {}, stereotype: {}}}}") == set()


def test_built_in_rules_ask_only_for_scores_that_there_are() -> None:
    heads = {"toxicity": HEADS["toxicity"]}
    assert {rule.score for rule in policies(parse_settings(""), heads)("x").rules} == {"toxicity"}


@pytest.mark.parametrize("name", ["", "Chat", "x\ud800", "a b", "x\n", None, 5, "x" * 65])
def test_an_undeclared_use_case_needs_a_name_that_metrics_can_bear(name: object) -> None:
    with pytest.raises(UnknownUseCase):
        policies(parse_settings(""), HEADS)(name)  # type: ignore[arg-type]


def test_once_one_use_case_is_declared_others_are_unknown() -> None:
    policy_of = policies(parse_settings("use_cases: {chat: {}}"), HEADS)
    with pytest.raises(UnknownUseCase, match=r"'caht' is not declared.*declared: chat"):
        policy_of("caht")


def test_what_is_no_name_is_no_use_case() -> None:
    declared = policies(parse_settings("use_cases: {chat: {}}"), HEADS)
    with pytest.raises(UnknownUseCase, match=r"\['chat'\] is not declared"):
        declared(["chat"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("use_case: {}", r"guard\.yaml: use_case: unknown key; did you mean `use_cases`\?"),
        ("zzz: 1", r"guard\.yaml: zzz: unknown key; known keys: "),
        ("use_cases: {chat: {deadline_ms: 250ms}}", r"use_cases\.chat\.deadline_ms: .*'250ms'"),
        ("use_cases: {chat: {deadline_ms: -1}}", r"use_cases\.chat\.deadline_ms: .*greater than 0"),
        ("use_cases: {chat: {mode: enfroce}}", r"use_cases\.chat\.mode: .*'observe' or 'enforce'"),
        ("use_cases: {chat: {stream: {hold: word}}}", r"stream\.hold: .*'sentence', 'full' or"),
        ("use_cases: {chat: {policy: {toxicity: {flag: 1.5}}}}", r"policy\.toxicity\.flag: "),
        ("use_cases: {chat: {policy: {toxicity: {flag: .nan}}}}", r"policy\.toxicity\.flag: "),
        ("use_cases: {chat: {policy: {toxicity: {delete: 0.5}}}}", r"policy\.toxicity\.delete: "),
        ("use_cases: {Chat Room: {}}", r"use_cases\.Chat Room: a use case is named with"),
        ("use_cases: {chat: {deadline_ms: true}}", r"deadline_ms: .*valid integer, got True"),
        ("use_cases: {chat: {regenerate: '2'}}", r"regenerate: .*valid integer, got '2'"),
        ("scoring: {second_look: ''}", r"scoring\.second_look: "),
        ("scoring: {second_look_margin: 2}", r"scoring\.second_look_margin: .*less than or equal"),
        ("scoring: {second_look_threads: 0}", r"scoring\.second_look_threads: "),
        ("scoring: {cache_mb: '16'}", r"scoring\.cache_mb: .*valid number, got '16'"),
        ("version: true", r"version: "),
        (
            "deadline_ms: 5",
            r"deadline_ms: unknown key; known keys: alarm_alpha, alarm_family, alarm_webhook, ",
        ),
        ("scoring: {worker: 1}", r"scoring\.worker: unknown key; did you mean `workers`"),
        ("defaults: {stream: {holt: full}}", r"holt: unknown key; did you mean `hold`"),
        ("scoring: {workers: 0}", r"scoring\.workers: .*greater than or equal to 1, got 0"),
        ("version: 2", r"guard\.yaml: version: "),
        ("[1, 2]", r"must hold keys and values, not a list"),
        ("a: 1\na: 2", r"guard\.yaml:2:1: not valid YAML: the key 'a' stands twice"),
        (
            "x: &x {mode: observe}\nuse_cases: {chat: {<<: *x, mode: observe, mode: off}}",
            r"yaml:2:\d+: not valid YAML: the key 'mode' stands twice",
        ),
        ("scoring: {deadline_ms: 0100}", r"yaml:1:24: .*: 0100 would be read as 64: write"),
        ("a: 10:30.5", r"yaml:1:4: .*: 10:30.5 would be read as 630.5: write"),
        ("a: 10:30", r"yaml:1:4: .*: 10:30 would be read as 630: write"),
        ("a: [1", r"guard\.yaml:\d+:\d+: not valid YAML"),
        ("!!python/object:os.system {}", r"not valid YAML"),
        ("use_cases: 5", r"use_cases: .*got 5"),
        ("use_cases: {off: {}}", r"use_cases: False is no text: a name that YAML reads so"),
        ("gateway: {keys: [{name: a}]}", r"gateway\.keys\.0: give either key_env or sha256$"),
        ("use_cases: {chat: [1]}", r"use_cases\.chat: .*got a list"),
        ("\x00", r"not valid YAML"),
    ],
)
def test_what_is_wrong_is_named_with_its_path(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        parse_settings(text)


def test_a_key_goes_before_one_that_is_merged_into_its_mapping() -> None:
    shared = "chat: &chat {mode: observe, on_block: raise}"
    settings = parse_settings(f"use_cases:\n  {shared}\n  rag: {{<<: *chat, mode: enforce}}")
    assert settings.use_cases["rag"].mode == "enforce"
    assert settings.use_cases["rag"].on_block == "raise"
    assert settings.use_cases["chat"].mode == "observe"


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings("zzz: 1\nscoring: {workers: 0}")
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ("toxicty", r"defaults\.policy\.toxicty: .*did you mean `toxicity`"),
        ("sentiment", r"not a harm score of this classifier; known scores: stereotype, toxicity"),
    ],
)
def test_a_rule_needs_a_score_that_the_classifier_has(score: str, message: str) -> None:
    settings = parse_settings(f"defaults: {{policy: {{{score}: {{flag: 0.5}}}}}}")
    with pytest.raises(SettingsError, match=message):
        policies(settings, HEADS)


def test_defaults_no_use_case_falls_back_on_need_not_fit_the_classifier() -> None:
    heads = {"toxicity": HEADS["toxicity"]}
    text = "use_cases: {chat: {policy: {toxicity: {flag: shipped, block: 0.9}}}}"
    assert policies(parse_settings(text), heads)("chat").rules[0].threshold == 0.5


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"absent\.yaml: cannot be read: No such file"):
        load_settings(tmp_path / "absent.yaml")
    with pytest.raises(SettingsError, match="cannot be read: Is a directory"):
        load_settings(tmp_path)
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="not UTF-8"):
        load_settings(binary)
    huge = tmp_path / "huge.yaml"
    huge.write_text("#" * 1_000_001)
    with pytest.raises(SettingsError, match="larger than"):
        load_settings(huge)


def test_a_pipe_or_device_is_refused_at_once_and_what_a_shell_writes_to_is_read(
    tmp_path: Path,
) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    for endless in (tmp_path / "pipe.yaml", Path("/dev/zero")):
        with pytest.raises(SettingsError, match="no file with an end"):
            load_settings(endless)
    reading, writing = os.pipe()
    os.write(writing, b"deployment: v7")
    os.close(writing)
    assert load_settings(f"/dev/fd/{reading}").deployment == "v7"
    os.close(reading)


KEYS = ["sk-live-4f8a9b2c3d", "gsk_4f8a9b2c3d4e5f6a7b", "AKIA4F8A9B2C3D4E5F6A7B8C"]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "text",
    [
        "upstreams: {main: {base_url: 'http://h/v1', api_key_env: KEY}}",
        "sampling_key_env: KEY",
        "gateway: {keys: [{name: a, key_env: KEY}]}",
        "gateway: {keys: [{name: a, sha256: KEY}]}",
        "alarm_webhook: {url: 'http://h', headers_env: {authorization: KEY}}",
        "store: {url: ['redis://KEY@h']}",
        "upstreams: {main: {base_url: 'h://u:KEY@h/v1'}}",
    ],
)
def test_no_error_shows_a_key(text: str, key: str) -> None:
    assert key[4:] not in problem_of(text.replace("KEY", key))
    assert key not in str(unset_variable("sampling_key_env", key))
    assert "MAIN_KEY_2 is not set" in str(unset_variable("sampling_key_env", "MAIN_KEY_2"))


def problem_of(text: str) -> str:
    """What is wrong with these settings; empty for nothing."""
    try:
        parse_settings(text)
    except SettingsError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("names", "more", "most"),
    [
        ("a", "", None),
        ("ab", "", 409),
        ("ab", ", concurrency: 1", 1),
        ("abc", ", key_share: 0.5, concurrency: 9", 4),
    ],
)
def test_one_of_several_keys_has_a_share(names: str, more: str, most: int | None) -> None:
    keys = ", ".join(f"{{name: {name}, key_env: KEY_{name.upper()}}}" for name in names)
    settings = parse_settings(f"gateway: {{keys: [{keys}]{more}}}")
    assert settings.gateway.requests_of_a_key == most


def test_off_is_no_switch() -> None:
    assert parse_settings("scoring: {second_look: off}").scoring.second_look == "off"
    assert parse_settings("").scoring.second_look is None


def test_a_second_scorer_has_its_own_shipped_thresholds() -> None:
    second = {
        "toxicity": Head(key="toxicity", threshold=0.3, harm=True),
        "sentiment": Head(key="sentiment", threshold=None, harm=False),
    }
    settings = parse_settings("scoring: {second_look_margin: 0.25}")
    opinion = policies(settings, HEADS, second)("any").second
    assert opinion is not None
    assert opinion.margin == 0.25
    assert {(rule.action.value, rule.threshold) for rule in opinion.rules} == {
        ("flag", 0.3),
        ("block", 0.9),
    }
    assert policies(settings, HEADS)("any").second is None
    assert policies(settings, HEADS, {"other": second["toxicity"]})("any").second is None
