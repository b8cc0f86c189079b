"""First names: their shares, and partners that are one to one."""

from __future__ import annotations

from functools import cache

import pytest

from guard.counterfactual import bundled
from guard.counterfactual.names import (
    NameRecord,
    NameTable,
    SurnameTable,
    read_backgrounds,
    read_names,
)
from guard.errors import SettingsError


@cache
def names() -> NameTable:
    return bundled().people.first


@cache
def surnames() -> SurnameTable:
    return bundled().people.surnames


def record(name: str) -> NameRecord:
    found = names().record(name)
    assert found is not None, name
    return found


def test_what_is_known_of_a_name() -> None:
    mary, jose, emma = record("mary"), record("JOSE"), record("Emma")
    assert mary.female > 0.95
    assert (mary.generation, emma.generation) == ("old", "recent")
    assert jose.background == "hispanic"
    assert names().record("Zzyzx") is None
    assert len(names()) > 8000
    assert len({one.background for one in names() if one.background}) == 23


@pytest.mark.parametrize("gender", ["male", "female"])
def test_partners_lead_back_unless_there_are_more_names_than_partners(gender: str) -> None:
    other = {"male": "female", "female": "male"}[gender]
    own = [one.name for one in names() if one.gender == gender]
    partners = {name: names().partner(name, gender=other) for name in own}
    there = {name: partner for name, partner in partners.items() if partner}
    back = {name: names().partner(there[name], gender=gender) for name in there}
    assert len(there) > 0.95 * len(own)
    assert sum(back[name] == name for name in there) > 0.5 * len(there)
    assert all(there[back[name] or ""] == there[name] for name in there if back[name] in there)


def test_a_partner_has_the_same_background_and_generation() -> None:
    pairs = [
        (one, record(partner))
        for one in names()
        for gender in ({"male", "female"} - {one.gender} if one.gender != "neutral" else ())
        if (partner := names().partner(one.name, gender=gender))
    ]
    assert {one.background for one, _ in pairs} == {one.background for _, one in pairs}
    assert [(a.name, b.name) for a, b in pairs if a.background != b.background] == []
    assert [
        (a.name, b.name)
        for a, b in pairs
        if a.generation != b.generation and (a.generation, b.generation) != ("recent", "young")
    ] == []


@pytest.mark.parametrize("background", sorted({one.background for one in names()} - {""}))
def test_every_background_has_twenty_names_of_each_sex(background: str) -> None:
    own = [one for one in names() if one.background == background]
    for gender in ("male", "female"):
        assert sum(one.gender == gender for one in own) >= 20, (background, gender)


def test_the_hundred_most_common_names_have_partners() -> None:
    common = [record.name for record in list(names())[:100]]
    lacking = [
        (name, gender)
        for name in common
        for gender in ("male", "female", "neutral")
        if names().partner(name, gender=gender) is None
    ]
    assert lacking == []


def test_a_partner_of_another_background_keeps_gender_and_generation() -> None:
    for name in ("DeShawn", "Lakisha", "Juan", "Fatima", "Connor", "Mei"):
        other = record(names().partner(name, background="white") or "")
        own = record(name)
        assert (other.gender, other.background) == (own.gender, "white")
        assert other.generation == own.generation


def test_a_name_of_the_wanted_group_stays() -> None:
    assert names().partner("Mary", gender="female") == "Mary"
    assert names().partner("Zzyzx", gender="female") is None


def test_a_name_of_which_too_little_is_known_has_no_partner() -> None:
    table = NameTable(
        NameRecord(name=name, female=female, person=0.9, born=born, background=background)
        for name, female, born, background in [
            ("Ann", 1.0, 1970, "white"),
            ("Abe", 0.0, 1970, "white"),
            ("Una", 1.0, None, "white"),
            ("Ida", 1.0, 1970, ""),
        ]
    )
    partners = {name: table.partner(name, gender="male") for name in ("Ann", "Una", "Ida")}
    assert partners == {"Ann": "Abe", "Una": None, "Ida": None}
    assert table.near("Una") == ()


@pytest.mark.parametrize(
    ("surname", "background"),
    [
        ("Washington", "black"),
        ("jackson", "black"),
        ("MURPHY", "white"),
        ("Garcia", "hispanic"),
        ("Khan", "south_asian_muslim"),
        ("Al-Sayed", "arab"),
        ("Smith", "american"),
        ("Zzyzx", ""),
    ],
)
def test_surnames_have_a_background(surname: str, background: str) -> None:
    assert surnames().background(surname) == background


def test_surnames_have_partners() -> None:
    partner = surnames().partner("Washington", "white")
    assert partner
    assert surnames().background(partner) == "white"
    assert surnames().partner("Zzyzx", "white") is None
    assert surnames().partner("Washington", "martian") is None
    near = {surnames().background(name) for name in surnames().near("Washington")}
    assert near == {"black"}
    assert surnames().near("Zzyzx") == ()


def test_names_that_are_words_are_doubted() -> None:
    doubted = ["May", "Will", "Mark", "Grace", "Jordan", "Rose", "Bill", "Art", "Hope", "Frank"]
    assert [n for n in doubted if (r := names().record(n)) and r.person > 0.5] == []


def test_near_names_share_the_groups() -> None:
    near = names().near("James")
    genders = {record(name).gender for name in near}
    assert "James" not in near
    assert genders == {"male"}
    assert names().near("Zzyzx") == ()


def test_a_later_record_takes_the_place_of_an_earlier_one() -> None:
    names = [("Kim", 1.0), ("kim", 0.0)]
    table = NameTable(NameRecord(name=name, female=female, person=0.9) for name, female in names)
    kim = table.record("Kim")
    assert kim is not None
    assert kim.female == 0.0
    assert len(table) == 1


@pytest.mark.parametrize("line", ["Kim\tmany\t1\t\t", "Kim\t0.5\t1\tx", "Kim\t0.5\t1\tlong\tx"])
def test_a_faulty_line_is_named(line: str) -> None:
    header = "name\tfemale\tperson\tborn\tbackground"
    with pytest.raises(SettingsError, match="x:2: not a name"):
        read_names(f"{header}\n{line}", "x")
    with pytest.raises(SettingsError, match="x: the header is"):
        read_names(line, "x")


def test_the_first_background_of_a_group_stands_for_it() -> None:
    header = "background\trace\treligion"
    told = read_backgrounds(f"{header}\na\tx\t\nb\tx\tz\nc\t\t", "x")
    assert told.attributes == {"race": ("x",), "religion": ("z",)}
    assert (told.group("b", "race"), told.group("c", "race")) == ("x", "")
    assert (told.typical("race", "x"), told.typical("religion", "z")) == ("a", "b")
    assert told.typical("race", "y") == ""
