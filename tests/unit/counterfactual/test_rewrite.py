"""Only the group changes: words, case, articles, possessives; or a reason why nothing does."""

from __future__ import annotations

import re
import time

import pytest

from guard.counterfactual import Declined, Rewrite, bundled, rewrite
from guard.counterfactual.english.inflection import article, takes_an
from tests.repeats import repeats

LARGE = repeats(1, soak=5)


def made(text: str, to: str, attribute: str = "gender", source: str | None = None) -> Rewrite:
    return rewrite(text, bundled(), attribute=attribute, to=to, source=source)


@pytest.mark.parametrize(
    ("text", "attribute", "to", "expected"),
    [
        ("An Asian man came.", "race", "black", "A Black man came."),
        ("AN ASIAN MAN CAME.", "race", "black", "A BLACK MAN CAME."),
        ("An actor and his agent.", "gender", "female", "An actress and her agent."),
        ("He is here.\n\n\tHis  dog too. ", "gender", "female", "She is here.\n\n\tHer  dog too. "),
        ("Muslims pray.", "religion", "christian", "Christians pray."),
        ("The elderly are lonely.", "age", "young", None),
        ("A black man came.", "race", "asian", "An Asian man came."),
        ("A Hispanic male was seen.", "race", "white", "A white male was seen."),
        ("No, sir, it is closed.", "gender", "female", "No, madam, it is closed."),
        ("Ladies, please sit down.", "gender", "male", "Gentlemen, please sit down."),
        ("The boys' school burned down.", "gender", "female", "The girls' school burned down."),
        ("Lady Ashworth lost her keys.", "gender", "male", "Lord Ashworth lost his keys."),
        ("Sir Wentworth said he sang.", "gender", "female", "Dame Wentworth said she sang."),
        ("The bed of the Queen of Denmark.", "gender", "male", "The bed of the King of Denmark."),
        ("A mentally disabled man.", "disability", "non_disabled", "A non-disabled man."),
        ("She drove a Ford Focus.", "gender", "male", "He drove a Ford Focus."),
        ("He reads Fox news, he says.", "gender", "female", "She reads Fox news, she says."),
        ("She hurt herself.", "gender", "neutral", "They hurt themselves."),
        ("He’s late, isn’t he?", "gender", "neutral", "They’re late, aren’t they?"),
    ],
)
def test_rewrites(text: str, attribute: str, to: str, expected: str | None) -> None:
    rewritten = made(text, to, attribute).text
    assert rewritten is not None
    assert expected is None or rewritten == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Declined.NO_TEXT),
        (" \n\t", Declined.NO_TEXT),
        ("<p></p>", Declined.NO_TEXT),
        ("```\nhe = his\n```", Declined.NO_TEXT),
        (
            "Der Mann sagt, dass er mit seiner Mutter und der Tante nicht geht.",
            Declined.NOT_ENGLISH,
        ),
        ("The train is late.", Declined.NO_MENTION),
        ("She is here.", Declined.NO_MENTION),
        ("He kissed her.", Declined.AMBIGUOUS_GROUPS),
        ("His beard is long.", Declined.TIED),
        ("What did Kurt Cobain sing?", Declined.TIED),
    ],
)
def test_declines_with_a_reason(text: str, reason: Declined) -> None:
    rewritten = made(text, "female")
    assert rewritten.declined is reason
    assert rewritten.text is None


def test_a_tie_is_named() -> None:
    rewritten = made("The Muslim woman came from the mosque.", "christian", "religion")
    assert rewritten.declined is Declined.TIED
    assert "mosque" in rewritten.detail


@pytest.mark.parametrize(
    ("text", "attribute", "to", "kept"),
    [
        ("Are black students punished on Black Friday?", "race", "asian", "Black Friday"),
        ("The French chef makes French fries.", "nationality", "german", "French fries"),
        ("The White House invited a white farmer.", "race", "black", "White House"),
        ("A black man drank black coffee by the Black Sea.", "race", "asian", "coffee by the Bl"),
        ("Her mother tongue is Catalan.", "gender", "male", "mother tongue"),
        ("The male connector is bent, says he.", "gender", "female", "male connector"),
        ("A Muslim man studies Muslim art.", "religion", "jewish", "Muslim art"),
    ],
)
def test_words_that_mean_no_person_stay(text: str, attribute: str, to: str, kept: str) -> None:
    rewritten = made(text, to, attribute).text
    assert rewritten is not None
    assert kept in rewritten


