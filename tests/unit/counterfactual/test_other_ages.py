"""Ages that would stay beside an age that changes: the text is declined."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, Lexicons, bundled, rewrite, rewrite_all


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return bundled()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I am 72 years old. I turned 72 yesterday.", "72"),
        ("I'm seventy. Is seventy too late?", "seventy"),
        ("I'm a 72-year-old man. Is 72 too old for a mortgage?", "72"),
        ("I (72M) need advice; I am 72 years old.", "72"),
        ("I'm a 72-year-old man, born 1953. Do I qualify?", "born 1953"),
        ("I'm 65 and I've been married for 40 years.", "for 40 years"),
        ("He is 71 and has 30 years of experience.", "30 years of"),
    ],
)
def test_an_age_that_stays_declines_the_text(lexicons: Lexicons, text: str, left: str) -> None:
    done = rewrite(text, lexicons, attribute="age", to="young")
    assert (done.text, done.declined, done.detail) == (None, Declined.TIED, left)


def test_a_decade_that_stays_declines_the_text(lexicons: Lexicons) -> None:
    done = rewrite("My 20-something boss says she is 26.", lexicons, attribute="age", to="old")
    assert (done.declined, done.detail) == (Declined.TIED, "20-something")


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("I'm 72 and have 72 books.", "I'm 22 and have 72 books."),
        ("I'm 72 and live in flat 72.", "I'm 22 and live in flat 72."),
        ("I'm 72 and pay $72.", "I'm 22 and pay $72."),
        ("I'm 72. Highway 72 is close.", "I'm 22. Highway 72 is close."),
        ("I'm 72 and need 72 percent of it.", "I'm 22 and need 72 percent of it."),
        ("I'm 72 and earn 72k.", "I'm 22 and earn 72k."),
        ("I am 72. Solve 72 + 1 for me.", "I am 22. Solve 72 + 1 for me."),
        ("I'm 72 and was born 30 miles from here.", "I'm 22 and was born 30 miles from here."),
        (
            "I'm 66 and the house is over 60 years old.",
            "I'm 26 and the house is over 60 years old.",
        ),
        ("I'm 72 and have 5 years of experience.", "I'm 22 and have 5 years of experience."),
        ("I'm 66, got my licence at 18.", "I'm 26, got my licence at 18."),
        ("I'm 72, my BP is 140 over 90.", "I'm 22, my BP is 140 over 90."),
        ("I'm 72 and drove at 65 mph.", "I'm 22 and drove at 65 mph."),
        ("I'm 72. They close at 18.", "I'm 22. They close at 18."),
        ("I'm 72 and paid 50 percent by 30 May.", "I'm 22 and paid 50 percent by 30 May."),
        ("Her 72-year-old father called.", "Her 22-year-old father called."),
        ("My dad says hello. I'm 62.", "My dad says hello. I'm 22."),
        ("My old printer is too slow, and I'm 66.", "My old printer is too slow, and I'm 26."),
        ("I'm 72 and want a 30-year mortgage.", "I'm 22 and want a 30-year mortgage."),
        ("I'm 72. The temperature will be 65.", "I'm 22. The temperature will be 65."),
        ("I'm 72 and my resting pulse is below 60.", "I'm 22 and my resting pulse is below 60."),
        ("I'm 72. My HbA1c is above 50.", "I'm 22. My HbA1c is above 50."),
        ("I'm 72. My budget is under 50.", "I'm 22. My budget is under 50."),
        ("I'm 72. I use SPF 50 or above.", "I'm 22. I use SPF 50 or above."),
        ("I'm 72. Pages between 30 and 50 are gone.", "I'm 22. Pages between 30 and 50 are gone."),
        ("I'm 72 and live at 42 and Main Street.", "I'm 22 and live at 42 and Main Street."),
    ],
)
def test_other_numbers_stay(lexicons: Lexicons, text: str, rewritten: str) -> None:
    assert rewrite(text, lexicons, attribute="age", to="young").text == rewritten


def test_a_higher_age_may_have_worked_for_longer(lexicons: Lexicons) -> None:
    done = rewrite("I have 12 years of service, I'm 34.", lexicons, attribute="age", to="old")
    assert done.text == "I have 12 years of service, I'm 74."


@pytest.mark.parametrize("sign", ["a'", "72-", "for 72 ", "twenty ", "born '"])
def test_texts_of_odd_signs_are_read_in_time(lexicons: Lexicons, sign: str) -> None:
    rewrite("I'm 72 years old. " + sign * 20_000, lexicons, attribute="age", to="young")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("I'm 72 and work full time. My mother is 95.", "young"),
        ("My mother is 92 and I am 65.", "young"),
        ("I was in the war in 1944. I'm 98.", "young"),
        ("I am 55 and have worked here since 1990.", "young"),
        ("I'm 75 and served in Vietnam.", "young"),
        ("He is 45 and has three adult children.", "young"),
        ("My teenage son is 16 and I'm 45.", "young"),
        ("I'm 25 and my daughter is 3.", "old"),
    ],
)
def test_a_life_that_no_longer_fits_declines_the_text(
    lexicons: Lexicons, text: str, target: str
) -> None:
    done = rewrite(text, lexicons, attribute="age", to=target)
    assert done.declined == Declined.TIED


@pytest.mark.parametrize(
    ("text", "target", "ages"),
    [
        ("I'm 70 and my boss is 25. He is strict.", "young", "70, 25"),
        ("My 75-year-old aunt and my 20-year-old nephew.", "young", "75-year-old, 20-year-old"),
        ("My 25-year-old sister met a 70-year-old man.", "old", "25-year-old, 70-year-old"),
        ("My elderly aunt and my 20-year-old nephew.", "young", "elderly, 20-year-old"),
        ("My 75-year-old aunt and a young man.", "young", "75-year-old, young"),
        ("I'm 25. My boss is in his seventies.", "old", "25, seventies"),
    ],
)
def test_an_age_of_the_other_group_that_stays_declines_the_text(
    lexicons: Lexicons, text: str, target: str, ages: str
) -> None:
    done = rewrite(text, lexicons, attribute="age", to=target)
    assert (done.text, done.declined, done.detail) == (None, Declined.TIED, ages)


@pytest.mark.parametrize("second", ["My boss is 25.", "My mother is 95."])
def test_ages_in_several_messages_decline_them_all(lexicons: Lexicons, second: str) -> None:
    made = rewrite_all(["I am 72.", second], lexicons, attribute="age", to="young")
    assert {one.declined for one in made} == {Declined.TIED}


@pytest.mark.parametrize(
    "text", ["A 65-year-old retiree called.", "I turned 70 and got my senior discount."]
)
def test_what_only_the_old_have_declines_the_text(lexicons: Lexicons, text: str) -> None:
    assert rewrite(text, lexicons, attribute="age", to="young").declined is Declined.TIED


def test_an_old_friend_is_of_no_age(lexicons: Lexicons) -> None:
    done = rewrite("My old friend met an old man.", lexicons, attribute="age", to="young")
    assert done.text == "My old friend met a young man."


def test_ages_that_keep_their_distance_change_together(lexicons: Lexicons) -> None:
    done = rewrite("I am 66. My boss is 68.", lexicons, attribute="age", to="young")
    assert done.text == "I am 26. My boss is 28."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I'm 25. How much must I save to retire at 65?", "at 65"),
        ("I'm 25 and want to retire by 50.", "by 50"),
        ("I'm 29 and about to turn 30.", "turn 30"),
        ("She is 24, will be 25 in June.", "will be 25"),
        ("I'm 25. By 30 I want to own a house.", "By 30"),
        ("I'm 25. I'd like to buy a house by age 30.", "by age 30"),
        ("I'm 28 and my insurance ends at 30.", "at 30"),
        ("I am 19 and can drink at 21, right?", "at 21"),
        ("I'm 22. Is there an under-25 fee?", "under-25 fee"),
        ("I'm 25. People over 60 annoy me.", "People over 60"),
        ("I'm 25. It's for those 30 and over.", "30 and over"),
        ("I'm 25. What is a normal pulse over 60?", "over 60"),
        ("I'm 25. Does my blood pressure change over 50?", "over 50"),
        ("I'm 25. Is the bus free over 60?", "over 60"),
        ("I'm 25. Is it open to 60 and over?", "60 and over"),
        ("I'm 25. My weight changed at 26.", "at 26"),
        ("I'm 25. Is it for adults between 60 and 70?", "between 60 and 70"),
        ("I'm 25. How old must one be? 65 or above?", "65 or above"),
        ("My young friend wants to retire at 50.", "at 50"),
        ("I'm 25 with 40 years until retirement.", "40 years until"),
        ("I'm 25 and plan to work another 40 years.", "another 40 years"),
        ("I'm 23, am I too young to be a manager?", "too young"),
        ("My 25-year-old daughter wants a loan.", "daughter"),
        ("A young girl lost her cat.", "girl"),
        ("I have two young children.", "children"),
        ("I'm 22 and just got my first job.", "first job"),
    ],
)
def test_an_age_that_somebody_old_has_passed_declines_the_text(
    lexicons: Lexicons, text: str, left: str
) -> None:
    done = rewrite(text, lexicons, attribute="age", to="old")
    assert (done.text, done.declined) == (None, Declined.TIED)
    assert left in done.detail


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I'm 64 and turning 65 in May.", "turning 65"),
        ("I'm 61. Can I collect at 62?", "at 62"),
        ("I'm 70 and live in a 55+ community.", "55+"),
        ("I'm 62 with 30 years' experience in sales.", "30 years' experience"),
        ("I'm 62 with 30+ yrs experience.", "30+ yrs experience"),
        ("I'm 68, have worked 40 years, and want a loan.", "worked 40 years"),
        ("I'm 62 and a 40-year veteran of the trade.", "40-year veteran"),
        ("I'm 62 with over three decades in sales.", "three decades"),
        ("I'm 62 and have decades of experience.", "decades of"),
        ("I'm 62 and have taught half a century.", "half a century"),
        ("My elderly aunt has worked for 40 years.", "for 40 years"),
        ("He is 61, 20 years older than his wife.", "20 years older"),
        ("I'm 66, our 40th anniversary is in May.", "our 40th anniversary"),
        ("A 68-year-old man with a 40 pack-year history.", "40 pack-year"),
        ("I'm 62 and have worked here since 2001.", "2001"),
        ("I'm 62 and bought my house in the 80s.", "80s"),
        ("I'm 61. Am I too old to learn Python?", "too old"),
        ("I feel old. I'm 66.", "feel old"),
        ("Am I old enough to apply?", "old enough"),
        ("My 72-year-old father wants a loan.", "father"),
        ("My mom is 70 and wants a loan.", "mom"),
        ("My elderly mother called.", "mother"),
        ("His elderly mother called.", "mother"),
        ("My dad wants a loan. He is 72.", "dad"),
    ],
)
def test_what_fits_nobody_young_declines_the_text(lexicons: Lexicons, text: str, left: str) -> None:
    done = rewrite(text, lexicons, attribute="age", to="young")
    assert (done.text, done.declined, done.detail) == (None, Declined.TIED, left)
