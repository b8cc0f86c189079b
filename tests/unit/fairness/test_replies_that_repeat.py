"""Replies that do not vary are told from those that do, and draws of them are not compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import pytest

from guard.fairness import CATALOGUE, Comparison, Conditions, MeasuredReply
from guard.fairness.live import LONG_REPLY_WORDS, repeats_itself
from guard.fairness.reply_distances import p_values
from guard.records import Ending

LONG = (
    "Please send the form, two recent statements, and a copy of the contract.",
    "Thank you for asking us. We will look at it within ten days and call back.",
    "It depends. Perhaps you could try again next week, or call the branch first.",
)
SHORT = ("Approved.", "Denied.", "Denied for now.")
CONDITIONS = Conditions(repeats=True)


def reply(text: str, *, live: bool = False, ending: Ending = Ending.ANSWERED) -> MeasuredReply:
    return MeasuredReply(text=text, masked=text, ending=ending, live=live)


def pair(first: Sequence[str], second: Sequence[str], live: str | None = None) -> Comparison:
    own = () if live is None else (reply(live, live=True),)
    return Comparison(
        call_id="c",
        attribute="gender",
        first="female",
        second="male",
        source="female",
        first_replies=(*own, *map(reply, first)),
        second_replies=tuple(map(reply, second)),
    )


@pytest.mark.parametrize(
    ("first", "second", "is_so"),
    [
        ([LONG[0]] * 2, [LONG[1]] * 2, True),
        ([LONG[0]] * 2, [LONG[0]] * 2, True),
        ([SHORT[0]] * 2, [LONG[1]] * 2, True),  # one of them is too long for chance
        ([LONG[0]] * 4, [LONG[1]] * 3, True),
        ([SHORT[0]] * 2, [SHORT[1]] * 2, False),
        (LONG[:2], [LONG[1]] * 2, False),
        (LONG[:2], LONG[:2], False),
        ([LONG[0]], [LONG[1]], False),  # one reply a side tells nothing
        ([LONG[0]] * 2, [LONG[1]], False),
        ([], [LONG[1]] * 2, False),
    ],
)
def test_long_replies_that_come_again_do_not_vary(
    first: Sequence[str], second: Sequence[str], is_so: bool
) -> None:
    assert pair(first, second).is_deterministic is is_so
    assert pair(second, first).is_deterministic is is_so


@pytest.mark.parametrize("words", [LONG_REPLY_WORDS - 1, LONG_REPLY_WORDS])
def test_how_long_is_long(words: int) -> None:
    said = " ".join(["yes"] * words) + "."
    assert pair([said] * 2, ["No."] * 2).is_deterministic is (words == LONG_REPLY_WORDS)


def test_the_live_reply_is_made_another_way_and_does_not_matter() -> None:
    assert pair([LONG[0]] * 2, [LONG[1]] * 2, live=LONG[2]).is_deterministic
    assert not pair(LONG[:1], [LONG[1]] * 2, live=LONG[0]).is_deterministic


def test_an_ending_is_a_part_of_what_was_said() -> None:
    answered, refused = reply(LONG[0]), reply(LONG[0], ending=Ending.REFUSED)
    assert repeats_itself([(answered, answered), (refused, refused)])
    assert not repeats_itself([(answered, refused), (refused, refused)])


def test_draws_of_replies_that_do_not_vary_are_not_compared() -> None:
    same = pair([LONG[0]] * 4, [LONG[1]] * 4)
    seen = CATALOGUE.observe(same, CONDITIONS)
    made = {*seen.observed, *seen.tested}
    once = {one.name for one in CATALOGUE.metrics if CONDITIONS.allow(one) and not one.repeats}
    assert made == once
    assert p_values(same, repeats=True) == {}
    varied = pair([*LONG, "Yes."], ["No.", *LONG])
    assert "token" in p_values(varied, repeats=True)


def test_short_replies_that_come_again_are_compared() -> None:
    """A model that varies repeats them as well, and a group that is denied more often shows."""
    made = CATALOGUE.observe(pair(["Approved."] * 2, ["Denied."] * 2), CONDITIONS).observed
    assert "fairpair_jaccard" in made
    assert "token" in p_values(pair(["Approved."] * 4, ["Denied."] * 4), repeats=True)


@pytest.mark.parametrize("said", [LONG, (LONG[0], *SHORT[:2]), SHORT])
@pytest.mark.parametrize("a_side", [2, 3])
def test_which_pairs_are_left_out_does_not_depend_on_who_said_what(
    said: Sequence[str], a_side: int
) -> None:
    """Over all ways to deal the replies out, so that those that are left can be exchanged."""
    for replies in product(said, repeat=2 * a_side):
        if list(replies) != sorted(replies):
            continue
        deals = [pair(one[:a_side], one[a_side:]) for one in set(permutations(replies))]
        assert len({one.has_draws for one in deals}) == 1
        assert not any(one.has_draws and one.is_deterministic for one in deals)


def test_to_leave_out_only_what_repeats_itself_would_lean_the_other_way() -> None:
    """Why more is left out: of two replies that each come twice, in the other deals those of one
    side are no more alike than those of both."""
    one, two = LONG[:2]
    deals = [pair(said[:2], said[2:]) for said in set(permutations((one, one, two, two)))]
    assert {each.is_deterministic for each in deals} == {True, False}
    assert not any(each.has_draws for each in deals)
