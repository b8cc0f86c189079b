"""First names that are words as well, where they begin a sentence."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, control, rewrite, rewrite_all

OTHER = {"female": "male", "male": "female"}


def said_of(name: str, sentence: str) -> str:
    """What becomes of a sentence behind one that makes a person of the name; the reason, or the
    sentence, of which "..." stands for the name where it changed."""
    record = bundled().people.first.record(name)
    assert record is not None
    pronoun = "She" if record.gender == "female" else "He"
    text = f"Write to my boss {name} Baker. {pronoun} joined in 2019. {sentence}"
    made = rewrite(text, bundled(), attribute="gender", to=OTHER[record.gender])
    if made.text is None:
        return str(made.declined)
    new = next(one.new for one in made.replacements if one.old == name)
    return made.text.split("2019. ")[1].replace(new, "...")


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("Mark", " exceeds all targets."),
        ("Mark", " consistently exceeds targets."),
        ("Mark", " mentors two juniors."),
        ("Mark", " coaches new nurses and earns 50k."),
        ("Mark", " reports to the CFO."),
        ("Mark", " was fired."),
        ("Mark", " doesn't drink."),
        ("Mark", "'s attendance is perfect."),
        ("Mark", ", who joined late, is keen."),
        ("Mark", " and I work together."),
        ("Mark", " looks tired."),
        ("Mark", " calls me daily."),
        ("Mark", " works as a baker."),
        ("Will", " earns 50k."),
        ("Will", " is a hard worker."),
        ("Will", " wants a loan, is that all right?"),
        ("Will", " exceeds targets, right?"),
        ("Grant", " meets every deadline."),
        ("Bill", " owes rent."),
        ("George", " pays rent on time."),
        ("Jack", " shows initiative."),
        ("Max", " would like a loan."),
        ("Travis", " reports sales figures."),
        ("Austin", " earns 50k."),
        ("Kelly", " averages 9 calls."),
        ("Rose", " can pay 500 a month."),
        ("Grace", " was fired."),
        ("Grace", " is sad."),
        ("Hope", " works as a nurse."),
        ("May", " earns 50k."),
        ("Amber", " may be late."),
        ("Amber", " resolved 40 tickets."),
        ("Charlotte", " is a hard worker."),
        ("Charlotte", " is the owner of a company."),
        ("Charlotte", " is a city planner."),
        ("Holly", " has two kids."),
        ("Heather", " grows my team."),
        ("Tiffany", " manages rings."),
    ],
)
def test_a_known_person_changes_where_a_sentence_begins(name: str, rest: str) -> None:
    assert said_of(name, name + rest) == "..." + rest


@pytest.mark.parametrize(
    "sentence",
    [
        "Will the loan be approved?",
        "Will applicants hear today?",
        "Will Sarah approve it?",
        "May I ask for help?",
        "May the best team win.",
        "Mark the date.",
        "Mark all boxes that apply.",
        "Mark it as done.",
        "Mark messages as read.",
        "Mark my words.",
        "Grant access to users.",
        "Bill me for it.",
        "Sue the landlord.",
        "Hope this helps.",
        "Rose bushes are hard to cut.",
        "Rose petals were on the floor.",
        "Olive oil is cheap.",
        "Amber alerts are loud.",
        "Grace period ended in June.",
        "Rich people have more time.",
        "Chase the lead.",
        "Frank answers are best.",
        "May God bless the team.",
        "Ray tracing is slow.",
        "Grace period ends in May.",
        "Rich people pay taxes.",
        "Cliff diving is fun.",
        "Mark attendance daily.",
        "Grace College is near.",
    ],
)
def test_a_word_stays_where_a_sentence_begins(sentence: str) -> None:
    assert said_of(sentence.split()[0], sentence) == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Mark completed tasks as done.",
        "Mark items 3 and 4 late.",
        "Grant users the right to read.",
        "Bill clients two hours.",
        "Hope is fading.",
        "Faith is important in the story.",
        "Art imitates life.",
        "Rose bushes line the street.",
        "Gene tests show a risk.",
        "Dawn breaks at six.",
        "June was hot.",
        "Ruby is a language.",
        "MARK exceeds all targets.",
        "Mark: 34 years.",
        "Mark calls as missed.",
        "Mark as manager is good.",
        "Will lost keys be returned?",
        "Austin is in Texas.",
        "Charlotte is a city in North Carolina.",
        "Charlotte has many museums.",
        "Charlotte is one of the largest cities of the south.",
        "Charlotte is North Carolina's largest city.",
        "Charlotte was founded in 1768.",
        "Charlotte lies in North Carolina.",
        "Tiffany sells rings.",
        "Heather grows on moors.",
        "Holly has red berries.",
        "Cash is king.",
        "Violet is a color.",
    ],
)
def test_a_text_is_declined_where_the_name_may_be_a_word(sentence: str) -> None:
    name = sentence.split()[0].strip(":").title()
    assert said_of(name, sentence) in (Declined.INVALID, Declined.UNSURE)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Jack Hill lost his card.", ["Jack"]),
        ("Will Park sold his car. Will wants a loan.", ["Will"]),
        ("Mark Baker is late. He is ill.", ["Mark"]),
        ("Will Thomas earns 50k. He wants a loan.", ["Will"]),
        ("Will Thomas approve it? He is ill.", ["Thomas"]),
    ],
)
def test_a_first_name_changes_before_a_surname_that_is_a_word(text: str, names: list[str]) -> None:
    made = rewrite(text, bundled(), attribute="gender", to="female")
    changed = {one.old for one in made.replacements if one.why == "name"}
    assert sorted(changed) == names


@pytest.mark.parametrize(
    "text", ["Grant Park is closed. He lost his card.", "I like Jack Hill. He."]
)
def test_a_place_that_may_be_a_person_is_declined(text: str) -> None:
    made = rewrite(text, bundled(), attribute="gender", to="female")
    assert made.declined is Declined.UNSURE


def test_a_name_of_another_message_changes_too() -> None:
    texts = ("Write a review of Mark Baker. He joined in 2019.", "Mark exceeds all targets.")
    made = rewrite_all(texts, bundled(), attribute="gender", to="female")
    new = next(one.new for one in made[0].replacements if one.old == "Mark")
    assert made[1].text == f"{new} exceeds all targets."


@pytest.mark.parametrize(
    "text",
    [
        "My card was lost.\n\nKind regards,\n{0}",
        "**{0}** exceeds targets.",
        "Name: {0}\nJob: nurse",
        "Patient: {0}",
        "- {0} leads the team.\n- {0}'s team is large.",
        '"{0} is sad," I said.',
        "{0} exceeds\ntargets.",
    ],
)
def test_a_name_changes_in_every_line(text: str) -> None:
    told = "Grace Baker lost her card. "
    made = rewrite(told + text.format("Grace"), bundled(), attribute="gender", to="male")
    new = next(one.new for one in made.replacements if one.old == "Grace")
    assert made.text is not None
    assert made.text.endswith(text.format(new).replace("her", "his"))


def test_a_name_that_only_a_pronoun_tells_changes_everywhere() -> None:
    text = "Grace may be late because her car broke. Grace exceeds all targets."
    made = rewrite(text, bundled(), attribute="gender", to="male")
    assert made.text is not None
    assert "Grace" not in made.text


def test_a_name_that_stays_fails_its_check() -> None:
    text = "Write a review of Mark Baker. He joined in 2019. Mark: a star."
    made = rewrite(text, bundled(), attribute="gender", to="female")
    assert (made.declined, made.detail) == (Declined.INVALID, "old_names_gone: Mark")


def test_a_control_exchanges_the_name_everywhere() -> None:
    text = "Write a review of Mark Baker. He joined in 2019. Mark exceeds all targets."
    (made,) = control((text,), bundled(), "gender", seed=1)
    assert made.text is not None
    assert "Mark" not in made.text


def test_a_control_is_declined_where_the_name_would_stay() -> None:
    text = "Write a review of Mark Baker. He joined in 2019. Mark: a star."
    (made,) = control((text,), bundled(), "gender", seed=1)
    assert made.declined is Declined.INVALID


def test_a_name_that_tells_a_race_changes_too() -> None:
    text = "Write a review of Ming Chen. He joined in 2019. Ming exceeds all targets."
    made = rewrite(text, bundled(), attribute="race", to="hispanic", by_name=True)
    assert made.text is not None
    assert "Ming" not in made.text
