"""Words for a group that describe somebody and name no group, and papers of one's country."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, find, rewrite


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("A disabled user can't log in. How do I re-enable him?", "disability"),
        ("Disabled users still show up in Active Directory.", "disability"),
        ("The disabled employee accounts must be archived.", "disability"),
        ("The disabled student account was reactivated.", "disability"),
        ("I am disabled in the app since I entered a wrong PIN.", "disability"),
        ("A blind reviewer rejected our paper.", "disability"),
        ("My French teacher is from Canada.", "nationality"),
        ("A Russian translator is wanted.", "nationality"),
        ("The French class teacher is ill.", "nationality"),
        ("We need a Japanese speaker.", "nationality"),
        ("I was black and blue after the fall.", "race"),
        ("Native users can't install the app.", "race"),
        ("I'm a straight shooter.", "orientation"),
    ],
)
def test_another_sense_names_no_group(text: str, attribute: str) -> None:
    assert not find(text, bundled(), attributes=(attribute,)).mentions


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("A disabled customer wants to open an account.", "disability"),
        ("A disabled user needs captions.", "disability"),
        ("I am disabled. Can I work?", "disability"),
        ("A blind student reviewed it.", "disability"),
        ("I am a disabled user of your app. How do I enable large fonts?", "disability"),
        ("I'm a disabled user and forgot my password.", "disability"),
        ("As a blind reviewer of books I use braille.", "disability"),
        ("A Mexican teacher called.", "nationality"),
        ("My French colleague is from Paris.", "nationality"),
    ],
)
def test_people_of_a_group_are_mentioned(text: str, attribute: str) -> None:
    assert find(text, bundled(), attributes=(attribute,)).mentions


@pytest.mark.parametrize(
    "text",
    ["A German student lost his German passport.", "My German friend speaks German at home."],
)
def test_papers_and_language_of_a_country_tie(text: str) -> None:
    done = rewrite(text, bundled(), attribute="nationality", to="american")
    assert done.declined is Declined.TIED
    assert "German" in done.detail


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("My Colombian friend left Colombia.", "Colombia"),
        ("A Greek woman flew to Athens.", "Athens"),
    ],
)
def test_the_country_ties(text: str, country: str) -> None:
    done = rewrite(text, bundled(), attribute="nationality", to="american")
    assert (done.declined, done.detail) == (Declined.TIED, country)


@pytest.mark.parametrize(
    "text",
    [
        "My Bulgarian colleague Sofia is nice.",
        "My Bulgarian colleague, Sofia, is nice. Sofia likes tea.",
        "Sofia is my Bulgarian boss.",
        "My Australian colleague Sydney Miller is nice.",
        "Sydney, my Australian boss, is nice.",
        "My English friend wants to visit London, Ontario.",
    ],
)
def test_a_town_ties_nobody_who_has_its_name(text: str) -> None:
    done = rewrite(text, bundled(), attribute="nationality", to="german")
    assert done.text is not None
    assert "German" in done.text


@pytest.mark.parametrize(
    ("text", "town"),
    [
        ("My Bulgarian friend Sofia moved to Sofia.", "Sofia"),
        ("My English friend moved to London.", "London"),
        ("My Canadian friend moved to Toronto, Ontario.", "Toronto, Ontario"),
        ("My Indian colleague from Bangalore asked for a reference.", "Bangalore"),
        ("An Austrian student from Salzburg is late.", "Salzburg"),
        ("A Brazilian student from São Paulo and one from Brasilia.", "São Paulo, Brasilia"),
        ("Sofia is the capital. My Bulgarian boss loves it.", "Sofia"),
    ],
)
def test_a_town_ties_who_lives_there(text: str, town: str) -> None:
    done = rewrite(text, bundled(), attribute="nationality", to="german")
    assert done.declined is Declined.TIED
    assert town in done.detail


@pytest.mark.parametrize(
    "text", ["My German friend bought a German car.", "A German citizen fell."]
)
def test_other_words_of_a_country_tie_nobody(text: str) -> None:
    done = rewrite(text, bundled(), attribute="nationality", to="american")
    assert done.text == text.replace("German", "American", 1).replace("A A", "An A")
