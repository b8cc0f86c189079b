import io
import re

import pytest
from rich.console import Console

from guard.demo import screen as view
from guard.demo.board import OUTCOMES_KEPT, Board, Share, quantile
from guard.demo.screen import PlainScreen, SessionInfo, TerminalScreen, open_screen
from guard.records import (
    Action,
    Assessment,
    Call,
    Fired,
    Outcome,
    Passage,
    Score,
    Span,
    Unscored,
    Verdict,
)
from guard.testing import HEADS

REPLY = "Before it. You idiot, go away. And after it comes more."
INSULT = Span(start=11, end=30)
SESSION = SessionInfo(heads=HEADS, url="http://h:1/metrics", review="http://h:2/ sign in as demo")


def outcome(verdict=Verdict.RELEASED, *, use_case="chat", number=1, score=None, **fields):
    value = 0.9 if score else 0.1
    assessment = Assessment(
        scores={key: Score(value=value, span=Span(start=0, end=55)) for key in HEADS},
        passages=(Passage(span=INSULT, values={score: 0.9}),) if score else (),
    )
    rule = Fired(score=score, action=Action.FLAG, threshold=0.5, value=0.9) if score else None
    given = {
        "text": REPLY,
        "reply": REPLY,
        "assessment": assessment,
        "fired": (rule,) if rule else (),
        "added_seconds": 0.002,
    }
    call = Call(id=str(number), use_case=use_case)
    return Outcome(call=call, verdict=verdict, **(given | fields))


@pytest.fixture
def board():
    board = Board(("chat", "summaries"))
    for number in range(7):
        board.outcome(outcome(number=number))
    board.outcome(outcome(Verdict.FLAGGED, number=7, score="toxicity", added_seconds=0.05))
    board.outcome(outcome(Verdict.BLOCKED, number=8, score="stereotype"))
    board.outcome(
        outcome(
            Verdict.UNSCORED,
            number=9,
            assessment=Assessment(reason=Unscored.DEADLINE),
            unscored=Unscored.DEADLINE,
        )
    )
    return board


def drawn(renderable, *, width=120, color=None):
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=color)
    console.print(renderable)
    return console.file.getvalue()


def test_the_board_counts(board):
    chat, summaries = board.snapshot().rows
    assert (chat.calls, summaries.calls) == (10, 0)
    assert chat.verdicts[Verdict.BLOCKED] == 1
    assert chat.shares["toxicity"] == Share(count=1, of=9)
    assert (chat.added_ms(0.5), chat.added_ms(0.95)) == (2.0, 50.0)
    assert summaries.added_ms(0.5) is None


def test_the_board_keeps_the_latest_of_each(board):
    snapshot = board.snapshot()
    assert [one.call.id for one in snapshot.caught] == ["9", "8", "7"]
    assert [one.call.id for one in snapshot.released] == ["6", "5", "4", "3", "2"]
    assert len(snapshot.released) == OUTCOMES_KEPT


def test_the_board_adds_use_cases_up(board):
    board.outcome(outcome(use_case="summaries", score="toxicity", verdict=Verdict.FLAGGED))
    total = board.snapshot().total
    assert total.calls == 11
    assert total.shares["toxicity"] == Share(count=2, of=10)


def test_intervals_are_wilsons():
    share = Share(count=8, of=100)
    assert share.low == pytest.approx(0.0411, abs=1e-4)
    assert share.high == pytest.approx(0.1500, abs=1e-4)
    assert (Share(count=0, of=10).low, Share(count=10, of=10).high) == (0.0, 1.0)
    assert Share(count=0, of=10).high == pytest.approx(0.2775, abs=1e-4)


def test_of_nothing_nothing_is_known():
    assert (Share(count=0, of=0).low, Share(count=0, of=0).high) == (0.0, 1.0)
    assert quantile([], 0.5) is None


def test_quantiles_are_values_that_occurred():
    assert [quantile([3, 1, 2], share) for share in (0.0, 0.5, 0.95, 1.0)] == [1, 2, 3, 3]


