"""A word that is all a field says of somebody is a mention: found, rewritten, masked, counted."""

from __future__ import annotations

import json

import pytest

from guard.counterfactual import Declined, bundled, check, find, free_of_groups, masked, rewrite
from guard.counterfactual.masks import person_masks

ATTRIBUTES = ("race", "religion", "nationality", "gender", "disability", "orientation", "age")


@pytest.mark.parametrize(
    ("text", "attribute", "to", "told"),
    [
        ("Race: Black\nIncome: 50k", "race", "white", "Race: White\nIncome: 50k"),
        ('{"race":"black","income":5}', "race", "white", '{"race":"white","income":5}'),
        ('{"race":"white","income":5}', "race", "black", '{"race":"black","income":5}'),
        ("{'race': 'WHITE'}", "race", "asian", "{'race': 'ASIAN'}"),
        ('{"race": ["Black"]}', "race", "asian", '{"race": ["Asian"]}'),
        ('"applicant_race": "asian"', "race", "hispanic", '"applicant_race": "hispanic"'),
        ("applicantRace=Black&x=5", "race", "asian", "applicantRace=Asian&x=5"),
        ("Race/Ethnicity: Middle Eastern.", "race", "black", "Race/Ethnicity: Black."),
        ("Race: Black or African American", "race", "white", "Race: White"),
        ("Ethnic group - Black", "race", "white", "Ethnic group - White"),
        ("Race:\nBlack\nIncome:\n50k", "race", "white", "Race:\nWhite\nIncome:\n50k"),
        ("Race: Black and employed.", "race", "white", "Race: White and employed."),
        ("Race: black with two kids", "race", "white", "Race: white with two kids"),
        ("Race: Black (self-reported)", "race", "white", "Race: White (self-reported)"),
        ("Race: Black / income: 5", "race", "white", "Race: White / income: 5"),
        ("Race of applicant: Black", "race", "white", "Race of applicant: White"),
        ("`race`: Black", "race", "white", "`race`: White"),
        ("Religion: Hindu!", "religion", "muslim", "Religion: Muslim!"),
        ("Religious affiliation: Hindu", "religion", "jewish", "Religious affiliation: Jewish"),
        ("**Religion:** Christian", "religion", "hindu", "**Religion:** Hindu"),
        ("| Religion | Christian |", "religion", "hindu", "| Religion | Hindu |"),
        ("Faith: atheist", "religion", "muslim", "Faith: muslim"),
        ("Citizenship: Chinese", "nationality", "american", "Citizenship: American"),
        ("X | Nationality: German | 5", "nationality", "mexican", "X | Nationality: Mexican | 5"),
        ("Disability: Blind", "disability", "deaf", "Disability: Deaf"),
        ("Sexual orientation: straight", "orientation", "gay", "Sexual orientation: gay"),
        ("Patient sex: Female", "gender", "male", "Patient sex: Male"),
        ("Gender (M/F): F", "gender", "male", "Gender (M/F): M"),
        ('{"sex": "m"}', "gender", "female", '{"sex": "f"}'),
        ("Age group: elderly", "age", "young", "Age group: young"),
        ("Age group: young", "age", "old", "Age group: old"),
        ("Applicant (Black, 34) asks.", "race", "white", "Applicant (white, 34) asks."),
        ("My girlfriend (f, 24) asks.", "gender", "male", "My boyfriend (m, 24) asks."),
        ("The applicant (Black) asks.", "race", "white", "The applicant (white) asks."),
        ("Emily (Mexican, nurse)", "nationality", "german", "Emily (German, nurse)"),
        ("Her sex (female) is told.", "gender", "male", "His sex (male) is told."),
        ("Applicant: Muslim, 34", "religion", "jewish", "Applicant: Jewish, 34"),
        ("Applicant: Black, 34", "race", "white", "Applicant: White, 34"),
        ("**Suspect:** Black\nHeight: 180", "race", "white", "**Suspect:** White\nHeight: 180"),
        ("Customer: female; called", "gender", "male", "Customer: male; called"),
        ("name,gender\nx,female", "gender", "male", "name,gender\nx,male"),
        (
            "| Race | Income |\n|---|---|\n| Black | 50k |",
            "race",
            "white",
            "| Race | Income |\n|---|---|\n| White | 50k |",
        ),
    ],
)
def test_the_value_of_a_field_is_a_mention(text: str, attribute: str, to: str, told: str) -> None:
    assert not free_of_groups(text, bundled(), attribute)
    done = rewrite(text, bundled(), attribute=attribute, to=to)
    assert (done.text, done.declined) == (told, None)
    assert masked(text, bundled(), attribute) == masked(told, bundled(), attribute)


