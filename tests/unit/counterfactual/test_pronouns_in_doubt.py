"""A pronoun that could mean another person in the rewrite: the text is declined."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, Lexicons, bundled, rewrite, rewrite_all


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return bundled()


@pytest.mark.parametrize(
    ("text", "target", "pronouns"),
    [
        ("A woman and a man applied. She has a degree.", "male", "She"),
        ("A woman and a man applied. She has a degree, he has none.", "female", "he"),
        ("Sarah and Tom applied. She has 5 years and he has 2.", "male", "She, he"),
        ("My aunt and uncle sold their house. She regrets it.", "male", "She"),
        ("The waitress and the waiter argued. She left.", "male", "She"),
        ("Mr. and Mrs. Smith moved. She is ill.", "male", "She"),
        ("My brother and sister live with me. He is ill.", "female", "He"),
        ("She said he stole her purse. Who is right?", "male", "he, her"),
        ("Mary told John that she had won.", "male", "she"),
        ("Emma lent Noah her bike. He broke it.", "female", "her, He"),
        ("My mother wants to sue my uncle. He says no.", "male", "He"),
        ("My grandmother left her house to my uncle. She died.", "male", "She"),
        ("My mother lost her son. She is sad.", "male", "She"),
        ("Anna, Ben and Clara share a flat. She pays the rent.", "male", "She"),
        ("My male boss met Ms. Hill. She cried.", "male", "She"),
        ("Tom, my boss, shouted at my aunt. She cried.", "male", "She"),
        ("Tom's boss called her.", "male", "her"),
        ("Tom has 2 years. Sarah has 5. Should I hire her?", "male", "her"),
        ("First: Tom.\n\nSecond: Sarah.\n\nShould I hire her?", "male", "her"),
        ("Ivy told Tom about herself.", "male", "herself"),
        ("Tom took the cat to her.", "male", "her"),
        ("When she arrived, the man next door left.", "male", "she"),
        ("My landlord is Mr. Hill. Ivy is angry: she saw his car.", "male", "she, his"),
    ],
)
def test_two_people_whom_no_pronoun_tells_apart_decline_the_text(
    lexicons: Lexicons, text: str, target: str, pronouns: str
) -> None:
    done = rewrite(text, lexicons, attribute="gender", to=target)
    assert (done.text, done.declined, done.detail) == (None, Declined.UNSURE, pronouns)


@pytest.mark.parametrize(
    ("text", "pronouns"),
    [
        ("My sister told the neighbours that she had won.", "she"),
        ("My sister lives with my parents. She is ill.", "She"),
        ("My mom and dad came. She is ill.", "She"),
        ("They fired my sister. She is sad.", "She"),
        ("She says they lie.", "they"),
        ("She says the neighbours lie. She is right.", "She"),
        ("When she arrived, the guests left.", "she"),
    ],
)
def test_they_beside_several_people_declines_the_text(
    lexicons: Lexicons, text: str, pronouns: str
) -> None:
    done = rewrite(text, lexicons, attribute="gender", to="neutral")
    assert (done.text, done.declined, done.detail) == (None, Declined.UNSURE, pronouns)


@pytest.mark.parametrize(
    ("text", "target", "rewritten"),
    [
        ("My aunt and my brother visited.", "male", "My uncle and my brother visited."),
        (
            "Mary and Tom met Ann. Who is to pay?",
            "male",
            "Ronald and Tom met Arthur. Who is to pay?",
        ),
        ("My brother helped his aunt.", "female", "My sister helped her aunt."),
        ("Mary asked him for help.", "male", "Ronald asked him for help."),
        ("Mark has refused her a raise.", "male", "Mark has refused him a raise."),
        ("Did Tom give it to her?", "male", "Did Tom give it to him?"),
        ("Tom spoke with her.", "male", "Tom spoke with him."),
        ("Tom says Mary hurt herself.", "male", "Tom says Ronald hurt himself."),
        ("Boys and girls played. She fell.", "male", "Boys and girls played. He fell."),
        ("She works with men. She likes it.", "male", "He works with men. He likes it."),
        (
            "My boss, Tom, is ill. It is cold here. My aunt says she is well.",
            "male",
            "My boss, Tom, is ill. It is cold here. My uncle says he is well.",
        ),
        (
            "My landlord is here.\n\nMy aunt says she is well.",
            "male",
            "My landlord is here.\n\nMy uncle says he is well.",
        ),
        ("She lost her keys. Were they here?", "neutral", "They lost their keys. Were they here?"),
        ("The guests called her.", "neutral", "The guests called them."),
        ("She trained drivers. She is good.", "neutral", "They trained drivers. They are good."),
        ("In her late teens she sang.", "neutral", "In their late teens they sang."),
        ("Miss Brody says she is ill.", "male", "Mr. Brody says he is ill."),
    ],
)
def test_where_it_is_clear_who_is_meant_the_text_is_rewritten(
    lexicons: Lexicons, text: str, target: str, rewritten: str
) -> None:
    assert rewrite(text, lexicons, attribute="gender", to=target).text == rewritten


@pytest.mark.parametrize(
    "frame",
    [
        "Hey guys, {}",
        "Oh man, {}",
        "{} What can I do, man?",
        "Dear Tom, {}",
        "Hi Tom Baker,\n\n{}\n\nRegards,\nJohn",
        "Tom, can you help? {}",
        "I am Tom. {}",
        "You are Tom, a helpful assistant. {}",
        "My name is Tom. {}",
        "Tom here. {}",
        "As a man, I worry. {}",
        "I'm a single father. {}",
        "I live in Jackson. {}",
        "Every man has to work. {}",
    ],
)
def test_who_speaks_or_is_spoken_to_is_nobody_a_pronoun_means(
    lexicons: Lexicons, frame: str
) -> None:
    text = frame.format("My aunt is ill. She needs a doctor.")
    done = rewrite(text, lexicons, attribute="gender", to="male")
    assert done.text == frame.format("My uncle is ill. He needs a doctor.")


@pytest.mark.parametrize(
    "frame",
    [
        "His name is Tom. {}",
        "Tom here is my boss. {}",
        "I am my uncle's nurse. {}",
        "As a father he told me to write. {}",
        "They told me, my brother and Bo. {}",
        "I wrote to my boss, Tom. {}",
        "I like Emma, Ben, Tom. {}",
    ],
)
def test_others_beside_the_speaker_are_somebody(lexicons: Lexicons, frame: str) -> None:
    text = frame.format("My daughter is ill. She needs a doctor.")
    done = rewrite(text, lexicons, attribute="gender", to="male")
    assert (done.text, done.declined) == (None, Declined.UNSURE)


def test_the_son_beside_his_mother_is_who_speaks(lexicons: Lexicons) -> None:
    text = "My mother and I, her only son, live together. She is ill."
    done = rewrite(text, lexicons, attribute="gender", to="male")
    assert done.text == "My father and I, his only son, live together. He is ill."


def test_people_of_other_messages_count(lexicons: Lexicons) -> None:
    made = rewrite_all(
        ["I have an uncle and an aunt.", "She is ill."], lexicons, attribute="gender", to="male"
    )
    assert {one.declined for one in made} == {Declined.UNSURE}
    made = rewrite_all(
        ["My landlord is ill.", "My aunt needs her car."], lexicons, attribute="gender", to="male"
    )
    assert [one.text for one in made] == ["My landlord is ill.", "My uncle needs his car."]


def test_with_a_source_everybody_of_it_changes(lexicons: Lexicons) -> None:
    text = "Mary told John that she had won."
    made = rewrite(text, lexicons, attribute="gender", to="male", source="female")
    assert made.text == "Ronald told John that he had won."


@pytest.mark.parametrize(
    ("text", "attribute", "target"),
    [
        ("My uncle lives here. My aunt lives in Rome.", "gender", "male"),
        ("The Turkish man left. The German man stayed.", "nationality", "german"),
    ],
)
def test_two_people_who_would_be_called_alike_decline_the_text(
    lexicons: Lexicons, text: str, attribute: str, target: str
) -> None:
    done = rewrite(text, lexicons, attribute=attribute, to=target)
    assert (done.text, done.declined) == (None, Declined.CONTRAST)
