"""Calls through the gateway are asked again by `guard shadow`: whom, with what, and which not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.ports import Store
from guard.store import open_store
from tests.integration.gateway_cases import CHAT, post
from tests.servers import kill_at_end
from tests.servers_gateway import Gateway
from tests.servers_upstream import ScriptedUpstream
from tests.waiting import wait_until

PATIENCE_SECONDS = 240.0  # the process of `guard shadow` yields to all others
PROMPT = "My sister asked about her loan. Please write to her."
SETTINGS = """
store: {{url: "sqlite:///{folder}/store.db", spool: "{folder}/spool"}}
upstreams:
  scripted: {{base_url: "{base_url}", api_key_env: MODEL_KEY}}
  theirs: {{base_url: "{base_url}", pass_key: true}}
gateway: {{port: 0, upstream: scripted}}
defaults:
  shadow: {{share: 1.0, attributes: [gender], max_variants: 1, control: false}}
use_cases:
  chat: {{}}
  theirs: {{upstream: theirs}}
"""
BODY = {
    "model": "scripted-1",
    "temperature": 0.7,
    "user": "somebody",
    "messages": [{"role": "user", "content": PROMPT}],
}
EXPECTED = {("gender", "compared"): 1, ("", "opted_out"): 1, ("", "client_key"): 1}
MAY_FOLLOW = {"sampled", "mentioned", "rewritten", "flagged", "confirmed", "not_confirmed", "slip"}
"""What else is counted: stages of the call, and what comes of the pair, which depends on what the
model happens to reply."""


def test_the_model_that_was_asked_is_asked_again_with_the_parameters_of_the_call(
    tmp_path: Path,
) -> None:
    environment = {"MODEL_KEY": "sk-model"}
    with ScriptedUpstream() as upstream:
        text = SETTINGS.format(folder=tmp_path, base_url=upstream.base_url)
        with Gateway(tmp_path, text, environment=environment) as gateway:
            url = gateway.base_url("chat") + CHAT
            assert post(url, BODY).status == 200
            assert post(url, BODY, x_guard_shadow="off").status == 200
            theirs = gateway.base_url("theirs") + CHAT
            assert post(theirs, BODY, authorization="Bearer sk-theirs").status == 200
        lived = len(upstream.asked)
        command = [sys.executable, "-m", "guard", "shadow", "--settings", tmp_path / "guard.yaml"]
        with (
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=tmp_path,
                env={**os.environ, **environment},
            ) as process,
            kill_at_end(process),
        ):
            found = awaited(tmp_path)
            process.send_signal(signal.SIGTERM)
            told, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert lived == 3
    assert EXPECTED.items() <= found.items()
    assert {result for _, result in found.keys() - EXPECTED.keys()} <= MAY_FOLLOW
    assert (told, errors) == ("shadowing: chat\n", "")
    again = upstream.asked[lived:]
    assert {(body["model"], body["temperature"]) for body in again} == {("scripted-1", 0.7)}
    assert not any("user" in body for body in again)
    assert {headers["authorization"] for headers in upstream.headers[lived:]} == {"Bearer sk-model"}
    assert any("brother" in str(body["messages"]) for body in again)


def awaited(folder: Path) -> Mapping[tuple[str, str], float]:
    """What came of all calls, once there is as much as is expected."""
    store = open_store(f"sqlite:///{folder}/store.db", clock=time.time)
    try:
        return wait_until(
            lambda: results(store),
            lambda found: EXPECTED.items() <= found.items(),
            patience=PATIENCE_SECONDS,
        )
    finally:
        store.shut()


def results(store: Store) -> dict[tuple[str, str], float]:
    return {
        about: count
        for use_case in ("chat", "theirs")
        for about, count in results_of(
            store.evidence(use_case, [SHADOW_RESULTS])[SHADOW_RESULTS]
        ).items()
    }
