"""Guard a stream: a sentence leaves once it has passed, and what comes after a bad one does not.

Runs offline: `stream_llm` stands for a streaming call to your model.
"""

from collections.abc import Iterator

from guard import Guard

ANSWERS = {
    "Where is my order?": (
        "Thank you for waiting. Your order left our warehouse this morning. "
        "You are a stupid, worthless idiot and I hate you. It arrives on Tuesday."
    )
}


def stream_llm(prompt: str) -> Iterator[str]:
    """Ask the model; yields the reply a few characters at a time, as models do."""
    answer = ANSWERS[prompt]
    for start in range(0, len(answer), 5):
        yield answer[start : start + 5]


def main() -> None:
    with Guard.open() as guard:
        stream = guard.wrap(stream_llm, use_case="support-chat")
        for piece in stream("Where is my order?"):
            print(piece, end="", flush=True)
        print()


if __name__ == "__main__":
    main()
