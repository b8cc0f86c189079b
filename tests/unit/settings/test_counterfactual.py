"""The `counterfactual` section: words and names that a user adds."""

from __future__ import annotations

from functools import cache

import pytest

from guard.counterfactual import Lexicons, find
from guard.errors import SettingsError
from guard.settings import lexicons_of, parse_settings

GOOD = """
counterfactual:
  attributes:
    caste:
      groups: [dalit, brahmin]
      words:
        - forms:
            dalit: {adj: Dalit, sg: Dalit, pl: [Dalits, Dalit people]}
            brahmin: {adj: Brahmin, sg: Brahmin, pl: Brahmins}
    race:
      words:
        - {sense: race, forms: {black: {adj: Afro-Bahamian}}}
  names:
    - {name: Xochiquetzal, female: 1, born: 1990, background: hispanic}
"""


@cache
def lexicons(text: str) -> Lexicons:
    return lexicons_of(parse_settings(text).counterfactual)


def words(text: str, own: Lexicons) -> list[tuple[str, str]]:
    return [(text[m.span.start : m.span.end], m.form.group) for m in find(text, own).mentions]


def test_they_are_put_together_once() -> None:
    first, again = (lexicons_of(parse_settings(GOOD).counterfactual) for _ in range(2))
    assert first is again


def test_own_words_are_found_beside_the_shipped_ones() -> None:
    text = "Two Dalits met a Brahmin lawyer, Xochiquetzal and her Afro-Bahamian colleague."
    assert words(text, lexicons(GOOD)) == [
        ("Dalits", "dalit"),
        ("Brahmin", "brahmin"),
        ("Xochiquetzal", "female"),
        ("her", "female"),
        ("Afro-Bahamian", "black"),
    ]


def test_own_rows_have_counterparts_and_fall_back_to_the_sense_they_name() -> None:
    own = lexicons(GOOD)
    dalits = own.forms("dalits")[0]
    bahamian = next(form for form in own.forms("afro") if form.text == "Afro-Bahamian")
    found = own.counterpart(dalits, "brahmin"), own.counterpart(bahamian, "asian")
    assert [form and form.text for form in found] == ["Brahmins", "Asian"]
    assert [form.text for form in own.synonyms(dalits)] == ["Dalit people"]


def test_words_are_never_patterns() -> None:
    text = "counterfactual: {attributes: {race: {words: [{forms: {black: {adj: '(x+)+$ y'}}}]}}}"
    assert words("x" * 50_000, lexicons(text)) == []


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (
            "attributes: {race: {words: [{forms: {black: {adj: White}}}]}}",
            r"guard.yaml: counterfactual.attributes.race.words.0.forms.black.adj: 'White' stands"
            r" for race 'black', but race.tsv:\d+ has 'white' for 'white'",
        ),
        (
            "attributes: {x: {groups: [a, b], words: [{forms: {a: {sg: foo}, b: {sg: Foo}}}]}}",
            r"x.words.0.forms.b.sg: 'Foo' .* but counterfactual.attributes.x.words.0.forms.a.sg",
        ),
        (
            "attributes: {race: {words: [{forms: {green: {adj: Green}}}]}}",
            r"forms.green.adj: 'race' has no group 'green'; it has black, .*`groups`",
        ),
        ("attributs: {}", "counterfactual.attributs: unknown key; did you mean `attributes`"),
        ("names: [{name: '...', female: 1}]", "names.0.name: must be a word or term"),
        ("names: [{name: Ann, female: 2}]", "names.0.female: input should be less than or equal"),
        ("names: [{nam: Ann}]", "names.0.nam: unknown key; did you mean `name`"),
        (
            "names: [{name: Ann, female: 1, background: irish}]",
            "counterfactual.names.0.background: no background 'irish'; known: american, arab, ",
        ),
        ("attributes: {A B: {}}", "counterfactual.attributes.A B"),
        ("attributes: {race: {words: [{forms: {black: {verb: x}}}]}}", "black.verb"),
        ("attributes: {race: {words: [{forms: {black: {adj: []}}}]}}", "black.adj"),
    ],
)
def test_what_is_wrong_is_named_with_its_path(section: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        parse_settings(f"counterfactual: {{{section}}}")
