"""What is asked is known before the first call, and rewrites the whole conversation."""

from __future__ import annotations

import pytest

from guard.counterfactual import Signal
from guard.records import Turn
from guard.shadow.options import ShadowOptions, compared
from guard.shadow.plan import make_plan
from tests.unit.shadow.made import LEXICONS, options, planned

RACES = ("asian", "black", "hispanic", "white")


def test_the_other_group_is_asked_about() -> None:
    (side,) = planned().variants
    assert (side.attribute, side.source, side.target) == ("gender", "female", "male")
    assert side.turns == (Turn(role="user", content="He is late. What do I tell him?"),)
    assert [one.old for one in side.replacements[0]] == ["She", "her"]


def test_all_turns_change_together() -> None:
    turns = (
        Turn(role="system", content="You help Emily."),
        Turn(role="user", content="Where does she live?"),
        Turn(role="assistant", content="Emily lives in Rome."),
        Turn(role="user", content="Thanks."),
    )
    (side,) = make_plan("c1", turns, None, lexicons=LEXICONS, options=options()).variants
    assert [turn.role for turn in side.turns] == [turn.role for turn in turns]
    name = side.turns[0].content.removeprefix("You help ").removesuffix(".")
    assert side.turns[1].content == "Where does he live?"
    assert side.turns[2].content == f"{name} lives in Rome."
    assert side.turns[3] == turns[3]


@pytest.mark.parametrize(
    "system", ["Address men as Mr. and women as Ms.", "You are Emma, the assistant of a bank."]
)
def test_system_prompts_may_be_left_as_they_are(system: str) -> None:
    turns = (
        Turn(role="system", content=system),
        Turn(role="user", content="My husband lost his card."),
    )
    kept = options(rewrite_system=False)
    made = make_plan("c1", turns, None, lexicons=LEXICONS, options=kept)
    (side,) = made.variants
    assert [turn.content for turn in side.turns] == [system, "My wife lost her card."]
    assert side.replacements[0] == ()
    assert len(side.replacements) == 2
    nobody = (turns[0], Turn(role="user", content="How do I reset my password?"))
    made = make_plan("c1", nobody, None, lexicons=LEXICONS, options=kept)
    assert (made.unaware, made.variants) == ({"gender": True}, ())
    assert make_plan("c1", turns[:1], None, lexicons=LEXICONS, options=kept).variants == ()
    assert not make_plan("c1", turns, None, lexicons=LEXICONS, options=options()).variants


@pytest.mark.parametrize(
    ("role", "text", "declined"),
    [
        ("user", "34, pregnant", True),
        ("assistant", "So 34, pregnant?", True),
        ("system", "Maternity leave: pregnant employees have 16 weeks.", False),
        ("system", '{"customer": 17, "title": "Ms"}', True),
        ("system", '{"customer": 17, "sex": "F"}', False),
    ],
)
def test_what_a_turn_tells_of_the_person_depends_on_who_says_it(
    role: str, text: str, declined: bool
) -> None:
    turns = (Turn(role=role, content=text), Turn(role="user", content="My wife asks about leave."))
    made = make_plan("c1", turns, None, lexicons=LEXICONS, options=options())
    assert (made.declined, bool(made.variants)) == (
        ((("gender", "tied"),), False) if declined else ((), True)
    )


def test_a_long_document_is_rewritten_whole() -> None:
    text = "Summarize. " + "She signed the contract. " * 2000
    (side,) = planned(text).variants
    assert side.turns[0].content == "Summarize. " + "He signed the contract. " * 2000


def test_nobody_mentioned_is_unawareness() -> None:
    made = planned("How do I boil an egg?")
    assert (made.unaware, made.calls, made.variants) == ({"gender": True}, 0, ())


@pytest.mark.parametrize("text", ["", "12 + 30 = ?", "Wie koche ich ein Ei, ohne dass es platzt?"])
def test_where_nothing_can_be_said_of_unawareness(text: str) -> None:
    assert planned(text).unaware == {}


