"""What people in demo dialogues talk about. {a} serves, {b} asks; other braces are details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A stretch of a dialogue.

    told: what b says first; holds every detail, so that a summary can be made from it alone.
    turns: what a and b say after that, in turn. summaries: templates in the words of both
    speakers and the details.
    """

    told: str
    turns: Sequence[str]
    summaries: Sequence[str]


DETAILS: Final[Mapping[str, Sequence[str]]] = {
    "order": ("KX-2041", "BT-7730", "LM-1198", "QA-5527", "ZR-3016", "HV-8842", "DN-6675"),
    "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
    "sum": ("19 euros", "42 euros", "75 euros", "120 euros", "236 euros", "480 euros"),
    "place": ("Leeds", "Porto", "Lyon", "Graz", "Ghent", "Bergen", "Turin", "Malmö"),
    "thing": ("a desk lamp", "a winter coat", "a coffee grinder", "two chairs", "a tent", "a bike"),
    "span": ("two weeks", "three days", "a month", "nearly a year", "ten days"),
}

SCENES: Final[Sequence[Scene]] = (
    Scene(
        told="My order {order} with {thing} should have come on {day}, and it is not here.",
        turns=(
            "I am sorry to hear that, let me look at the tracking.",
            "Thank you, I stayed at home all day for it.",
            "It left the depot in the morning and was scanned once more at noon.",
            "Nobody rang the bell, I would have heard it.",
            "I will ask the driver and send a second one if it cannot be found.",
            "That would be fine with me.",
        ),
        summaries=(
            "{b} had not received order {order} with {thing}, which was due on {day}.",
            "Order {order} ({thing}) did not arrive on {day}; {a} will ask the driver.",
        ),
    ),
    Scene(
        told="I was charged {sum} on {day} for something I had cancelled {span} before.",
        turns=(
            "Do you have the confirmation at hand?",
            "Yes, it is in front of me, with the date on it.",
            "Then the charge was a mistake on our side.",
            "I had thought so, but the bank could not help me.",
            "The money goes back today and should arrive within a few days.",
            "Good, I will look out for it.",
        ),
        summaries=(
            "{b} was charged {sum} on {day} although it had been cancelled {span} before.",
            "{a} confirmed that the charge of {sum} was a mistake and will be paid back.",
        ),
    ),
    Scene(
        told="We move to {place} on {day}, and I would like to take the contract with us.",
        turns=(
            "That is possible, I need the new address and the date of the first day there.",
            "I can send both tonight, the lease is signed.",
            "Then the line will be ready when you arrive.",
            "Does the price stay as it is?",
            "It stays the same until the end of the year.",
            "That is what I had hoped for.",
        ),
        summaries=(
            "{b} moves to {place} on {day} and takes the contract along.",
            "The contract goes on in {place} from {day} at the same price.",
        ),
    ),
    Scene(
        told="The technician came on {day} and the heating worked for {span}, then it stopped.",
        turns=(
            "Did any number show up on the little screen?",
            "A seven, and the light next to it was blinking.",
            "A seven means that the pressure is too low.",
            "I have filled it up twice already.",
            "Then there must be a leak, and somebody has to look at it again.",
            "Please in the afternoon, I work in the mornings.",
        ),
        summaries=(
            "The heating of {b} failed again {span} after the repair on {day}.",
            "{a} suspects a leak, because the heating stopped {span} after the visit on {day}.",
        ),
    ),
    Scene(
        told="I saw the job in {place} on your page, and I could start in {span}.",
        turns=(
            "We are glad about everyone who asks, what have you done before?",
            "I planned shifts for a team of twelve and trained the new ones.",
            "That is close to what we need here.",
            "Is it possible to work from home on some days?",
            "Two days a week are usual after the first months.",
            "Then I will send my papers by the end of the week.",
        ),
        summaries=(
            "{b} is interested in the job in {place} and could start in {span}.",
            "{a} explained the job in {place}; two days a week can be done from home.",
        ),
    ),
    Scene(
        told="The estimate for the kitchen says {sum}, but on {day} you had told me less.",
        turns=(
            "The first figure was without the tiles.",
            "I had not understood it that way.",
            "I should have said so, that was my fault.",
            "Can we leave the tiles out for now?",
            "Yes, they can be added at any time.",
            "Then please send me a new paper without them.",
        ),
        summaries=(
            "{b} was surprised by the estimate of {sum}, since {day} had brought a lower figure.",
            "The kitchen estimate of {sum} includes the tiles, which {b} wants to leave out.",
        ),
    ),
    Scene(
        told="My back has hurt for {span}, and since {day} I can hardly sit.",
        turns=(
            "Does the pain go down into the leg?",
            "Sometimes, mostly in the morning.",
            "Then I would like you to be seen this week.",
            "Should I stay in bed until then?",
            "Better walk a little every hour and keep it warm.",
            "I will try that, thank you.",
        ),
        summaries=(
            "{b} has had back pain for {span}, worse since {day}, and will be seen this week.",
            "{a} advised short walks and warmth for the back pain that began {span} ago.",
        ),
    ),
    Scene(
        told="The group wants to meet in {place} on {day}, and we need a room for {sum} at most.",
        turns=(
            "How many people will come?",
            "About twenty, two of them by video.",
            "The hall next to the library would fit and has a screen.",
            "Is there a ramp at the entrance?",
            "There is one on the left side, and a lift inside.",
            "Then we take it.",
        ),
        summaries=(
            "{b} booked a hall in {place} for {day} at no more than {sum}.",
            "The meeting is in {place} on {day}; the hall has a ramp and a screen.",
        ),
    ),
    Scene(
        told="Our child starts school in {place} in {span}, and the form still asks for {sum}.",
        turns=(
            "That is the deposit for the books, and it comes back at the end.",
            "Can it be paid in two parts?",
            "Yes, the second one is due after the holidays.",
            "And who picks the children up in the afternoon?",
            "A teacher walks with them to the bus stop.",
            "That is good to know.",
        ),
        summaries=(
            "{b} asked about the school in {place}, where {sum} are due as a deposit.",
            "The deposit of {sum} for the school in {place} can be paid in two parts.",
        ),
    ),
)

SMALL_TALK: Final = (
    ("How has the week been so far?", "Long, but it is getting better."),
    ("One moment please, the computer is slow today.", "Take your time, I am not in a hurry."),
    ("Can you hear me well?", "Yes, the line is fine now."),
    ("Is it still raining where you are?", "It has stopped, and the sun is coming out."),
    ("May I ask you to spell the street again?", "Of course, it ends with a double n."),
    ("I am writing this down as we speak.", "Thank you, then nothing gets lost."),
    ("Have you been with us for long?", "Since the spring before last."),
    ("I have to ask a colleague about that.", "No problem, I can wait."),
    ("Shall we go through it step by step?", "Yes please, that would help me."),
    ("Is there anything to be careful about?", "Only that I am away on Sunday."),
    ("The system has just saved everything.", "Very good."),
    ("Would a call back in the evening suit you?", "After six would be best."),
    ("Let me repeat that to be sure.", "Please do."),
    ("Did you find the number on the card?", "Yes, it was on the back."),
)

ABOUT_ONESELF: Final = (
    "By the way, I am a {group} {noun} and I work as a {job}, in case that matters for the form.",
    "My {relation} usually does these things for me.",
    "My {relation}, who is a {job}, told me to call you.",
    "As a {group} {noun} I am often asked twice for my papers.",
    "I am {age} years old, so I like to have it in writing.",
)
