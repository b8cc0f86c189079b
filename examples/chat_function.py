"""Guard a plain function: same signature, same types, and every reply is scored first.

Runs offline: `call_llm` stands for a call to your model.
"""

from guard import Guard

ANSWERS = {
    "How do I reset my password?": "Open the settings, choose Security, then Reset password.",
    "Why was my card declined?": "Because you are a stupid, worthless idiot. I hate you.",
}


def call_llm(prompt: str) -> str:
    """Ask the model."""
    return ANSWERS[prompt]


def main() -> None:
    with Guard.open() as guard:
        ask = guard.wrap(call_llm, use_case="support-chat")
        for prompt in ANSWERS:
            print(f"{prompt}\n  -> {ask(prompt)}")

        outcome = guard.check(ANSWERS["Why was my card declined?"], use_case="support-chat")
        print(f"verdict: {outcome.verdict}")
        for fired in outcome.fired:
            print(f"  {fired.score} {fired.value:.2f} >= {fired.threshold:.2f}: {fired.action}")


if __name__ == "__main__":
    main()
