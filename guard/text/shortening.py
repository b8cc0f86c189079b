"""A long text by its beginning and its end."""


def shortened(text: str, most: int) -> str:
    """At most so many characters of a text, and how many are left out between them."""
    if len(text) <= most:
        return text
    head = most // 4
    tail = most - head
    return f"{text[:head]}\n[{len(text) - most:,} characters are left out]\n{text[-tail:]}"
