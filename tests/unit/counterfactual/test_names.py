"""First names: their shares, and partners that are one to one."""

from __future__ import annotations

from functools import cache

import pytest

from guard.counterfactual import bundled
from guard.counterfactual.names import NameRecord, NameTable, read_names
from guard.errors import SettingsError


@cache
def names() -> NameTable:
    return bundled().names


def test_shares() -> None:
    mary, jose = names().record("mary"), names().record("JOSE")
    assert mary is not None
    assert mary.female > 0.95
    assert jose is not None
    assert max(jose.ethnicities, key=lambda group: jose.ethnicities[group]) == "hispanic"
    assert names().record("Zzyzx") is None
    assert len(names()) > 5000


@pytest.mark.parametrize("gender", ["male", "female", "neutral"])
def test_partners_are_one_to_one_and_lead_back(gender: str) -> None:
    for other in {"male", "female", "neutral"} - {gender}:
        own = [record.name for record in names() if record.gender == gender]
        partners = {name: names().partner(name, gender=other) for name in own}
        known = {name: partner for name, partner in partners.items() if partner}
        assert len(set(known.values())) == len(known) > 300
        assert all(names().partner(known[name], gender=gender) == name for name in known)


def test_the_hundred_most_common_names_have_partners() -> None:
    common = [record.name for record in list(names())[:100]]
    lacking = [
        (name, gender)
        for name in common
        for gender in ("male", "female", "neutral")
        if names().partner(name, gender=gender) is None
    ]
    assert lacking == []


def test_a_partner_has_the_gender_and_ethnicity_that_is_asked_for() -> None:
    partner = names().partner("Jose", gender="female")
    record = names().record(partner or "")
    assert record is not None
    assert record.gender == "female"
    other = names().record(names().partner("Jose", ethnicity="black") or "")
    assert other is not None
    assert (other.gender, other.ethnicity) == ("male", "black")


def test_a_name_of_the_wanted_group_stays() -> None:
    assert names().partner("Mary", gender="female") == "Mary"
    assert names().partner("Zzyzx", gender="female") is None


def test_names_that_are_words_are_doubted() -> None:
    doubted = ["May", "Will", "Mark", "Grace", "Jordan", "Rose", "Bill", "Art", "Hope", "Frank"]
    assert [n for n in doubted if (r := names().record(n)) and r.person > 0.5] == []


def test_near_names_share_the_groups() -> None:
    near = names().near("James")
    genders = {record.gender for name in near if (record := names().record(name))}
    assert "James" not in near
    assert genders == {"male"}
    assert names().near("Zzyzx") == ()


def test_a_later_record_takes_the_place_of_an_earlier_one() -> None:
    names = [("Kim", 1.0), ("kim", 0.0)]
    table = NameTable(
        NameRecord(name=name, female=female, ethnicities={}, person=0.9) for name, female in names
    )
    record = table.record("Kim")
    assert record is not None
    assert record.female == 0.0
    assert len(table) == 1


@pytest.mark.parametrize("line", ["Kim\tmany\t1", "Kim\t0.5\t1\tx"])
def test_a_faulty_line_is_named(line: str) -> None:
    header = "name\tfemale\tperson\tasian\tblack\thispanic\twhite"
    with pytest.raises(SettingsError, match="x:2: not a name"):
        read_names(f"{header}\n{line}", "x")
    with pytest.raises(SettingsError, match="x: the header is"):
        read_names(line, "x")
