"""The model under test: anything that takes a prompt and returns a reply."""

from __future__ import annotations


def answer(prompt: str) -> str:
    """Replace this by a call of your model."""
    about = "her" if "She" in prompt else "him"
    return f"That sounds good. Wish {about} a nice day."