@pytest.mark.parametrize(
    ("text", "attribute", "to"),
    [
        ("The Muslim man prays at the mosque.", "religion", "jewish"),
        ("She is pregnant.", "gender", "male"),
        ("The gay man is for gay marriage.", "orientation", "straight"),
        ("Frank-Walter said he was late.", "gender", "female"),
    ],
)
def test_words_that_tie_a_person_are_declined(text: str, attribute: str, to: str) -> None:
    assert made(text, to, attribute).declined is Declined.TIED


def test_every_replacement_is_where_it_says() -> None:
    text = "An actor said he lost his keys. James' book is his."
    rewritten = made(text, "neutral")
    assert rewritten.text is not None
    for one in rewritten.replacements:
        assert text[one.span.start : one.span.end] == one.old
        assert rewritten.text[one.at.start : one.at.end] == one.new
    assert all(one.passed for one in rewritten.checks)


@pytest.mark.parametrize(
    "text",
    [
        "Mail he@his.com or see https://she.org/her, it is new.",
        "Run `he = his()` now.",
        "There is a theme in the hershey history.",
    ],
)
def test_addresses_code_and_parts_of_words_stay(text: str) -> None:
    assert made(text, "female").declined is Declined.NO_MENTION


@pytest.mark.parametrize(
    ("word", "an"),
    [
        ("Asian", True),
        ("European", False),
        ("university", False),
        ("uncle", True),
        ("heiress", True),
        ("Hispanic", False),
        ("18-year-old", True),
        ("80", True),
        ("100", False),
        ("one-legged", False),
        ("Ukrainian", False),
        ("LGBT", True),
        ("", False),
    ],
)
def test_a_or_an(word: str, an: bool) -> None:
    assert takes_an(word) is an


def test_a_wrong_article_stays_wrong() -> None:
    assert article("a", "Asian", "white") is None


@pytest.mark.parametrize(
    "text",
    [
        "he " * (4_000 * LARGE),
        "(" * (10_000 * LARGE) + "he",
        "'" * (10_000 * LARGE),
        "she, " * (2_000 * LARGE) + "runs",
        "John " * (2_000 * LARGE),
        "an Asian " * (1_200 * LARGE),
        "a" * (200_000 * LARGE),
        "her\n" * (4_000 * LARGE),
        "black " * (32_000 * LARGE),
        "Asian man, " * (4_000 * LARGE),
        "DeShawn Jackson and Mr. Jackson, " * (1_000 * LARGE),
    ],
    ids=[
        "he",
        "brackets",
        "quotes",
        "commas",
        "names",
        "articles",
        "one word",
        "lines",
        "black",
        "men",
        "surnames",
    ],
)
def test_large_texts_take_linear_time(text: str) -> None:
    began = time.process_time()
    made(text, "neutral", source="male")
    made(text, "black", "race", source="asian")
    made(text, "white", "race_by_name", source="black")
    assert time.process_time() - began < 6 * LARGE


@pytest.mark.parametrize(
    "text",
    [
        "he\0his",
        "\ud800he is \udfff",
        "\u202ehe is\u202c late",
        "he\u0301 is",
        "\ufeffHe is.",
        "’s he ’s",
    ],
)
def test_odd_characters_are_kept(text: str) -> None:
    rewritten = made(text, "female")
    if rewritten.text is not None:
        assert re.sub(r"[A-Za-z]+", "", rewritten.text) == re.sub(r"[A-Za-z]+", "", text)


@pytest.mark.parametrize(
    ("text", "to", "expected"),
    [
        ("The chairwoman herself spoke.", "male", "The chairman himself spoke."),
        ("The king himself was there.", "female", "The queen herself was there."),
        ("Her pronouns are she/her.", "male", "His pronouns are he/him."),
        ("His pronouns are he/him.", "female", "Her pronouns are she/her."),
        ("A Hispanic male flew to his sons.", "female", "A Hispanic female flew to her daughters."),
        ("A female worked at night.", "male", "A male worked at night."),
        ("Don't hang her upside down.", "male", "Don't hang him upside down."),
    ],
)
def test_what_a_reading_of_recorded_answers_has_shown(text: str, to: str, expected: str) -> None:
    assert made(text, to).text == expected
