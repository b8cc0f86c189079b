"""The shadow path from a guarded call to readings, with the real parts."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from guard import Guard, SettingsError
from guard.bootstrap import open_scorer
from guard.bootstrap.readings import open_readings
from guard.bootstrap.shadow import Shadowing
from guard.cli.main import main
from guard.fairness import key
from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.ports import Store
from guard.records import CaseFilter, CaseKind, Snapshot, Turn
from guard.settings import Settings, parse_settings
from guard.shadow.job_payload import ShadowJob, job_of
from guard.store import open_store
from tests.repeats import repeats
from tests.servers_upstream import ScriptedUpstream, status
from tests.waiting import wait_until

GUARD = str(Path(sys.executable).with_name("guard"))
PATIENCE_SECONDS = 120
ASKED = repeats(40, soak=150)
HER = "My sister Emma lost her keys number {}. What should she do?"


def settings_for(folder: Path, shadow: str, more: str = "") -> Settings:
    return parse_settings(
        f"""
store: {{url: "sqlite:///{folder / "store.db"}", spool: "{folder / "spool"}"}}
use_cases:
  chat:
    policy: {{toxicity: {{}}, stereotype: {{}}}}
    shadow: {{share: 1.0, attributes: [gender], max_variants: 1, control: false, {shadow}}}
{more}
"""
    )


@contextmanager
def reading(folder: Path) -> Iterator[Store]:
    store = open_store(f"sqlite:///{folder / 'store.db'}", clock=time.time)
    try:
        yield store
    finally:
        store.shut()


def results(store: Store) -> dict[tuple[str, str], float]:
    return results_of(store.evidence("chat", [SHADOW_RESULTS])[SHADOW_RESULTS])


def ends(store: Store) -> dict[tuple[str, str], float]:
    """What became of calls, without the stages they went through."""
    stages = {"sampled", "mentioned", "rewritten"}
    return {about: count for about, count in results(store).items() if about[1] not in stages}


def wait_for(store: Store, wanted: Callable[[dict[tuple[str, str], float]], bool]) -> None:
    wait_until(lambda: results(store), wanted, patience=PATIENCE_SECONDS)


def wait_for_result(store: Store, about: str, number: float) -> None:
    wait_for(store, lambda found: found.get(("gender", about)) == number)


def ask(upstream: ScriptedUpstream, prompt: str) -> str:
    body = {"model": "scripted", "messages": [{"role": "user", "content": prompt}]}
    request = urllib.request.Request(
        f"{upstream.base_url}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        return str(json.loads(reply.read())["choices"][0]["message"]["content"])


def fine(_: object) -> str:
    return "Fine."


def evidence(found: Snapshot) -> dict[str, float]:
    return {one.about.metric: max(one.log10_e, one.alarm_log10_e) for one in found.evidence}


def test_a_wrapped_function_is_asked_again_in_its_own_process(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "generations: 2, confirmations: 0")
    asked: list[str] = []

    def model(prompt: str) -> str:
        return "She should look under her desk." if "sister" in prompt else "Look under the desk."

    def again(prompt: str) -> str:
        asked.append(prompt)
        return model(prompt)

    with Guard.open(settings) as guard, reading(tmp_path) as store:
        answer = guard.wrap(model, use_case="chat", shadow=again)
        for number in range(4):
            answer(HER.format(number))
        answer("How do I clean a keyboard?")
        wait_for_result(store, "compared", 4)
        wait_for_result(store, "unaware", 1)
        found = open_readings(store, settings)()
    assert len(asked) == 4 * 2 * 2
    assert sum("brother" in prompt and "he do" in prompt for prompt in asked) == 8
    shown = {(one.about.metric, one.window): one.reading for one in found.readings}
    assert shown["ftu", "5m"].value == pytest.approx(1 / 5)
    assert shown["crouge_l", "5m"].value < 1.0
    assert shown["crouge_l_control", "5m"].value == 1.0


@pytest.mark.parametrize("messages", [False, True])
def test_who_takes_messages_is_asked_with_messages(tmp_path: Path, messages: bool) -> None:
    asked: list[object] = []
    settings = settings_for(tmp_path, "generations: 1")
    turns = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": HER.format(1)},
    ]
    with Guard.open(settings) as guard, reading(tmp_path) as store:

        def shadow(again: object) -> str:
            asked.append(again)
            return "Fine."

        answer = guard.wrap(fine, use_case="chat", shadow=shadow)
        answer(turns if messages else HER.format(1))
        wait_for_result(store, "compared", 1)
    kinds = {type(one) for one in asked}
    assert kinds == {list if messages else str}


def test_calls_that_must_not_be_shadowed_are_not_and_are_counted(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "generations: 1")
    with Guard.open(settings) as guard, reading(tmp_path) as store:
        private = guard.wrap(fine, use_case="chat", shadow=fine, may_shadow=lambda _: False)
        pictures = guard.wrap(fine, use_case="chat", shadow=fine)
        private(HER.format(1))
        pictures([{"role": "user", "content": "Who is she?"}, {"role": "tool", "content": "x"}])
        guard.check("Fine.", use_case="chat")
        wanted = {("", "opted_out"): 1.0, ("", "not_text"): 1.0, ("", "nobody_to_ask"): 1.0}
        wait_for(store, lambda found: found == wanted)
        assert store.job_counts().ready == 0


def test_a_shadowed_use_case_with_nobody_to_ask_is_an_error_at_once(tmp_path: Path) -> None:
    with (
        Guard.open(settings_for(tmp_path, "generations: 1")) as guard,
        pytest.raises(SettingsError, match=r"use_cases\.chat\.shadow\.share: is above 0"),
    ):
        guard.wrap(fine, use_case="chat")


def test_other_words_begin_new_evidence(tmp_path: Path) -> None:
    """What is found with other words is not added to what was found before."""
    store = open_store("memory:", clock=time.time)
    test = "sentiment_gap_grounded:gender:female"

    def epoch(words: str = "", shadow: str = "generations: 1") -> str:
        settings = settings_for(tmp_path, shadow, words)
        with closing(open_scorer(settings.scoring)) as engine:
            shadowing = Shadowing(settings, store, engine)
            try:
                [name] = shadowing.monitor.by_epoch("chat", {test: {"n": 1.0}})
            finally:
                shadowing.close(timeout_seconds=0.0)
        return name

    assert epoch() == epoch() == f"{test}|e0"
    others = "generations: 1, confirmations: 0, cases_per_day: 3, reviewers: 2"
    assert epoch(shadow=others) == f"{test}|e0"
    own = "counterfactual: {names: [{name: Zorblax, female: 1.0}]}\n"
    assert epoch(own) == epoch(own) == f"{test}|e1"


def test_two_functions_cannot_answer_for_one_use_case(tmp_path: Path) -> None:
    with Guard.open(settings_for(tmp_path, "generations: 1")) as guard:
        guard.wrap(fine, use_case="chat", shadow=fine)
        with pytest.raises(SettingsError, match="is asked by another function already"):
            guard.wrap(fine, use_case="chat", shadow=lambda _: "Other.")
        with pytest.raises(SettingsError, match="a function is wanted, not int"):
            guard.wrap(fine, use_case="chat", shadow=5)  # type: ignore[arg-type]


def test_jobs_of_a_use_case_that_is_not_shadowed_any_more_are_counted(tmp_path: Path) -> None:
    job = ShadowJob(
        call_id="call-1",
        use_case="chat",
        lane="local/other",
        turns=(Turn(role="user", content=HER.format(1)),),
        reply=None,
    )
    text = f"""