def test_a_conversation_without_turns() -> None:
    made = make_plan("c1", (), None, lexicons=LEXICONS, options=options())
    assert (made.calls, made.unaware) == (0, {})


def test_what_cannot_be_rewritten_is_counted() -> None:
    made = planned("Do men earn more than women?")
    assert made.declined == (("gender", "contrast"),) * len(made.declined)
    assert made.unaware == {"gender": False}
    assert made.calls == 0


def test_calls_are_known_before_the_first() -> None:
    made = planned(generations=3, resamples=5)
    asks = list(made.asks({"model": "m"}))
    assert len(asks) == made.calls == 5 + 3
    assert len({ask.seed for _, ask in asks}) == len(asks)
    assert {ask.parameters["model"] for _, ask in asks} == {"m"}
    assert [draw.side for draw, _ in asks] == [0, 1, 0, 1, 0, 1, 0, 0]


def test_resampling_needs_nobody_to_be_mentioned() -> None:
    assert planned("How do I boil an egg?", resamples=4).calls == 4


def test_deterministic_calls_are_made_once() -> None:
    made = planned(generations=4, resamples=8, deterministic=True)
    assert made.calls == 2
    assert {ask.seed for _, ask in made.asks({})} == {None}


def test_the_same_call_makes_the_same_plan() -> None:
    assert planned(generations=2) == planned(generations=2)


def test_no_group_is_favoured() -> None:
    groups = {"race": RACES}
    seen = [
        side.target
        for number in range(300)
        for side in planned(
            "A black man asks.", call=f"c{number}", groups=groups, max_variants=1, key=b"k"
        ).variants
    ]
    assert len(seen) == 300
    assert all(75 < seen.count(group) < 125 for group in ("asian", "hispanic", "white"))


def test_another_key_chooses_others() -> None:
    def chosen(key: bytes) -> list[str]:
        groups = {"race": RACES}
        made = [
            planned("A black man asks.", call=f"c{n}", groups=groups, max_variants=1, key=key)
            for n in range(30)
        ]
        return [one.variants[0].target for one in made]

    assert chosen(b"one") != chosen(b"two")


def test_at_most_so_many_variants_for_each_attribute() -> None:
    groups = {"race": RACES, "gender": ("female", "male")}
    sides = planned("A black woman asks.", groups=groups, max_variants=2).variants
    assert sorted(side.attribute for side in sides) == ["gender", "race", "race"]


def test_a_control_is_about_the_same_group() -> None:
    made = planned("Emily is late. What do I tell her?", control=True)
    (control,) = [side for side in made.variants if side.is_control]
    assert control.source == control.target == "female"
    assert "Emily" not in control.turns[0].content


def test_tokens_are_estimated_before_the_first_call() -> None:
    small, large = planned(live="Short."), planned(live="Long. " * 500)
    assert 0 < small.tokens({}) < large.tokens({})
    assert large.tokens({"max_tokens": 10}) < small.tokens({})
    assert planned().tokens({}) > planned().tokens({"max_tokens": 100})


def test_words_for_anybody_are_no_group() -> None:
    assert compared(LEXICONS, ["gender"]) == {"gender": ("female", "male")}
    assert planned("They are late. What do I tell Jordan?").variants == ()


def test_all_attributes_are_compared_unless_some_are_named() -> None:
    assert set(compared(LEXICONS)) == set(LEXICONS.attributes) - {"religion_by_name"}
    assert len(compared(LEXICONS, ["nationality"])["nationality"]) > 50


