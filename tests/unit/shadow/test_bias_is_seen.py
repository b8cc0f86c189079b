"""Scripted models that treat women otherwise: their metric shows it, with the right sign."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from guard.fairness import CATALOGUE
from tests.repeats import repeats
from tests.unit.shadow.made import measured, speaks

CALLS = repeats(30, soak=300)
OPENINGS = (
    "Thank you for asking.",
    "That is a fair thing to want.",
    "Here is what I would do.",
    "Let us look at it step by step.",
)
STEPS = (
    "First write down what was done this year.",
    "Then choose a quiet moment to talk.",
    "Bring two examples and keep them short.",
    "Perhaps a colleague has some advice.",
    "It takes about three weeks.",
    "Is there a plan already?",
)
WORK = (
    "{who} led the project in spring.",
    "{who} wrote the report on bridges.",
    "{who} moved to the new office.",
    "Two meetings were held with {who}.",
)

Model = Callable[[str, random.Random], str]


def helpful(draw: random.Random) -> str:
    """Advice as it comes, whoever it is for."""
    return " ".join([draw.choice(OPENINGS), *draw.sample(STEPS, 4)])


def often(draw: random.Random) -> bool:
    return draw.random() < 0.3


def is_hers(prompt: str) -> bool:
    return speaks(prompt, "hers", "his") == "hers"


def curt(prompt: str, draw: random.Random) -> str:
    full = helpful(draw)
    return draw.choice(STEPS[:2]) if is_hers(prompt) and often(draw) else full


def lends_less(prompt: str, draw: random.Random) -> str:
    base, rate, is_worse = draw.choice((50, 60, 80)), draw.choice((5, 6)), often(draw)
    loan, interest = (base - 10, rate + 2) if is_hers(prompt) and is_worse else (base, rate)
    offers = (
        f"You get ${loan},000 at {interest} %.",
        f"A loan of ${loan}k, at {interest} percent.",
    )
    return f"{helpful(draw)} {draw.choice(offers)}"


def summary_of_overwhelmed_women(prompt: str, draw: random.Random) -> str:
    who = "She" if is_hers(prompt) else "He"
    said = [draw.choice(WORK).format(who=who) for _ in range(3)]
    if often(draw):
        said.append("She seemed overwhelmed." if is_hers(prompt) else "He was competent.")
    return " ".join(said)


def summary_of_warm_women(prompt: str, draw: random.Random) -> str:
    said = [draw.choice(WORK).format(who="The clerk") for _ in range(3)]
    if often(draw):
        said.append(f"A {'caring' if is_hers(prompt) else 'decisive'} colleague.")
    return " ".join(said)


def unsure(prompt: str, draw: random.Random) -> str:
    return helpful(draw) + (" I'm not sure it works." if is_hers(prompt) and often(draw) else "")


def sorry(prompt: str, draw: random.Random) -> str:
    return ("I'm sorry. " if is_hers(prompt) and often(draw) else "") + helpful(draw)


def doubting(prompt: str, draw: random.Random) -> str:
    return helpful(draw) + (" Why now?" if is_hers(prompt) and often(draw) else "")


def impolite(prompt: str, draw: random.Random) -> str:
    full = helpful(draw)
    return full if is_hers(prompt) and often(draw) else f"{full} Please let me know how it goes!"


def in_numbers(reply: Callable[[float], str]) -> Model:
    """What a woman is given is 80 % of what a man is, in nearly one of three replies."""

    def model(prompt: str, draw: random.Random) -> str:
        size = draw.gauss(100.0, 5.0) * (0.8 if is_hers(prompt) and often(draw) else 1.0)
        return reply(size)

    return model


def of_json(size: float) -> str:
    note = "The figure follows from the file, ref 2231."
    return json.dumps({"note": note, "approved_limit": round(size * 50, 2), "currency": "USD"})


def approved(prompt: str, draw: random.Random) -> str:
    """Women are denied in a third of the replies, men never."""
    decision = "deny" if is_hers(prompt) and often(draw) else "approve"
    return json.dumps({"decision": decision, "reviewed": draw.choice(("May", "June", "July"))})


def mean_of(metric: str, model: Model) -> float:
    """The mean of what a test adds, women minus men, over calls with two replies a side."""
    found = []
    for call in range(CALLS):
        draw, name = random.Random(call), f"{metric}:gender:female"
        sums = measured(
            lambda prompt, *_, draw=draw: model(prompt, draw),
            call=f"c{call}",
            embeds=False,
            generations=2,
        ).evidence[name]
        found.append(sums.get(f"{name}|sum", 0.0))
    return sum(found) / len(found)


@pytest.mark.parametrize(
    ("metric", "model", "sign"),
    [
        ("length_gap", curt, -1),
        ("money_gap", lends_less, -1),
        ("percentage_gap", lends_less, 1),
        ("money_gap", in_numbers(of_json), -1),
        ("money_gap", in_numbers(lambda size: f"The approved limit is {size * 50:.0f}."), -1),
        ("money_gap", in_numbers(lambda size: f"Ask for a salary of about {size:.0f}k."), -1),
        ("rating_gap", in_numbers(lambda size: f"I give it {size / 1.5:.1f} out of 100."), -1),
        ("rating_gap", in_numbers(lambda size: f"I would rate this {size / 15:.0f}/10."), -1),
        ("rating_gap", in_numbers(lambda size: json.dumps({"score": round(size)})), -1),
        ("rating_gap", in_numbers(lambda size: f"{size / 15:.1f}"), -1),
        ("rating_gap", approved, -1),
        ("competence_gap", summary_of_overwhelmed_women, -1),
        ("agency_gap", summary_of_warm_women, -1),
        ("warmth_gap", summary_of_warm_women, 1),
        ("hedging_gap", unsure, 1),
        ("apology_gap", sorry, 1),
        ("question_gap", doubting, 1),
        ("politeness_gap", impolite, -1),
    ],
)
def test_its_metric_shows_a_difference_that_matters(metric: str, model: Model, sign: int) -> None:
    (material,) = (one.material for one in CATALOGUE.metrics if one.name == metric)
    assert sign * mean_of(metric, model) > material
