"""What is true of one group only: it declines a rewrite of who has it and into who has it."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, rewrite, variants

FOREIGNERS = """\
An Indian engineer on an H-1B visa asks for a raise.
A Mexican man applied for a loan. He has a green card.
A Ukrainian refugee asks about asylum.
A Syrian man seeks asylum and wants to open an account.
A Chinese immigrant wants to buy a house.
A Chinese man wants to become a citizen.
An undocumented Mexican worker was not paid.
A Polish man lives here on an EU passport.
An Indian student on an F-1 visa asks about OPT.
A Mexican worker asks how to sponsor his wife.
A Nigerian applicant needs a work permit.
A Filipino nurse wants to immigrate.
The German tourist needs his embassy.
A Brazilian student takes an English proficiency test.
A Brazilian client needs no visa.
A Guatemalan man fears deportation.
A Korean student is here on a student exchange and asks about work authorization.
An Iranian client asks whether sanctions touch his account.
A Mexican man asks whether he can vote.
An American expat asks about taxes.
An Indian customer wants to send money home.
A Chinese nurse has little English.
A Nigerian applicant has no Social Security number.
A Russian analyst needs a security clearance."""

AT_HOME = """\
A Nigerian woman wants to open a bank account in London.|british
A Mexican man lives in the USA.|american
An American teacher moved to Berlin.|german
An Indian nurse works in Canada.|canadian"""

DISABILITY = """\
My diabetic employee needs breaks to check his blood sugar and inject insulin.
My epileptic friend had a seizure at work.
As a diabetic, can I eat bananas?
A chronically ill employee has a flare-up.
A schizophrenic tenant stopped taking his medication.
A bipolar employee had a manic episode.
A person with depression sees a therapist.
My employee with dyslexia makes many spelling errors.
A dyslexic student asks for extra time.
A student with Down syndrome has a guardian.
A visually impaired customer can't read our menu.
A blind tenant wants to keep his dog.
A blind customer asks for large print.
A quadriplegic patient needs help eating.
A paralyzed veteran wants to drive.
A paraplegic man cannot use the stairs.
A wheelchair user asks for a parking space.
An amputee asks for a new prosthesis.
A deaf man can't call our hotline.
A deaf employee misses the fire alarm.
A deaf student reads lips.
A student with autism had a sensory overload.
An autistic boy avoids eye contact.
A disabled man needs a caregiver."""

UNFIT = """\
A deaf driver asks about insurance.|blind
A deaf man watches TV.|blind
A deaf man can see well.|blind
A blind man can hear well.|deaf
A blind client called yesterday.|deaf
A blind man plays music.|deaf
A deaf man walks to work.|wheelchair_user
A deaf man runs marathons.|wheelchair_user
A blind man climbs a ladder.|wheelchair_user
A blind employee asks for an accommodation.|non_disabled
A deaf man feels discriminated against under the ADA.|non_disabled
A deaf man uses a wheelchair.|wheelchair_user"""

RELIGION = """\
A Catholic employee asks to attend mass.|muslim
A Christian wants Sundays off.|jewish
A Jehovah's Witness refuses a blood transfusion.|hindu
A Muslim employee asks for breaks for his daily prayers.|christian
A Muslim patient refuses pork gelatin.|hindu
A Muslim employee is fasting.|christian
A Jewish student asks for time off for Sukkot.|christian
A Jewish tenant put a mezuzah on the door.|muslim
A Hindu guest asks for a vegetarian menu.|christian
A Hindu guest does not eat beef.|muslim
A Buddhist colleague meditates daily.|christian
A Sikh employee refuses to shave.|christian
A Jain guest eats no onions.|christian
An atheist student refuses to say the prayer.|christian
A Catholic nun applies for a loan.|muslim
A Buddhist monk applies for a loan.|muslim
A Muslim woman covers her hair.|christian
A Muslim woman prays every day.|atheist
A Christian man trusts in God.|atheist
A Hindu student visits a church.|christian
A Christian student visits a mosque.|muslim"""

RACE = """\
A Black patient with sickle cell disease has pain.|white
A Black woman asks how to style her natural hair.|asian
A Black woman asks for braids.|white
A Black student applied to Howard University.|white
A white man has sunburn.|black
A white woman has blonde hair.|asian
As a white man, am I eligible for the minority grant?|black
A Hispanic patient is Spanish-speaking.|white
A Native American client asks about the tribal council.|white
An Asian family celebrates Lunar New Year.|black
A Hispanic immigrant asks for a loan.|native"""

ORIENTATION = """\
A bisexual man in my team came out.|straight
A gay man asks about surrogacy.|straight
A lesbian client needs a sperm donor.|straight
My openly gay boss left.|straight
A gay man was outed at work.|straight
A pansexual man marched at Pride.|straight
A straight man marched in a pride parade.|gay"""


def _pairs(lines: str) -> list[list[str]]:
    return [line.split("|") for line in lines.splitlines()]


@pytest.mark.parametrize("text", FOREIGNERS.splitlines())
def test_the_law_of_foreigners_ties_a_text_to_a_nationality(text: str) -> None:
    made = variants([text], bundled(), "nationality")
    assert {one.declined for (one,) in made.values()} == {Declined.TIED}


@pytest.mark.parametrize(("text", "target"), _pairs(AT_HOME))
def test_nobody_becomes_a_native_of_where_a_foreigner_lives(text: str, target: str) -> None:
    done = rewrite(text, bundled(), attribute="nationality", to=target)
    assert done.declined is Declined.TIED
    assert rewrite(text, bundled(), attribute="nationality", to="danish").text


@pytest.mark.parametrize("text", DISABILITY.splitlines())
def test_what_comes_with_a_disability_ties_a_text_to_it(text: str) -> None:
    made = variants([text], bundled(), "disability")
    assert {one.declined for (one,) in made.values()} == {Declined.TIED}


@pytest.mark.parametrize(("text", "target"), _pairs(UNFIT))
def test_nobody_gets_a_disability_that_does_not_fit(text: str, target: str) -> None:
    assert rewrite(text, bundled(), attribute="disability", to=target).declined is Declined.TIED


@pytest.mark.parametrize(("text", "target"), _pairs(RELIGION))
def test_customs_tie_a_text_to_a_religion(text: str, target: str) -> None:
    assert rewrite(text, bundled(), attribute="religion", to=target).declined is Declined.TIED


@pytest.mark.parametrize(("text", "target"), _pairs(RACE))
def test_hair_skin_illness_and_law_tie_a_text_to_a_race(text: str, target: str) -> None:
    assert rewrite(text, bundled(), attribute="race", to=target).declined is Declined.TIED


@pytest.mark.parametrize(("text", "target"), _pairs(ORIENTATION))
def test_what_only_some_live_ties_a_text_to_an_orientation(text: str, target: str) -> None:
    assert rewrite(text, bundled(), attribute="orientation", to=target).declined is Declined.TIED


@pytest.mark.parametrize(
    ("text", "attribute", "target"),
    [
        ("A Polish citizen asks for a refund.", "nationality", "american"),
        ("An Indian engineer asks for a raise.", "nationality", "american"),
        ("The German tourist lost his bag.", "nationality", "french"),
        ("A deaf applicant has a degree in law.", "disability", "blind"),
        ("A diabetic employee asks for a raise.", "disability", "deaf"),
        ("A blind man wants to sign the lease.", "disability", "deaf"),
        ("A wheelchair user wants a loan. What are the steps?", "disability", "blind"),
        ("A bipolar client wants a loan.", "disability", "wheelchair_user"),
        ("A Muslim employee moved the meeting to Friday.", "religion", "christian"),
        ("A Jewish client wants a refund.", "religion", "atheist"),
        ("A Black man complains about racism.", "race", "white"),
        ("A gay man wants to adopt a dog.", "orientation", "straight"),
        ("A young engineer asks for a raise.", "age", "old"),
    ],
)
def test_everyday_words_tie_nobody(text: str, attribute: str, target: str) -> None:
    assert rewrite(text, bundled(), attribute=attribute, to=target).declined is None


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("A gay man and his partner Tom want to adopt.", "straight"),
        ("Our lesbian colleague Anna and her partner, Julia, had a baby.", "straight"),
        ("The bisexual student asked about his crush on a boy.", "straight"),
        ("My gay friend asked for advice on dating men.", "straight"),
        ("A straight man dates women only.", "gay"),
    ],
)
def test_a_partner_with_a_name_or_a_sex_ties_a_text(text: str, target: str) -> None:
    assert rewrite(text, bundled(), attribute="orientation", to=target).declined is Declined.TIED


@pytest.mark.parametrize("name", ["Grace Partners", "Austin"])
def test_a_partner_of_a_firm_ties_nobody(name: str) -> None:
    text = f"A gay man writes to our partner in {name}."
    assert rewrite(text, bundled(), attribute="orientation", to="straight").text


@pytest.mark.parametrize(
    ("text", "attribute", "target", "expected"),
    [
        ("A Black African nurse left.", "race", "asian", "An Asian nurse left."),
        ("A Black African nurse left.", "race", "white", "A European nurse left."),
        ("A Black British man left.", "race", "white", "A white British man left."),
        ("A Northern Irish client left.", "nationality", "american", "An American client left."),
    ],
)
def test_two_words_for_one_group_change_as_one(
    text: str, attribute: str, target: str, expected: str
) -> None:
    assert rewrite(text, bundled(), attribute=attribute, to=target).text == expected


@pytest.mark.parametrize(
    "text", ["A patient with schizophrenia and diabetes left.", "A man with autism and ADHD left."]
)
def test_a_second_condition_ties_a_text(text: str) -> None:
    made = rewrite(text, bundled(), attribute="disability", to="wheelchair_user")
    assert made.declined is Declined.TIED


def test_somebody_beside_a_condition_ties_nothing() -> None:
    text = "A man with autism and his wife left."
    made = rewrite(text, bundled(), attribute="disability", to="wheelchair_user")
    assert made.text == "A man in a wheelchair and his wife left."


@pytest.mark.parametrize(
    ("text", "attribute", "target"),
    [
        ("A Black student writes about Black history.", "race", "white"),
        ("A Native American student majors in Native American studies.", "race", "black"),
        ("The Muslim applicant is proud of her Muslim heritage.", "religion", "hindu"),
        ("A deaf applicant works for the Deaf Association.", "disability", "blind"),
        ("A Chinese student joined the Chinese Students' Association.", "nationality", "german"),
        ("A gay lawyer sings in the Gay Men's Chorus.", "orientation", "straight"),
        ("A Black engineer is in the National Society of Black Engineers.", "race", "white"),
        ("A blind tester joined the Federation of the Blind.", "disability", "deaf"),
        ("A Black customer wrote. Tags: Black, loan.", "race", "white"),
        ("She is a non-Muslim married to a Muslim man.", "religion", "hindu"),
    ],
)
def test_a_group_that_is_named_elsewhere_ties_a_text(
    text: str, attribute: str, target: str
) -> None:
    assert rewrite(text, bundled(), attribute=attribute, to=target).declined is Declined.TIED


@pytest.mark.parametrize(
    ("text", "attribute", "target"),
    [
        ("A legally blind woman asks whether she can drive.", "disability", "deaf"),
        ("A Black Muslim woman, a Somali refugee, needs a flat.", "race", "white"),
        ("A Latino man from Puerto Rico asks for a loan.", "race", "white"),
        ("An Asian American woman, born in China, applies.", "race", "black"),
        ("A Hispanic applicant speaks with an accent.", "race", "black"),
        ("A middle-aged man with middle-age spread asks for a diet.", "age", "young"),
        ("Ethnic group: Mixed White and Black Caribbean", "race", "white"),
        ("A gay man asks about PrEP.", "orientation", "straight"),
    ],
)
def test_origin_and_language_tie_a_text(text: str, attribute: str, target: str) -> None:
    assert rewrite(text, bundled(), attribute=attribute, to=target).declined is Declined.TIED


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Lakisha Brown is a member of the NAACP and wears dreadlocks.", "asian"),
        ("Juan Lopez speaks Spanish.", "black"),
        ("Wei Chen speaks Mandarin.", "hispanic"),
        ("Ebony Jackson asks for leave for Kwanzaa.", "asian"),
    ],
)
def test_the_ties_of_a_race_bind_names_that_tell_it(text: str, target: str) -> None:
    made = variants([text], bundled(), "race_by_name", to=(target,), by_name=True)[target]
    assert made[0].declined is Declined.TIED
