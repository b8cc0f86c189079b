"""Guard async functions: many calls at once, none of them blocks the event loop.

Runs offline: `call_llm` and `stream_llm` stand for calls to your model.
"""

import asyncio
from collections.abc import AsyncIterator

from guard import Guard

ANSWERS = {
    "Are you open on Sunday?": "Yes, from ten to four.",
    "Do you ship to Norway?": "We do. It takes about five days.",
    "Can I talk to a person?": "Nobody wants to talk to a stupid, worthless idiot like you.",
}


async def call_llm(prompt: str) -> str:
    """Ask the model."""
    await asyncio.sleep(0.05)
    return ANSWERS[prompt]


async def stream_llm(prompt: str) -> AsyncIterator[str]:
    """Ask the model; yields the reply word by word."""
    for word in ANSWERS[prompt].split(" "):
        await asyncio.sleep(0)
        yield word + " "


async def main() -> None:
    with Guard.open() as guard:
        ask = guard.wrap(call_llm, use_case="support-chat")
        for prompt, reply in zip(ANSWERS, await asyncio.gather(*map(ask, ANSWERS)), strict=True):
            print(f"{prompt}\n  -> {reply}")

        stream = guard.wrap(stream_llm, use_case="support-chat")
        async for piece in stream("Do you ship to Norway?"):
            print(piece, end="", flush=True)
        print()


if __name__ == "__main__":
    asyncio.run(main())
