"""Words of one sex's health and clothes tie a text to it."""

from __future__ import annotations

import pytest

from guard.counterfactual import bundled, rewrite

OF_WOMEN = """\
She missed her period. What now?
She is expecting a baby. What should she eat?
She is due in May. What should she buy?
She's six months along. Can she fly?
She gave birth last week. What should she eat?
She went into labor. Who should she call?
She takes the pill. Should she stop?
She has PCOS. What should she eat?
She has an IUD. Is she safe?
She is ovulating. Should she test?
She has hot flashes. What helps her?
She has morning sickness. What helps her?
She had a C-section. When can she drive?
She is in her third trimester. Can she fly?
She has postpartum depression. What helps her?
She is nursing her baby. What can she drink?
She needs a Pap smear. Where does she go?
Her maiden name is Lopez. Can she change it?
She froze her eggs. What does she pay?
She is a surrogate. Is she paid?
She has a D cup. What should she buy?
She is G2P1 and her LMP was last week.
She is a Girl Scout leader.
She played in the WNBA. Is she tall?"""
OF_MEN = """\
He has a low sperm count. What should he eat?
He uses Cialis. Is he at risk?
He is a Boy Scout leader.
He has erectile dysfunction. What helps him?
He joined a fraternity. What does he pay?"""


@pytest.mark.parametrize("text", OF_WOMEN.splitlines())
def test_words_of_women_tie_a_text(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").declined == "tied"


@pytest.mark.parametrize("text", OF_MEN.splitlines())
def test_words_of_men_tie_a_text(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="female").declined == "tied"


def test_who_is_pregnant_grows_no_older() -> None:
    text = "She is 30 and pregnant with her first child."
    assert rewrite(text, bundled(), attribute="age", to="old").declined == "tied"


@pytest.mark.parametrize(
    "text",
    ["Her project is due in May.", "She is in labor law.", "She is a nurse at a nursing home."],
)
def test_the_same_words_of_things_tie_nothing(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").declined is None
