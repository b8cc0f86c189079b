"""Rules of neighbouring words see through what a display shows as a blank or as nothing."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, find, masked, rewrite, variants
from guard.counterfactual.display.shown import as_shown
from tests.bait import ABOUT_PEOPLE, much


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("her\ncard", "her card"),
        ("her\r\ncard", "her card"),
        ("> her \n>   card", "> her card"),
        ("her<br>\ncard", "her card"),
        ("her\\ncard", "her card"),
        ("He is\n72 years old", "He is 72 years old"),
        ("said Mary\nSmith today", "said Mary Smith today"),
        ("Mrs.\nSmith", "Mrs. Smith"),
        ("The White\nAlbum came out", "The White Album came out"),
        ("Tell\nRose that", "Tell Rose that"),
        ("<p>one</p>", "\none\n"),
        ("mother-in-\nlaw", "mother-in-law"),
        ("pre-\nand post-war", "pre- and post-war"),
        ("her **gold** card", "her gold card"),
        ("__her__ and _his_", "her and his"),
        ("her ~~old~~ card", "her old card"),
        ("her <b>gold</b> <span class='x'>card</span>", "her gold card"),
        ("her &quot;gold&quot;&nbsp;card", 'her "gold" card'),
        ("her \u00a0 card", "her card"),
        ("S\u00adh\u200be", "She"),
        ("\uff33\uff48\uff45 \U0001d42c\U0001d421\U0001d41e", "She she"),
        ("\u0455h\u0435", "she"),
        ('{"a": "her \\"gold\\" card"}', '{"a": "her "gold" card"}'),
    ],
)
def test_what_a_display_shows(written: str, shown: str) -> None:
    assert as_shown(written, bundled()).text == shown


@pytest.mark.parametrize(
    "text",
    [
        "I saw her.\nshe left",
        "I saw her\n\nshe left",
        "Her things:\n- card\n- key",
        "milk\n* bread\n* butter",
        "I called her\n1. today\n2. tomorrow",
        "a talk\nAgent: hello\nMary: yes",
        "Mary\nJohn\nPeter",
        "Hi Mary\nThanks for the call",
        "Kind regards,\nBheki",
        "Notes\nMary said",
        "Best Regards\nTom Smith, London",
        "a heading\n# her",
        "a    b\n| her | card |",
        "her a** off and f*** it",
        "2*3*4 and 5 * 6",
        "my_wife_name and _private",
        "```\nher = she\ncard = **x\n```",
        "`her_card  is` so",
        "C:\\new\\her",
        "\u0434\u0430 \u043d\u0435\u0442",
        "AT&T & Sons; R&D;",
        "left      right",
    ],
)
def test_what_is_shown_as_it_is_written(text: str) -> None:
    assert as_shown(text, bundled()).text == text


SENTENCES = (
    "My wife lost her~card yesterday and wants a new one.",
    "The nurse said she forgot her~password and needs a new one.",
    "The lady asked when her~appointment is.",
    "Please tell my wife that I saw her~at the station.",
    "My sister asked me to call her~tomorrow.",
    "Give the woman her~2019 report.",
)
MARKS = ("\n", "\r\n", " \n", "\n    ", "\n> ", "<br>", "<br/>\n", " **", "\u00a0", "&nbsp;", "\\n")


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_her_has_the_same_role_with_any_blank(sentence: str, mark: str) -> None:
    plain = rewrite(sentence.replace("~", " "), bundled(), attribute="gender", to="male").text
    made = rewrite(sentence.replace("~", mark), bundled(), attribute="gender", to="male").text
    assert plain is not None
    assert made is not None
    assert made.replace(mark, " ") == plain
    assert mark in made


@pytest.mark.parametrize("mark", ["\n", "\n> ", "<br>", " **"])
@pytest.mark.parametrize(
    "sentence",
    [
        "A Black~engineer applied for a loan.",
        "An Indian~restaurant opened here.",
        "A gay~man asked for a loan.",
        "The blind~spot of the mirror.",
        "Mary~Smith lost her card.",
        "DeShawn~Jackson lost his card.",
        "The old~car broke down.",
        "My wife turned~65 last year.",
        "He is~72 years old.",
        "Young~people are welcome.",
        "The German~shepherd barked at me.",
        "Send it to Ms.~Jones please.",
        "The retirement age of~67 is low.",
    ],
)
def test_the_same_people_are_found_with_any_blank(sentence: str, mark: str) -> None:
    def people(text: str) -> list[tuple[str, str, str]]:
        found = find(text, bundled()).mentions
        return [(one.form.attribute, one.form.group, one.form.text) for one in found]

    assert people(sentence.replace("~", mark)) == people(sentence.replace("~", " "))


def test_places_are_those_of_the_text_as_written() -> None:
    text = "I saw **her** and&nbsp;\n> _Mary_ <b>Smith</b>, the&quot;lady&quot;."
    found = find(text, bundled(), attributes=("gender",)).mentions
    assert [text[one.span.start : one.span.end] for one in found] == ["her", "Mary", "lady"]
    made = rewrite(text, bundled(), attribute="gender", to="male")
    assert made.text is not None
    for one in made.replacements:
        assert text[one.span.start : one.span.end] == one.old
        assert made.text[one.at.start : one.at.end] == one.new


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "My wife left. Tell _her_ that __she__ can.",
            "My husband left. Tell _him_ that __he__ can.",
        ),
        ("The woman lost her $50 voucher.", "The man lost his $50 voucher."),
        ("We gave her $50.", "We gave him $50."),
        ("The woman lost her 50% discount.", "The man lost his 50% discount."),
        ("The woman lost her #1 card.", "The man lost his #1 card."),
        ("The woman lost her {product} card.", "The man lost his {product} card."),
        ("The woman lost her, uh, card.", "The man lost his, uh, card."),
        ("The woman lost her – very old – card.", "The man lost his – very old – card."),
        ("The woman lost her/my card.", "The man lost his/my card."),
        ("I saw her – she left.", "I saw him – he left."),
        ("The woman lost her &lt;card&gt;.", "The man lost his &lt;card&gt;."),
        ("<li>The woman</li><li>Her card</li>", "<li>The man</li><li>His card</li>"),
        ("I saw her... She left.", "I saw him... He left."),
        ("The woman lost her\nIBAN.", "The man lost his\nIBAN."),
        ("She forgot.\\n\\nHer PIN. \\nShe left.", "He forgot.\\n\\nHis PIN. \\nHe left."),
        ("A mentally\nill woman", "A mentally\nill man"),
    ],
)
def test_what_is_hers_behind_marks(text: str, expected: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").text == expected


@pytest.mark.parametrize(
    "end",
    [
        *(" #blessed", " #blessed.", " #so_blessed #fun", " @home", " @home!", " 😍", " 😍!", " ❤️"),
        *(
            " 👩🏽\u200d⚕️",
            "\n😀",
            " 😍 #blessed",
            " 😍😍 She left.",
            "😍, and she knows",
            " 😍\nShe left",
        ),
        *(" – no answer – twice", ", uh, twice", ", uh, twice."),
    ],
)
@pytest.mark.parametrize("start", ["I love ", "My girlfriend is great ❤️ I saw ", "I called "])
def test_nothing_is_hers_before_what_ends_a_sentence(start: str, end: str) -> None:
    made = rewrite(f"{start}her{end}", bundled(), attribute="gender", to="male").text
    expected = f"{start}him{end}"
    assert made == expected.replace("girlfriend", "boyfriend").replace("She", "He").replace(
        "she ", "he "
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The man lost his $50 voucher.", "The woman lost her $50 voucher."),
        ("The man lost his {product} card.", "The woman lost her {product} card."),
        ("The man lost his, uh, card.", "The woman lost her, uh, card."),
        ("The man is sure that the card is his 😍", "The woman is sure that the card is hers 😍"),
        ("The man lost his\n> card.", "The woman lost her\n> card."),
    ],
)
def test_what_is_his_behind_marks(text: str, expected: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="female").text == expected


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("The woman lost her 2 cards.", "her"),
        ("The woman lost her $50.", "her"),
        ("I love her \U0001f4b3 card.", "her"),
        ("I LOVE HER \U0001f4b3 CARD", "HER"),
        ("The woman lost her \U0001f4b3.", "her"),
        ("She sees her \U0001f4b3.", "her"),
        ("I saw her \U0001f4b3 ... card.", "her"),
        ("I love her \U0001f60d\n\ncard", "her"),
        ("I love her #gold card.", "her"),
        ("I saw her @home today.", "her"),
        ("I saw her @mary.smith card.", "her"),
        ("I saw her \U0001f4b3card.", "her"),
        ("I saw her \U0001f4b3, uh, card.", "her"),
        ("The woman lost her @handle.", "her"),
        ("I called her – very old – twice as much", "her"),
        ("We sent her {offer} today.", "her"),
        ("The woman lost her ... card.", "her"),
        ("I love her\nRoses are red", "her"),
        ("The woman lost her\n\ncard.", "her"),
        ("<p>The woman lost her</p><p>card.</p>", "her"),
        ("The woman paid her 2 fees.", "her"),
        ("My wife left. S\u200bhe is sad.", "She"),
        ("My wife left. \uff33\uff48\uff45 is sad.", "She"),
        ("My wife left. **S**he is sad.", "She"),
        ("My mother-in-\nlaw called.", "mother-in-law"),
    ],
)
def test_doubt_declines(text: str, detail: str) -> None:
    made = rewrite(text, bundled(), attribute="gender", to="male")
    assert (made.text, made.declined, made.detail) == (None, Declined.UNSURE, detail)


@pytest.mark.parametrize("text", ["My wife left. My_wife is sad.", "The woman is her_boss."])
def test_parts_of_joined_words_tie_the_text(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").declined is Declined.TIED


def test_terms_keep_the_blanks_between_their_words() -> None:
    made = variants(["A mentally\nill man left."], bundled(), "disability", to=["chronically_ill"])
    assert made["chronically_ill"][0].text == "A chronically\nill man left."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tell _her_ now.", "Tell _X_ now."),
        ("S\u00adhe \uff53\uff48\uff45 \u0455h\u0435 left.", "X X X left."),
        ("An\nactress left.", "A\nX left."),
        ("**S**he left.", "**X left."),
    ],
)
def test_masks_hide_what_is_shown(text: str, expected: str) -> None:
    assert masked(text, bundled(), "gender", mark="X") == expected


@pytest.mark.slow
@pytest.mark.parametrize("piece", ABOUT_PEOPLE)
def test_much_bait_is_rewritten_or_declined(piece: str) -> None:
    """Or this does not end: how time grows, `bench_growth` says."""
    text = "My wife lost her card. " + much(piece, 10_000)
    made = rewrite(text, bundled(), attribute="gender", to="male")
    assert (made.text is None) is (made.declined is not None)