store: {{url: "sqlite:///{tmp_path / "store.db"}", spool: "{tmp_path / "spool"}"}}
use_cases: {{other: {{shadow: {{share: 1.0}}}}, chat: {{}}}}
"""
    with Guard.open(parse_settings(text)) as guard, reading(tmp_path) as store:
        store.offer(job_of(job, offered_at=time.time()))
        guard.wrap(fine, use_case="other", shadow=fine)
        wait_for(store, lambda found: found == {("", "skipped_not_shadowed"): 1.0})
    assert (tmp_path / "store.db").stat().st_mode & 0o777 == 0o600


def test_flagged_replies_become_cases(tmp_path: Path) -> None:
    settings = parse_settings(
        f"store: {{url: 'sqlite:///{tmp_path / 'store.db'}', spool: '{tmp_path / 'spool'}'}}"
    )
    with Guard.open(settings) as guard:
        guard.check("You are a stupid, worthless idiot and I hate you.", use_case="chat")
        guard.check("Thank you, that was kind.", use_case="chat")
    with reading(tmp_path) as store:
        (filed,) = store.query(CaseFilter(use_case="chat"))
        totals = store.total("chat", range(2**40))
    assert filed.case.kind is CaseKind.RESPONSE
    assert "toxicity" in filed.case.reasons
    assert json.loads(filed.case.body)["reply"].startswith("You are a stupid")
    assert totals[key("toxic_fraction", "n")] == 2
    assert totals[key("toxic_fraction", "hits")] == 1


@contextmanager
def worker(file: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [GUARD, "shadow", "--settings", str(file), "--nice", "0", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def http_settings(folder: Path, upstream: ScriptedUpstream, shadow: str = "") -> Path:
    file = folder / "guard.yaml"
    file.write_text(
        f"""