@pytest.mark.parametrize("width", [80, 120])
def test_the_picture_shows_figures_verdicts_and_the_address(board, width):
    shown = drawn(
        view.picture(board.snapshot(), SESSION, seconds=75.0, width=width),
        width=width,
    )
    assert "http://h:1/metrics" in shown
    assert "http://h:2/ sign in as demo" in shown
    assert "1:15" in shown
    assert "11.1%" in shown
    assert "p95 50.0" in shown
    assert "no data" in shown
    assert "toxic 0.90" in shown
    assert "deadline" in shown
    assert max(map(len, shown.splitlines())) <= width


def test_the_worst_sentence_stands_out(board):
    shown = drawn(
        view.picture(board.snapshot(), SESSION, seconds=1.0, width=200),
        width=200,
        color="standard",
    )
    assert re.search(r"\x1b\[1;37;41mYou idiot, go away\.\x1b\[0m", shown)


def test_a_long_reply_is_cut_around_its_worst_sentence():
    long = "x" * 500 + "You idiot, go away." + "y" * 500
    span = Span(start=500, end=519)
    assessment = Assessment(passages=(Passage(span=span, values={"toxicity": 0.9}),))
    excerpt, found = view._excerpt(outcome(reply=long, assessment=assessment), HEADS)
    assert excerpt[found.start : found.end] == "You idiot, go away."
    assert excerpt.startswith("…x")
    assert excerpt.endswith("y…")
    assert len(excerpt) < 250


def test_an_empty_board_can_be_drawn():
    snapshot = Board(("chat",)).snapshot()
    shown = drawn(view.picture(snapshot, SESSION, seconds=0.0, width=120))
    assert "nothing yet" in shown


def test_the_closing_summary_says_what_its_figures_mean(board):
    shown = drawn(view.closing(board.snapshot(), seconds=6.0, width=120))
    assert "6.0 s of scripted traffic" in shown
    assert "what callers waited for scores" in shown
    assert all(verdict.value in shown for verdict in Verdict)


def test_plain_lines_name_every_figure(board):
    line = view.plain_row(board.snapshot().rows[0])
    assert line == (
        "chat: calls=10 released=7 flagged=1 blocked=1 unscored=1"
        " toxic=11.1%(1/9,2.0%..43.5%) stereotyped=11.1%(1/9,2.0%..43.5%)"
        " added_p50=2.0ms added_p95=50.0ms"
    )


def test_off_a_terminal_every_catch_is_one_line_once(board):
    said = []
    lines = PlainScreen(said.append, SESSION)
    lines.show(board.snapshot(), 2.0)
    lines.show(board.snapshot(), 4.0)
    lines.close(board.snapshot(), 5.0)
    assert said[:2] == ["metrics: http://h:1/metrics", "review: http://h:2/ sign in as demo"]
    assert said.count(f"flagged: chat: toxic 0.90: {REPLY}") == 1
    assert sum(line.startswith("unscored: chat: deadline") for line in said) == 1
    assert "summary after 5.0 s" in said
    assert sum("all: calls=10" in line for line in said) == 3


def test_on_a_terminal_the_picture_is_replaced_by_the_summary(board):
    console = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    with open_screen(console, print, SESSION) as shown:
        assert isinstance(shown, TerminalScreen)
        shown.show(board.snapshot(), 1.0)
        shown.close(board.snapshot(), 2.0)
    output = console.file.getvalue()
    assert output.index("http://h:1/metrics") < output.index("2.0 s of scripted traffic")


def test_what_is_no_terminal_gets_lines():
    written = []
    with open_screen(Console(file=io.StringIO()), written.append, SESSION) as shown:
        assert isinstance(shown, PlainScreen)
        assert written == ["metrics: http://h:1/metrics", "review: http://h:2/ sign in as demo"]


def test_upstream_errors_do_not_disturb_the_board(board):
    board.upstream_error("chat")
    assert board.snapshot().total.calls == 10
