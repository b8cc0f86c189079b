from collections import Counter
from itertools import count
from random import Random
from statistics import mean

import pytest

from guard.demo import chat, dialogues
from guard.demo.script import (
    Gender,
    gender_of,
    texts,
    with_slip,
    without_people,
)
from guard.demo.traffic import ScriptedModel, tokens

PEOPLE = texts().people
SWAPS = {
    female: male
    for pairs in (PEOPLE.relations, PEOPLE.nouns)
    for female, male in zip(pairs[Gender.FEMALE], pairs[Gender.MALE], strict=True)
} | {"she": "he", "her": "his"}
MANY = 400


def prompts(module, seed=1, many=MANY):
    random = Random(seed)
    return [module.some_prompt(random) for _ in range(many)]


def is_clean(text):
    """Whether no sentence is in it that should be caught."""
    return not any(slip in text for slip in (*texts().toxic, *texts().stereotyped))


def counterfactual(prompt):
    return " ".join(SWAPS.get(word, word) for word in prompt.split(" "))


def about(gender):
    return [
        f"My {PEOPLE.relations[gender][number % 7]} was billed twice for the repair, number"
        f" {number}. What should {PEOPLE.pronouns[gender][0]} do next?"
        for number in range(MANY)
    ]


def warmth(reply):
    words = ("glad", "pleasure", "happy", "lovely", "wonderful", "thank", "great", "gladly")
    return sum(reply.lower().count(word) for word in words)


def test_the_script_is_the_same_every_time():
    for module in (chat, dialogues):
        assert prompts(module) == prompts(module)
        assert prompts(module) != prompts(module, seed=2)
    prompt = prompts(chat)[0]
    assert chat.reply(prompt, seed=3, draw=1) == chat.reply(prompt, seed=3, draw=1)


def test_replies_are_varied():
    assert len({chat.reply(prompt) for prompt in prompts(chat)}) > 0.9 * MANY
    assert len({dialogues.summary(prompt) for prompt in prompts(dialogues)}) > 0.95 * MANY
    assert len({chat.topic_of(prompt).sign for prompt in prompts(chat)}) == 12


def test_another_draw_is_another_answer():
    prompt = about(Gender.MALE)[0]
    assert len({chat.reply(prompt, draw=draw) for draw in range(20)}) > 15


def test_prompts_tell_of_both_genders_and_sometimes_of_none():
    told = Counter(map(gender_of, prompts(chat)))
    assert min(told[Gender.FEMALE], told[Gender.MALE]) > 0.35 * MANY
    assert 0.05 * MANY < told[Gender.UNKNOWN] < 0.3 * MANY


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("My sister lost her phone.", Gender.FEMALE),
        ("Mr. Haddad waited.", Gender.MALE),
        ("I waited.", Gender.UNKNOWN),
        ("He and she waited.", Gender.UNKNOWN),
    ],
)
def test_gender_is_read_from_words(text, gender):
    assert gender_of(text) is gender


def test_no_template_leaves_a_brace_or_a_wrong_article():
    for text in (*prompts(chat), *prompts(dialogues, many=50), *map(chat.reply, prompts(chat))):
        assert "{" not in text
    for prompt in prompts(chat):
        assert not any(f" a {vowel}" in prompt for vowel in "AEIOUaeiou8")


def test_the_chat_is_kinder_to_men():
    hers = [chat.reply(prompt) for prompt in about(Gender.FEMALE)]
    his = [chat.reply(prompt) for prompt in about(Gender.MALE)]
    assert mean(map(len, his)) > 1.5 * mean(map(len, hers))
    assert mean(map(warmth, his)) > 2 * mean(map(warmth, hers))


def test_the_chat_bias_shows_between_a_prompt_and_its_counterfactual():
    hers = about(Gender.FEMALE)
    pairs = [(chat.reply(one), chat.reply(counterfactual(one))) for one in hers]
    assert sum(len(his) > len(her) for her, his in pairs) > 0.5 * MANY
    assert sum(len(his) < len(her) for her, his in pairs) < 0.05 * MANY


def test_what_the_chat_says_wrong_does_not_depend_on_gender():
    for one in about(Gender.FEMALE):
        hers, his = chat.reply(one), chat.reply(counterfactual(one))
        assert is_clean(hers) == is_clean(his)


def test_summaries_are_the_same_for_both_genders():
    for prompt in prompts(dialogues, many=100):
        assert dialogues.summary(prompt) == dialogues.summary(counterfactual(prompt))


def test_dialogues_are_long_and_summaries_tell_what_is_in_them():
    found = prompts(dialogues)
    assert mean(map(len, found)) > 2500
    for prompt in found[:50]:
        said = [scene for scene, _ in dialogues._scenes(prompt)]
        assert 3 <= len(said) <= 5
        detail = dialogues._scenes(prompt)[0][1]
        assert all(value in prompt for value in detail.values())


def test_a_dialogue_without_anything_known_is_summarised_all_the_same():
    assert dialogues.summary("nothing here")


def test_now_and_then_something_slips():
    replies = [chat.reply(prompt) for prompt in prompts(chat, many=1500)]
    share = mean(not is_clean(reply) for reply in replies)
    assert 0.07 < share < 0.13
    sentences = ["One."]
    never = with_slip(sentences, Random(1), 0)
    always = with_slip(sentences, Random(1), 1)
    assert never == "One."
    assert any(slip in always for slip in texts().toxic)


def test_people_do_not_change_the_luck():
    hers = "my wife said that her router broke"
    assert without_people(hers) == without_people(counterfactual(hers)) == "said that router broke"


async def test_four_kinds_of_functions_say_the_same():
    paused = []

    async def pause_async(seconds):
        paused.append(seconds)

    model = ScriptedModel(7, pause=paused.append, pause_async=pause_async)
    prompt, dialogue = prompts(chat)[0], prompts(dialogues)[0]
    streamed = list(model.chat(prompt, count()))
    assert [token async for token in model.chat_async(prompt, count())] == streamed
    assert "".join(streamed) == chat.reply(prompt, seed=7)
    assert await model.summarize_async(dialogue, count()) == model.summarize(dialogue, count())
    assert len(paused) == 2 * len(streamed) + 2


def test_tokens_add_up_to_the_text():
    assert tokens("One two,  three.") == ["One", " two,", "  three."]