store: {{url: "sqlite:///{folder / "store.db"}", spool: "{folder / "spool"}"}}
alarm_alpha: 0.01
upstreams:
  scripted: {{base_url: "{upstream.base_url}"}}
use_cases:
  chat:
    policy: {{toxicity: {{}}, stereotype: {{}}}}
    shadow:
      share: 1.0
      attributes: [gender]
      control: false
      max_variants: 1
      upstream: scripted
      parameters: {{model: scripted, temperature: 1.0}}
      budget: {{calls_per_minute: 100000, tokens_per_day: 100000000, concurrency: 4}}
      {shadow}
"""
    )
    return file


@pytest.mark.soak
@pytest.mark.parametrize("bias", [0.0, 0.9])
def test_guard_shadow_asks_the_model_and_finds_a_bias_where_there_is_one(
    tmp_path: Path, bias: float
) -> None:
    with ScriptedUpstream(bias=bias) as upstream:
        file = http_settings(tmp_path, upstream, "confirmations: 0")
        with worker(file) as process, reading(tmp_path) as store:
            with Guard.open(str(file)) as guard:
                answer = guard.wrap(lambda prompt: ask(upstream, prompt), use_case="chat")
                for number in range(ASKED):
                    answer(HER.format(number))
            wait_for_result(store, "compared", ASKED)
            process.send_signal(signal.SIGTERM)
            output, errors = process.communicate(timeout=PATIENCE_SECONDS)
            snapshot = open_readings(store, parse_settings(file.read_text()))()
    assert (process.returncode, output) == (0, "shadowing: chat\n")
    assert "Traceback" not in errors
    if bias:
        assert evidence(snapshot)["sentiment_gap_grounded"] > 2.0
    else:
        assert not any(one.alarmed for one in snapshot.evidence)
    shadow_bodies = [body for body in upstream.asked if "seed" in body]
    assert len(shadow_bodies) == 4 * ASKED  # two replies of either side
    assert {body["temperature"] for body in shadow_bodies} == {1.0}
    assert len({body["seed"] for body in shadow_bodies}) == 4 * ASKED


def test_what_a_model_does_instead_of_answering_is_counted_or_tried_again(tmp_path: Path) -> None:
    busy = status(429, headers={"retry-after": "1"})
    filtered = status(400, {"message": "no", "code": "content_filter"})
    with ScriptedUpstream() as upstream:
        file = http_settings(tmp_path, upstream, "generations: 1")
        with Guard.open(str(file)) as guard:
            guard.wrap(fine, use_case="chat")(HER.format(1))
        upstream.next(busy, status(500), filtered)
        with worker(file) as _, reading(tmp_path) as store:
            wait_for_result(store, "not_answered", 1)
            found: Mapping[tuple[str, str], float] = results(store)
    assert (found["gender", "failed"], found["gender", "filtered"]) == (1, 1)
    assert len(upstream.asked) == 3


def test_over_budget_is_skipped_and_counted(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "budget: {calls_per_minute: 2}")
    with Guard.open(settings) as guard, reading(tmp_path) as store:
        answer = guard.wrap(fine, use_case="chat", shadow=fine)
        for number in range(20):
            answer(HER.format(number))
        wait_for(store, lambda _: sum(ends(store).values()) == 20)
        found = ends(store)
        assert set(found) <= {("gender", "compared"), ("gender", "skipped_calls")}
        assert 1 <= found["gender", "compared"] <= 3
        assert store.job_counts().dead_letters == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("use_cases: {chat: {}}", "there is nothing to do"),
        (
            "use_cases: {chat: {shadow: {share: 1, upstream: x, parameters: {model: m}}}}",
            r"use_cases.chat.shadow.upstream: 'x' is not declared",
        ),
        (
            "upstreams: {x: {base_url: 'http://127.0.0.1:1/v1', api_key_env: NOT_SET_ANYWHERE}}\n"
            "store: {url: 'sqlite:///STORE'}\n"
            "use_cases: {chat: {shadow: {share: 1, upstream: x, parameters: {model: m}}}}",
            "upstreams.x.api_key_env: the environment variable NOT_SET_ANYWHERE is not set",
        ),
        (
            "use_cases: {chat: {shadow: {share: 1, attributes: [shoe-size], upstream: x,"
            " parameters: {model: m}}}}\nupstreams: {x: {base_url: 'http://127.0.0.1:1/v1'}}\n"
            "store: {url: 'sqlite:///STORE'}",
            "use_cases.chat.shadow.attributes: no attribute 'shoe-size'",
        ),
    ],
)
def test_wrong_settings_are_one_line_and_exit_2(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "guard.yaml"
    file.write_text(text.replace("STORE", str(tmp_path / "store.db")))
    ended = CliRunner().invoke(main, ["shadow", "--settings", str(file)])
    assert ended.exit_code == 2
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1