@pytest.mark.parametrize(
    ("text", "attribute", "to"),
    [
        ("Race: Black\nThe Black applicant wants a loan.", "race", "white"),
        ('{"religion":"Christian","note":"The Christian client"}', "religion", "muslim"),
        ("Sex: F\nShe wants a loan.", "gender", "male"),
        ("Gender: female. My female client wants leave.", "gender", "male"),
    ],
)
def test_no_field_keeps_the_old_group(text: str, attribute: str, to: str) -> None:
    done = rewrite(text, bundled(), attribute=attribute, to=to)
    assert done.text is not None
    groups = {
        one.form.group for one in find(done.text, bundled(), attributes=(attribute,)).mentions
    }
    assert groups == {to}


@pytest.mark.parametrize(
    ("original", "rewritten", "attribute", "source"),
    [
        (
            "Race: Black\nThe Black man asks.",
            "Race: Black\nThe white man asks.",
            "race",
            "black",
        ),
        ("Sex: F\nShe asks.", "Sex: F\nHe asks.", "gender", "female"),
    ],
)
def test_the_checks_see_a_field_that_kept_it(
    original: str, rewritten: str, attribute: str, source: str
) -> None:
    found = check(original, rewritten, bundled(), attribute, source)
    assert not found[0].passed


@pytest.mark.parametrize(
    ("attribute", "words"),
    [
        ("race", ["Black", "white", "asian", "middle eastern", "Native American", "multiracial"]),
        ("religion", ["muslim", "christian", "Hindu", "buddhist", "catholic", "pagan", "Bahá'í"]),
        ("orientation", ["gay", "straight", "bisexual"]),
        ("disability", ["blind", "deaf", "autistic", "disabled", "wheelchair user"]),
        ("nationality", ["Mexican", "german"]),
        ("gender", ["female", "Male", "F", "m"]),
    ],
)
def test_all_groups_have_one_mask(attribute: str, words: list[str]) -> None:
    records = [
        json.dumps({attribute: word, "x": 1}, ensure_ascii=ascii_only)
        for word in words
        for ascii_only in (True, False)
    ]
    assert {masked(record, bundled(), attribute) for record in records} == {
        json.dumps({attribute: "someone", "x": 1})
    }


@pytest.mark.parametrize(
    "text",
    [
        "Race: ____",
        "Religion: N/A",
        "Disability: none",
        "Gender (M/F):",
        "Gender: M/F",
        "sex: m | f | d",
        "Gender: male or female",
        "Gender: ☐ Male ☐ Female",
        "Gender:\nMale\nFemale\nOther",
        '"gender": "male|female"',
        'gender: "male" | "female"',
        '"gender": {"type": "string", "enum": ["male", "female"]}',
        "gender: ['male', 'female']",
        "gender:\n  - male\n  - female",
        "Religion: Christian, Muslim, Jewish or other",
        "Religion: Christian, other, none",
        "Race: Black, White, Asian",
        "Race: Black 13%, White 60%",
        "Race: Black and Asian",
        "Race: black cars win",
        "Race: Black/other",
        "Race: Black (13%)",
        "Race: German Grand Prix",
        "The race - black and long - ended.",
        "The faith: Christian values matter.",
        "Religion: Christian holidays",
        "SELECT * FROM p WHERE gender = 'male' AND race = 'Black'",
        "if gender == 'male':",
        "df[df['race'] == 'Black']",
        'partner("Mary", gender="female")',
        "Voice gender: female",
        "Orientation: landscape",
        "Background: Black",
        "| Race | Share |\n|---|---|\n| Black | 13 |\n| White | 60 |",
        "gender,count\nmale,5\nfemale,7",
        "Color: black, size: 34",
        "Agent: Which colour?\nCustomer: Black.",
        "as the author (Black, 2019) says",
        "my friend (black belt)",
        "Applicants (Black, white and Asian)",
        "Nurses (f, m)",
        "A shirt for my wife (M), please.",
        "Tenant: disabled, plan: pro",
        "Shirt (Black, 34)",
        "Jeans: Black, 34",
        "Race, color, and gender\nBlack, white, and red",
    ],
)
def test_what_may_be_answered_is_nobody(text: str) -> None:
    found = find(text, bundled(), attributes=ATTRIBUTES).mentions
    assert not [one for one in found if one.answers]


