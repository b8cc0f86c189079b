"""How long does the review page take to answer when very many cases wait?

Every page is asked for again and again from a server in a process of its own; what is measured is
the time from the request to the whole answer over the loopback interface, so a little more than
the server's own. Cases are pairs with texts of 4,000 characters, of five use cases, one more every
second of the last day and a bit; a hundred are decided, and fifty of those are disputed.

    python tests/benchmarks/bench_review.py --cases 100000 --redis redis://localhost:6379/9
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from guard.bootstrap.review import open_accounts
from guard.ports import Store
from guard.records import Batch, Case, CaseKind, Position, Vote
from guard.review.accounts import Role
from guard.store import open_store

GUARD = str(Path(sys.executable).with_name("guard"))
BOUND_SECONDS = 0.2
PASSWORD = "a-password-for-a-benchmark"
USE_CASES = ("support-chat", "summaries", "hiring-help", "claims", "search")
REASONS = ("refusal", "sentiment_gap", "stereotype_gap", "toxicity_gap")
ATTRIBUTES = ("gender", "race", "religion", "age")
PER_BATCH = 500
DECIDED = 100
REPLY = "Someone should bring notes and say what was done this year. " * 30
CSRF = re.compile(r'name="csrf" value="([^"]+)"')


def body() -> str:
    """Of a pair, as `guard.shadow.cases` writes it."""

    def reply(text: str) -> dict[str, object]:
        scores = {"toxicity": 0.1, "sentiment": 0.7, "stereotype": 0.2}
        said = {"text": text, "masked": text, "ending": "answered", "live": False}
        return {**said, "scores": scores, "grounded": scores}

    turn = {"role": "user", "content": "Emily asks.", "masked": "someone asks."}
    return json.dumps(
        {
            "version": 1,
            "versions": {"model": "scripted-1"},
            "source": "first",
            "groups": {"first": "female", "second": "male"},
            "prompts": {"first": [turn], "second": [turn]},
            "replacements": [[]],
            "replies": {"first": [reply(REPLY)], "second": [reply(REPLY.replace("notes", "it"))]},
            "shown": [0, 0],
            "gaps": {"sentiment_gap": 0.5},
            "grounded_gaps": {"sentiment_gap": 0.5},
        }
    )


def cases(number: int, now: float) -> Iterator[Case]:
    text = body()
    for at in range(number):
        yield Case(
            id=f"{at:032x}",
            kind=CaseKind.PAIR,
            use_case=USE_CASES[at % len(USE_CASES)],
            call_id=f"call-{at}",
            reasons=(REASONS[at % 4],) if at % 3 else REASONS[:2],
            opened_at=now - number + at,
            body=text,
            attribute=ATTRIBUTES[at % len(ATTRIBUTES)],
            groups=("female", "male"),
            reviewers=2 if at < DECIDED else 1,
        )


def fill(store: Store, number: int) -> None:
    """Open the cases in batches, as the guard does, and decide the oldest."""
    batch: list[Case] = []
    for at, case in enumerate(cases(number, time.time()), 1):
        batch.append(case)
        if len(batch) == PER_BATCH or at == number:
            assert store.accept(Batch(cases=tuple(batch)), Position(spool="bench", end=at))
            batch = []
    for at in range(DECIDED):
        for name, verdict in (("ann", "biased"), ("ben", "biased" if at % 2 else "unsure")):
            case_id = f"{at:032x}"
            store.hold(case_id, reviewer=name, seconds=60)
            store.vote(
                Vote(case_id=case_id, reviewer=name, verdict=verdict, at_seconds=time.time())
            )


@contextmanager
def served(url: str) -> Iterator[str]:
    """The origin of a review page on this store."""
    command = [GUARD, "review", "serve", "--store", url, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().partition("review: ")[2].strip().rstrip("/")
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def sign_in(client: httpx.Client) -> str:
    """The token of the forms."""
    found = CSRF.search(client.get("/sign-in").text)
    assert found
    fields = {"csrf": found[1], "name": "bench", "password": PASSWORD}
    assert client.post("/sign-in", data=fields).status_code == 303
    found = CSRF.search(client.get("/queue").text)
    assert found
    return found[1]


def ways(client: httpx.Client, csrf: str, number: int) -> dict[str, Callable[[], httpx.Response]]:
    """What is asked for, by name."""
    middle, decided = f"{number // 2:032x}", f"{1:032x}"
    pages = {
        "queue": "/queue",
        "queue, one use case": "/queue?use_case=claims",
        "queue, all filters": "/queue?use_case=claims&attribute=age&reason=refusal&age=hour",
        "queue, nothing fits": "/queue?use_case=claims&attribute=age&reason=nothing",
        "queue, second page": f"/queue?after={middle}",
        "queue, closed": "/queue?state=closed",
        "adjudication": "/adjudication",
        "case": f"/case/{middle}",
        "case, decided": f"/case/{decided}",
        "statistics": "/statistics",
        "statistics, one": "/statistics?use_case=claims",
        "people": "/people",
        "export": "/export",
        "audit": "/audit",
        "account": "/account",
        "keys": "/keys",
    }
    found = {name: lambda path=path: client.get(path) for name, path in pages.items()}
    return {**found, **posts(client, csrf)}


def posts(client: httpx.Client, csrf: str) -> dict[str, Callable[[], httpx.Response]]:
    """Decide case after case, and take the last decision back."""
    filters = {"csrf": csrf, "use_case": "claims"}

    def following() -> httpx.Response:
        return client.post("/next", data=filters)

    def vote() -> httpx.Response:
        where = following().headers["location"].partition("?")[0]
        begun = time.perf_counter()
        answer = client.post(f"{where}/vote", data={**filters, "verdict": "biased"})
        answer.extensions["took"] = time.perf_counter() - begun
        return answer

    return {
        "next": following,
        "vote, and the next": vote,
        "undo": lambda: client.post("/undo", data=filters),
    }


def took(ask: Callable[[], httpx.Response], times: int) -> list[float]:
    """Seconds of each time it was asked for, after once for warmth."""
    seconds = []
    for number in range(times + 1):
        begun = time.perf_counter()
        answer = ask()
        own = answer.extensions.get("took", time.perf_counter() - begun)
        assert answer.status_code in {200, 303}, (answer.status_code, answer.text[:500])
        seconds += [own] if number else []
    return seconds


def report(name: str, url: str, number: int, times: int) -> bool:
    """Print a line for each page; whether all stayed within the bound."""
    store = open_store(url, clock=time.time)
    fill(store, number)
    open_accounts(store).add("bench", PASSWORD, Role.ADMIN)
    store.shut()
    print(f"\n{name}, {number:,} cases: ms\n{'':22}{'p50':>8}{'p95':>8}{'max':>8}")
    slowest = 0.0
    with served(url) as origin, httpx.Client(base_url=origin, timeout=60) as client:
        headers = {"origin": origin, "sec-fetch-site": "same-origin"}
        client.headers.update(headers)
        for what, ask in ways(client, sign_in(client), number).items():
            seconds = sorted(took(ask, times))
            p95 = seconds[ceil(0.95 * len(seconds)) - 1]
            figures = (statistics.median(seconds), p95, seconds[-1])
            print(f"{what:22}" + "".join(f"{one * 1e3:8.1f}" for one in figures), flush=True)
            slowest = max(slowest, p95)
    print(f"slowest p95 {slowest * 1e3:.1f} ms; the bound is {BOUND_SECONDS * 1e3:.0f} ms")
    return slowest <= BOUND_SECONDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--redis", help="URL of a Redis database that may be emptied")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        kept = [report("sqlite", f"sqlite:///{folder}/b.db", options.cases, options.times)]
    if options.redis:
        from redis import Redis

        Redis.from_url(options.redis).flushdb()
        kept.append(report("redis", options.redis, options.cases, options.times))
    sys.exit(not all(kept))


if __name__ == "__main__":
    main()
