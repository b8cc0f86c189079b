"""An OpenAI-like upstream of our own: raw sockets, the real wire format, and faults as told.

with Upstream() as upstream:
    prompt = upstream.plan(says("Hello."))   # a word; whoever sends it gets this answer
    ask(upstream.base_url, prompt)
    upstream.asked(prompt)                   # what came, and whether the asker left early
"""

from tests.servers_openai.acts import (
    Act,
    Behaviour,
    Ending,
    Gate,
    Wire,
    breaks_off,
    bytewise,
    canned,
    closes,
    drips,
    falls_silent,
    hangs,
    huge,
    in_pieces_of,
    says,
    status,
    waits_after,
)
from tests.servers_openai.reading import SseEvent, read_events, spoken
from tests.servers_openai.replies import Choice, Dialect, Saying, Tool
from tests.servers_openai.server import Asked, Upstream

__all__ = [
    "Act",
    "Asked",
    "Behaviour",
    "Choice",
    "Dialect",
    "Ending",
    "Gate",
    "Saying",
    "SseEvent",
    "Tool",
    "Upstream",
    "Wire",
    "breaks_off",
    "bytewise",
    "canned",
    "closes",
    "drips",
    "falls_silent",
    "hangs",
    "huge",
    "in_pieces_of",
    "read_events",
    "says",
    "spoken",
    "status",
    "waits_after",
]
