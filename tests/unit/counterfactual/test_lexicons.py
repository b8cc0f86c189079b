"""The shipped lexicons are whole, and a faulty one is refused with both places named."""

from __future__ import annotations

from collections import Counter
from importlib import resources

import pytest

from guard.counterfactual import Form, Kind, bundled
from guard.counterfactual.lexicons.files import ATTRIBUTES, extended, read_sheet
from guard.counterfactual.lexicons.forms import SLOTS, Entry
from guard.errors import SettingsError


def form(text: str, slot: str, attribute: str) -> Form:
    first = text.lower().replace("-", " ").split()[0].rstrip(".")
    found = bundled().forms(first)
    return next(
        one
        for one in found
        if (one.text.lower(), one.slot, one.attribute) == (text.lower(), slot, attribute)
    )


def counterpart(text: str, slot: str, attribute: str, group: str) -> str | None:
    found = bundled().counterpart(form(text, slot, attribute), group)
    return None if found is None else found.text


def own(group: str, text: str, attribute: str = "gender") -> Entry:
    made = Form(
        text=text,
        attribute=attribute,
        group=group,
        kind=Kind.NOUN,
        slot="sg",
        row="own",
        person=0.9,
    )
    return Entry(form=made, where=f"own:{group}")


def test_the_attributes_and_their_sizes() -> None:
    told = ("race_by_name", "religion_by_name")
    assert tuple(bundled().attributes) == (*ATTRIBUTES, *told)
    assert bundled().attributes["gender"] == ("male", "female", "neutral")
    assert len(bundled().attributes["nationality"]) >= 60
    rows = {entry.form.row for entry in bundled().entries if entry.form.attribute == "gender"}
    assert len(rows) >= 200


def test_every_form_has_a_slot_of_its_kind() -> None:
    assert all(entry.form.slot in SLOTS[entry.form.kind] for entry in bundled().entries)


@pytest.mark.parametrize("attribute", [name for name in ATTRIBUTES if name != "gender"])
def test_every_word_has_a_counterpart_in_every_group(attribute: str) -> None:
    missing = [
        (entry.form.text, group)
        for entry in bundled().entries
        if entry.form.attribute == attribute
        and not entry.form.generic
        and entry.form.sense not in ("minor", "pension")
        for group in bundled().attributes[attribute]
        if bundled().counterpart(entry.form, group) is None
    ]
    assert missing == []


def test_nearly_every_gendered_word_has_one() -> None:
    forms = [e.form for e in bundled().entries if e.form.attribute == "gender"]
    groups = bundled().attributes["gender"]
    pairs = [(f, group) for f in forms for group in groups if not f.generic and f.group != group]
    missing = Counter(group for f, group in pairs if bundled().counterpart(f, group) is None)
    assert sum(missing.values()) / len(pairs) < 0.02, missing


@pytest.mark.parametrize(
    ("text", "slot", "attribute", "group", "other"),
    [
        ("her", "possessive", "gender", "male", "his"),
        ("her", "object", "gender", "male", "him"),
        ("hers", "possessive.pronoun", "gender", "male", "his"),
        ("himself", "reflexive", "gender", "neutral", "themselves"),
        ("actresses", "pl", "gender", "male", "actors"),
        ("Mrs.", "title", "gender", "male", "Mr."),
        ("heroine", "sg", "gender", "male", "hero"),
        ("spinster", "sg", "gender", "male", "bachelor"),
        ("mother-in-law", "sg", "gender", "male", "father-in-law"),
        ("mothers-in-law", "pl", "gender", "neutral", "parents-in-law"),
        ("boyfriend", "sg", "gender", "neutral", "partner"),
        ("Latina", "sg", "race", "asian", "Asian woman"),
        ("African-American", "adj", "race", "asian", "Asian American"),
        ("Frenchman", "sg", "nationality", "german", "German man"),
        ("Frenchwomen", "pl", "nationality", "german", "German women"),
        ("Poles", "pl", "nationality", "chinese", "Chinese people"),
        ("Jews", "pl", "religion", "muslim", "Muslims"),
        ("Shiite", "sg", "religion", "christian", "Christian"),
        ("lesbian", "sg", "orientation", "straight", "straight woman"),
        ("seniors", "pl", "age", "young", "young people"),
        ("with a disability", "adj", "disability", "non_disabled", "without a disability"),
    ],
)
def test_counterparts(text: str, slot: str, attribute: str, group: str, other: str) -> None:
    assert counterpart(text, slot, attribute, group) == other


def test_synonyms_have_the_same_group_slot_and_sense() -> None:
    found = [one.text for one in bundled().synonyms(form("man", "sg", "gender"))]
    assert "guy" in found
    assert "man" not in found
    assert "actor" not in found
    assert "mom" in [one.text for one in bundled().synonyms(form("mother", "sg", "gender"))]


def test_a_word_in_two_groups_is_refused_and_both_are_named() -> None:
    with pytest.raises(SettingsError, match=r"own:female: 'Uncle' .* gender\.tsv:\d+ has 'uncle'"):
        extended({}, [own("female", "Uncle")])


def test_two_attributes_may_share_a_word() -> None:
    both = extended({"kin": ("a", "b")}, [own("a", "uncle", "kin")])
    assert {one.attribute for one in both.forms("uncle")} == {"gender", "kin"}


def test_a_group_must_be_declared_and_a_word_have_letters() -> None:
    with pytest.raises(
        SettingsError, match=r"own:green: 'race' has no group 'green'; it has black"
    ):
        extended({}, [own("green", "greens", "race")])
    with pytest.raises(SettingsError, match=r"own:male: '\?!' has no letters"):
        extended({}, [own("male", "?!")])


HEADER = "row\tkind\tslots\tperson\ta\tb"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.tsv: the file has no header"),
        ("a\tb\n", "x.tsv: a header begins with"),
        (f"{HEADER}\nr\tnoun\tsg\t1\ta\tb\tc", "x.tsv:2: 7 columns, but the header has 6"),
        (f"{HEADER}\nr\tnoun\tsubject\t1\ta\tb", "x.tsv:2: 'noun' has no slots 'subject'"),
        (f"{HEADER}\nr\tverb\tsg\t1\ta\tb", "x.tsv:2: 'verb' has no slots"),
        (f"{HEADER}\nr\tnoun\tsg\tmuch\ta\tb", "x.tsv:2: `person` is above 0 .* not 'much'"),
        (f"{HEADER}\nr\tnoun\tsg\t0\ta\tb", "x.tsv:2: `person`"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read_sheet(text, "x", "x.tsv")


def test_the_files_are_small() -> None:
    folder = resources.files("guard.counterfactual.lexicons") / "data"
    sizes = {file.name: len(file.read_bytes()) for file in folder.iterdir()}
    assert sizes["names.tsv"] <= 400_000
    assert sum(sizes.values()) <= 1_000_000
