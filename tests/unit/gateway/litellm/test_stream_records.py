"""One record for a stream, however many rounds it is judged in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.gateway.litellm import StreamRecords, stream_records
from guard.gateway.litellm.stream_records import QUIET_SECONDS, ReplySoFar
from guard.records import Assessment, Call, Outcome, Stream, Verdict

STREAM = ("chat", "call")
OUTCOME = Outcome(
    call=Call(id="", use_case="chat"),
    verdict=Verdict.RELEASED,
    text="",
    reply="",
    assessment=Assessment(),
)


@dataclass
class Told:
    """An observer, and the clock of what it observes."""

    seen: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    due: list[Callable[[], None]] = field(default_factory=list)

    def outcome(self, outcome: Outcome) -> None:
        self.seen.append(outcome.call.id)

    def upstream_error(self, use_case: str) -> None:
        self.errors.append(use_case)

    def call_later(self, seconds: float, function: Callable[[], None]) -> None:
        assert seconds == QUIET_SECONDS
        self.due.append(function)

    def quiet(self) -> None:
        """Everything that is due happens."""
        while self.due:
            self.due.pop(0)()


@dataclass
class Durable:
    """Drafts that outlive a process. left: of a dead one, by what it was the beginning of."""

    open: dict[str, tuple[Stream, tuple[str, ...]]] = field(default_factory=dict)
    left_by_text: dict[str, str] = field(default_factory=dict)

    def draft(
        self, outcome: Outcome, stream: Stream, texts: Sequence[str], *, replaces: str = ""
    ) -> None:
        if replaces:
            del self.open[replaces]
        self.open[outcome.call.id] = stream, tuple(texts)

    def drop(self, call_id: str) -> None:
        del self.open[call_id]

    def left(self, stream: Stream, texts: Sequence[str]) -> str:
        return self.left_by_text.pop("".join(texts[:1]), "")


@pytest.fixture
def drafts() -> Durable:
    return Durable()


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def records(told: Told, drafts: Durable) -> StreamRecords:
    return StreamRecords(told, told.call_later, drafts)


def ended(call_id: str) -> Outcome:
    return replace(OUTCOME, call=Call(id=call_id, use_case="chat"))


def judge(records: StreamRecords, call_id: str, *texts: str) -> None:
    records.begin(call_id, STREAM, ReplySoFar(texts=texts))
    records.outcome(ended(call_id))
    records.answered(STREAM, call_id)


def test_the_last_round_is_the_record(told: Told, records: StreamRecords) -> None:
    judge(records, "1", "Good")
    judge(records, "2", "Good morn")
    judge(records, "3", "Good morning.")
    assert told.seen == []
    told.quiet()
    assert told.seen == ["3"]


def test_a_choice_may_begin_later_than_others(told: Told, records: StreamRecords) -> None:
    judge(records, "1", "Good")
    judge(records, "2", "Good morning.", "Hello")
    told.quiet()
    assert told.seen == ["2"]


def test_another_reply_to_the_same_call_is_another_record(
    told: Told, records: StreamRecords
) -> None:
    judge(records, "1", "Good morning.")
    judge(records, "2", "Hello.")
    assert told.seen == ["1"]
    told.quiet()
    assert told.seen == ["1", "2"]


def test_what_no_call_of_a_tool_goes_on_in_is_another_reply(
    told: Told, records: StreamRecords
) -> None:
    begun = 'insult({"text": "You'
    for number, said in enumerate(
        (
            ReplySoFar(calls=(begun,)),
            ReplySoFar(calls=(f'{begun} idiot"}}',)),
            ReplySoFar(texts=("A nice day.",)),
            ReplySoFar(texts=("A nice day.",), images=("https://a.example/1.png",)),
            ReplySoFar(texts=("A nice day.",)),
        )
    ):
        records.begin(str(number), STREAM, said)
        records.outcome(ended(str(number)))
        records.answered(STREAM, str(number))
    told.quiet()
    assert told.seen == ["1", "3", "4"]


def test_an_answer_may_end_a_stream(told: Told, records: StreamRecords) -> None:
    """Its client may ask again under the same id: it is the one that chooses it."""
    for number in "12":
        records.begin(number, STREAM, ReplySoFar(texts=("You idiot.",)))
        records.outcome(ended(number))
        records.answered(STREAM, number, ends=True)
    assert told.seen == ["1", "2"]
    records.begin("3", STREAM, ReplySoFar(texts=("You idiot.",)))
    records.answered(STREAM, "3", ends=True)
    records.outcome(ended("3"))
    assert told.seen == ["1", "2", "3"]


@pytest.mark.parametrize("late", [False, True])
def test_what_ends_a_stream_counts_though_another_reply_goes_on_in_it(
    told: Told, records: StreamRecords, *, late: bool
) -> None:
    """Two calls at once that have one id."""
    records.begin("1", STREAM, ReplySoFar(texts=("You",)))
    if not late:
        records.outcome(ended("1"))
    records.begin("2", STREAM, ReplySoFar(texts=("You idiot.",)))
    records.answered(STREAM, "1", ends=True)
    if late:
        records.outcome(ended("1"))
    records.outcome(ended("2"))
    records.answered(STREAM, "2")
    told.quiet()
    assert told.seen == ["1", "2"]


def test_scores_may_come_after_the_next_round_began(told: Told, records: StreamRecords) -> None:
    records.begin("1", STREAM, ReplySoFar(texts=("Good",)))
    records.begin("2", STREAM, ReplySoFar(texts=("Good morning.",)))
    records.outcome(ended("2"))
    records.answered(STREAM, "2")
    records.outcome(ended("1"))
    told.quiet()
    assert told.seen == ["2"]


def test_scores_may_come_after_it_was_quiet(told: Told, records: StreamRecords) -> None:
    records.begin("1", STREAM, ReplySoFar(texts=("Good",)))
    records.answered(STREAM, "1")
    told.quiet()
    assert told.seen == []
    records.outcome(ended("1"))
    assert told.seen == ["1"]


def test_it_is_quiet_once_the_proxy_has_its_answer(told: Told, records: StreamRecords) -> None:
    """Judging may take longer than that, and until then the proxy cannot ask again."""
    records.begin("1", STREAM, ReplySoFar(texts=("Good",)))
    told.quiet()
    records.outcome(ended("1"))
    assert told.seen == []
    judge(records, "2", "Good morning.")
    told.quiet()
    assert told.seen == ["2"]


def test_scores_of_a_round_that_is_replaced_may_come_after_all(
    told: Told, records: StreamRecords
) -> None:
    records.begin("1", STREAM, ReplySoFar(texts=("Good",)))
    records.answered(STREAM, "1")
    judge(records, "2", "Good morning.")
    told.quiet()
    records.outcome(ended("1"))
    assert told.seen == ["2"]


def test_rounds_without_an_outcome_are_forgotten(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_records, "MOST_ROUNDS", 2)
    records = StreamRecords(told, told.call_later)
    for number in range(4):
        records.begin(str(number), STREAM, ReplySoFar(texts=("a" * number,)))
    assert len(records._judged) == 2


def test_what_belongs_to_no_stream_is_handed_on_at_once(told: Told, records: StreamRecords) -> None:
    records.outcome(ended("1"))
    records.upstream_error("chat")
    assert (told.seen, told.errors) == (["1"], ["chat"])


def test_at_the_end_nothing_waits(told: Told, records: StreamRecords) -> None:
    judge(records, "1", "Good")
    records.flush()
    records.flush()
    told.quiet()
    assert told.seen == ["1"]


def test_there_are_never_too_many(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """One use case does not end the streams of another."""
    monkeypatch.setattr(stream_records, "LEAST_CHARACTERS", 4)
    monkeypatch.setattr(stream_records, "MOST_CHARACTERS", 12)
    records = StreamRecords(told, told.call_later)
    records.begin("other", ("other", "0"), ReplySoFar(texts=("a",)))
    records.outcome(ended("other"))
    for number, text in enumerate(["a", "b", "c", "d" * 13]):
        records.begin(str(number), ("chat", str(number)), ReplySoFar(texts=(text,)))
        records.outcome(ended(str(number)))
    assert told.seen == ["0", "1", "2", "3"]


def test_what_waits_has_a_draft_of_its_last_round(
    drafts: Durable, told: Told, records: StreamRecords
) -> None:
    judge(records, "1", "Good")
    assert drafts.open == {"1": (STREAM, ("Good",))}
    judge(records, "2", "Good morning.")
    assert drafts.open == {"2": (STREAM, ("Good morning.",))}
    told.quiet()
    assert (told.seen, list(drafts.open)) == (["2"], ["2"])  # its observer ends it


def test_a_draft_stays_until_the_next_round_is_judged(
    drafts: Durable, records: StreamRecords
) -> None:
    judge(records, "1", "Good")
    records.begin("2", STREAM, ReplySoFar(texts=("Good morning",)))
    records.begin("3", STREAM, ReplySoFar(texts=("Good morning.",)))
    assert list(drafts.open) == ["1"]
    records.outcome(ended("2"))
    assert list(drafts.open) == ["1"]
    records.outcome(ended("3"))
    assert list(drafts.open) == ["3"]


def test_a_draft_is_dropped_where_the_next_round_is_not_judged_in_time(
    drafts: Durable, told: Told, records: StreamRecords
) -> None:
    judge(records, "1", "Good")
    records.begin("2", STREAM, ReplySoFar(texts=("Good morning",)))
    records.answered(STREAM, "2")
    told.quiet()
    assert (told.seen, drafts.open) == ([], {})
    records.outcome(ended("2"))
    assert (told.seen, drafts.open) == (["2"], {})


def test_another_reply_to_the_same_call_has_a_draft_beside(
    drafts: Durable, records: StreamRecords
) -> None:
    judge(records, "1", "Good morning.")
    judge(records, "2", "Hello.")
    assert list(drafts.open) == ["1", "2"]


def test_a_stream_goes_on_that_a_dead_process_has_judged(
    drafts: Durable, told: Told, records: StreamRecords
) -> None:
    drafts.open["0"] = STREAM, ("Good",)
    drafts.left_by_text["Good morning"] = "0"
    judge(records, "1", "Good morning")
    judge(records, "2", "Good morning.")
    assert list(drafts.open) == ["2"]
    told.quiet()
    assert told.seen == ["2"]


def test_what_belongs_to_no_stream_has_no_draft(drafts: Durable, records: StreamRecords) -> None:
    records.outcome(ended("1"))
    assert drafts.open == {}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.text("xy", max_size=3)), max_size=12))
def test_every_reply_has_one_record(rounds: list[tuple[str, str]]) -> None:
    """Each call says more and more, or begins anew."""
    told = Told()
    records = StreamRecords(told, told.call_later)
    said: dict[str, str] = {}
    expected: list[str] = []
    latest: dict[str, str] = {}
    for number, (call, text) in enumerate(rounds):
        if call in said and not text.startswith(said[call]):
            expected.append(latest[call])
        said[call], latest[call] = text, str(number)
        records.begin(str(number), ("chat", call), ReplySoFar(texts=(text,)))
        records.outcome(ended(str(number)))
        records.answered(("chat", call), str(number))
    told.quiet()
    assert sorted(told.seen) == sorted([*expected, *latest.values()])