@pytest.mark.parametrize("opening", ["```json\n", "```\n", "~~~text\n"])
def test_a_record_in_a_fence_is_masked(opening: str) -> None:
    text = f'{opening}{{"gender": "female", "note": "She asks."}}\n{opening[:3]}\nSo.'
    expected = text.replace("female", "someone").replace("She", "someone")
    assert masked(text, bundled(), "gender") == expected


def test_code_in_a_fence_is_not_masked() -> None:
    text = "```python\nuser = {'race': 'Black'}\n```"
    assert masked(text, bundled(), "race") == text


def test_a_field_in_code_ties_the_text() -> None:
    text = "```python\nuser = {'race': 'Black'}\n```\nIs the Black user seen?"
    done = rewrite(text, bundled(), attribute="race", to="white")
    assert (done.declined, done.detail) == (Declined.TIED, "Black")


def test_a_record_of_two_people_names_both() -> None:
    text = '[{"gender": "male"}, {"gender": "female"}]'
    found = find(text, bundled(), attributes=("gender",)).mentions
    assert [one.form.group for one in found] == ["male", "female"]


def test_no_name_is_read_in_a_field() -> None:
    done = rewrite("Religion: Christian\nHe asks.", bundled(), attribute="gender", to="female")
    assert done.text == "Religion: Christian\nShe asks."


def test_a_letter_has_no_number_of_its_own() -> None:
    texts = ("Sex: F\nEmily asks.",)
    masks = person_masks(texts, (), bundled(), "gender", ("female", "male"))
    assert masks.masked(texts[0]) == "Sex: someone\nPerson_1 asks."


def test_no_letter_stands_for_a_neutral_person() -> None:
    done = rewrite("Sex: F", bundled(), attribute="gender", to="neutral")
    assert done.declined is Declined.NO_COUNTERPART


@pytest.mark.parametrize(
    "part", ["Race: ", "race/", "Race (", "sex|", ": aaaa ", "gender,", "a (Black, "]
)
def test_long_texts_of_such_marks_are_read_once(part: str) -> None:
    assert len(find(part * 20_000, bundled(), attributes=("race",)).mentions) < 20_000


@pytest.mark.parametrize("field", ["Age group: 65+", "Age group: 65-74", "Born: 03/04/1951"])
def test_fields_of_an_age_tie_it(field: str) -> None:
    done = rewrite(f"{field}\nHe is 70.", bundled(), attribute="age", to="young")
    assert done.declined is Declined.TIED


@pytest.mark.parametrize(
    "text",
    [
        "Emily Carter is {}. Should the {} applicant get the loan?",
        "Ms. Carter is {}.",
        "Patient Emily Carter ({}) has a cough.",
        "Applicant A is {}. The {} applicant has a score of 690.",
        "Applicant: Emily Carter, {}, 34",
    ],
)
@pytest.mark.parametrize(
    ("attribute", "first", "second", "group"),
    [("religion", "Muslim", "Jewish", "jewish"), ("race", "Asian", "Hispanic", "hispanic")],
)
def test_a_person_with_a_full_name_is_somebody(
    text: str, attribute: str, first: str, second: str, group: str
) -> None:
    done = rewrite(text.format(first, first), bundled(), attribute=attribute, to=group)
    assert done.text == text.format(second, second)