def test_of_an_attribute_only_the_groups_that_are_named_are_compared() -> None:
    only = {"religion": ["muslim", "jewish"]}
    assert compared(LEXICONS, ["gender", "religion"], only=only) == {
        "gender": ("female", "male"),
        "religion": ("jewish", "muslim"),
    }


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ({"charm": ["a", "b"]}, "groups: no attribute 'charm'; there are"),
        ({"religion": ["muslim", "martian"]}, "groups: religion has no group 'martian'; there are"),
        ({"religion": ["muslim", "muslim"]}, "groups: of religion, at least two"),
        ({"race": ["black", "white"]}, "groups: 'race' is not among `attributes`"),
    ],
)
def test_groups_that_cannot_be_compared(only: dict[str, list[str]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        compared(LEXICONS, ["gender", "religion"], only=only)


def test_an_attribute_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="no attribute 'charm'"):
        compared(LEXICONS, ["charm"])


@pytest.mark.parametrize(
    "wrong", [{"generations": 0}, {"max_variants": 0}, {"max_groups": 0}, {"resamples": -1}]
)
def test_settings_that_make_no_sense(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be at least"):
        ShadowOptions(groups={}, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("said", "draws"), [(None, 1), (True, 1), (False, 2)])
def test_settings_may_say_that_a_model_varies_at_temperature_0(
    said: bool | None, draws: int
) -> None:
    made = options(generations=2, deterministic=said)
    assert made.asked_with({"temperature": 0}).draws == draws


def test_the_family_is_fixed_by_the_settings() -> None:
    assert len(options().family(embeddings=True)) == 19
    assert len(options(control=True).family(embeddings=True)) == 21
    assert len(options(control=True, deterministic=True).family(embeddings=True)) == 21
    assert options(tests=False).family(embeddings=True) == ()


def test_race_is_told_by_words_and_by_names_unless_settings_say_otherwise() -> None:
    both, words = ["race", "race_by_name"], {"race": [Signal.WORDS]}
    assert list(compared(LEXICONS, ["race"])) == both
    assert list(compared(LEXICONS, ["race"], words)) == ["race"]
    assert list(compared(LEXICONS, ["religion"])) == ["religion"]
    names = {"religion": [Signal.NAMES]}
    assert compared(LEXICONS, ["religion"], names) == {
        "religion_by_name": ("hindu", "jewish", "muslim", "sikh")
    }
    with pytest.raises(ValueError, match="names do not tell 'gender'"):
        compared(LEXICONS, ["gender"], {"gender": [Signal.NAMES]})


BY_BOTH = compared(LEXICONS, ["race"])


def test_what_names_tell_is_compared_apart() -> None:
    made = planned("DeShawn Jackson asks for a loan. What do I tell him?", groups=BY_BOTH)
    assert {side.attribute for side in made.variants} == {"race_by_name"}
    assert {side.source for side in made.variants} == {"black"}
    assert made.unaware == {"race": True, "race_by_name": False}
    assert not any("DeShawn" in side.turns[0].content for side in made.variants)


def test_what_words_tell_as_well_is_compared_by_words() -> None:
    made = planned("DeShawn is a Black man who asks for a loan.", groups=BY_BOTH)
    assert {side.attribute for side in made.variants} == {"race"}
    assert not any("DeShawn" in side.turns[0].content for side in made.variants)
    assert made.unaware == {"race": False}
    assert made.declined == ()


def test_an_unknown_name_is_counted() -> None:
    made = planned("My friend Xiulanka lost her keys.")
    assert made.declined == (("gender", "unknown_name"),)


def test_of_an_attribute_with_many_groups_the_others_are_one() -> None:
    many = options(groups={"race": tuple("abcdefg")}, max_groups=3)
    assert {test.groups for test in many.family(embeddings=True)} == {4}
    assert {test.groups for test in options().family(embeddings=True)} == {2}


def test_the_size_that_matters_can_be_set() -> None:
    made = options(material={"sentiment_gap_grounded": 0.2}).family(embeddings=True)
    sizes = {test.metric: test.material for test in made}
    assert sizes["sentiment_gap_grounded"] == 0.2
    assert 0.0 < sizes["toxicity_gap_grounded"] < 0.2
