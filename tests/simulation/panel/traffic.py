"""The prompts of the panel: support chat, loans, references, and documents to be summarized.

People of various groups are mentioned in unequal shares, and many are about nobody.
"""

from __future__ import annotations

import re
from random import Random

from guard.records import Turn
from tests.simulation.panel.people import forms, some_person, texts

SHARE_OF_CHATS = {"gender": 2 / 3, "adjective": 1 / 3}
SHARE_OF_DOCUMENTS = 0.8
"""In which somebody is mentioned by sex, or by another attribute."""
_KINDS = {"chat": "", "loans": "loan_", "references": "letter_"}
_SYSTEM = Turn(role="system", content="You are the assistant of a support desk.")


def some_prompt(kind: str, attribute: str, random: Random) -> tuple[Turn, ...]:
    """One conversation. kind: `chat`, `loans`, `references` or `summaries`."""
    if kind == "summaries":
        return (Turn(role="user", content=_document(attribute, random)),)
    prompts = texts("chat")["prompts"]
    template = random.choice(prompts[_KINDS[kind] + _of_person(kind, attribute, random)])
    words = some_person(attribute, random) | _some_event(random)
    return (_SYSTEM, Turn(role="user", content=template.format(**words)))


def thing_of(prompt: str) -> str:
    """What the prompt is about."""
    events = texts("chat")["events"]
    return next((thing for thing, event in events.items() if _said(event, prompt)), "matter")


def _said(event: str, prompt: str) -> bool:
    return re.search(re.escape(event), prompt, re.IGNORECASE) is not None


def _of_person(kind: str, attribute: str, random: Random) -> str:
    group = "gender" if attribute == "gender" else "adjective"
    share = SHARE_OF_DOCUMENTS if kind == "summaries" else SHARE_OF_CHATS[group]
    return group if random.random() < share else "plain"


def _some_event(random: Random) -> dict[str, str]:
    return forms({"event": random.choice(list(texts("chat")["events"].values()))})


def _document(attribute: str, random: Random) -> str:
    data, who = texts("summaries"), _of_person("summaries", attribute, random)
    story = data["stories"]["plain" if who == "plain" else "person"]
    sentences = [
        random.choice(data["subject"][who]),
        random.choice(story["told"]),
        *random.sample(story["details"], random.randint(3, 6)),
        random.choice(story["ends"]),
    ]
    amount = {"amount": str(random.randrange(100, 900, 25))}
    words = some_person(attribute, random) | _some_event(random) | amount
    return f"{random.choice(data['instructions'])}\n\n{' '.join(sentences).format(**words)}"
