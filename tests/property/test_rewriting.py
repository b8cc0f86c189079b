"""Whatever the text: nothing but the listed spans changes, and there and back restores it."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from guard.counterfactual import bundled, find, masked, rewrite
from guard.counterfactual.display.shown import as_shown
from guard.counterfactual.validity import may_name

PIECES = st.sampled_from(
    [
        *("he", "his", "him", "hers", "her", "she", "they", "himself", "a", "an", "actor", "John"),
        *("Mary", "Mr.", "is", "does", "has", "walks", "and", "or", "gave", "saw", "who", "the"),
        *("Asian", "Black", "Muslim", "women", "men's", "’s", "'s", "n't", "/", "(", ")", ",", "."),
        *("\n", "  ", "\t", '"', "*", "_", "`", "\0", "\ud800", "\u202e", "İ", "ß", "é", "\u4f60"),
        *(
            "**",
            "__",
            "~~",
            "&quot;",
            "&nbsp;",
            "<b>",
            "</b>",
            "<br>",
            "\n> ",
            "\n- ",
            "\\n",
            '\\"',
        ),
        *("\u00ad", "\u200b", "\u00a0", "\uff33\uff48\uff45", "\u0455h\u0435", "$5", "#1", "{x}"),
    ]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES, max_size=40).map("".join)
)

# Pronouns whose role the place tells, names and nouns that have one partner each.
NOUNS = ("brother", "waiter", "king", "nephew", "husband", "uncle", "widower")
CLAUSES = st.sampled_from(
    [
        "{noun} said he lost his keys.",
        "He hurt himself, and I helped him to his car.",
        "Is the book his? He's sure it is his.",
        "My {noun} is late; tell him.",
        "Ask him about his {noun}, the {noun} of his.",
        "HE KNOWS. DOES HE?",
        "Mr. Baker met him today, and he told him that he likes his job.",
    ]
)
PASSAGES = st.lists(
    st.tuples(CLAUSES, st.sampled_from(NOUNS)).map(
        lambda pair: pair[0].format(noun=pair[1]).replace("brother said", "The brother said")
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


@given(TEXTS, st.sampled_from(["female", "male", "neutral"]))
def test_only_what_is_listed_changes(text: str, to: str) -> None:
    source = "female" if to != "female" else "male"
    made = rewrite(text, bundled(), attribute="gender", to=to, source=source)
    if made.text is None:
        assert made.declined is not None
        return
    assert all(one.passed for one in made.checks)
    pieces, end = [], 0
    for one in made.replacements:
        pieces += [made.text[end : one.at.start], one.old]
        end = one.at.end
    assert "".join([*pieces, made.text[end:]]) == text


@given(TEXTS)
def test_other_attributes_and_masks_never_fail(text: str) -> None:
    rewrite(text, bundled(), attribute="race", to="white", source="asian")
    masked(text, bundled(), "religion")


@given(TEXTS, st.sampled_from(["female", "male"]))
def test_a_text_that_passes_at_a_glance_names_nobody(text: str, group: str) -> None:
    if not may_name(as_shown(text, bundled()).text, bundled(), "gender", group):
        found = find(text, bundled(), attributes=("gender",)).mentions
        assert group not in {one.form.group for one in found}


@given(TEXTS)
def test_what_is_shown_is_written_in_the_same_order(text: str) -> None:
    shown = as_shown(text, bundled())
    spans = [shown.in_written(at, at + 1) for at in range(len(shown.text))]
    assert all(0 <= one.start < one.end <= len(text) for one in spans)
    assert all(one.start <= two.start and one.end <= two.end for one, two in pairwise(spans))
    assert all(0 <= one.start < one.end <= len(shown.text) for one in shown.untouchable)


@given(PASSAGES, st.sampled_from(["\n", "\r\n> ", "<br>", "\u00a0", "  ", "&nbsp;", " <b></b>"]))
def test_there_and_back_restores_wrapped_and_marked_texts(text: str, blank: str) -> None:
    written = text.replace(" ", blank)
    there = rewrite(written, bundled(), attribute="gender", to="female", source="male")
    plain = rewrite(text, bundled(), attribute="gender", to="female", source="male")
    if there.text is None:
        return
    assert there.text.replace(blank, " ") == plain.text
    back = rewrite(there.text, bundled(), attribute="gender", to="male", source="female")
    assert back.text == written


@given(PASSAGES)
def test_there_and_back_restores_the_text(text: str) -> None:
    there = rewrite(text, bundled(), attribute="gender", to="female", source="male")
    assert there.text is not None, there.detail
    back = rewrite(there.text, bundled(), attribute="gender", to="male", source="female")
    assert back.text == text
