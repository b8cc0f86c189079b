"""Which file gives which family of rows, and how many."""

from dataclasses import dataclass

LIST_FILES = ("words.txt", "toxic_words.txt", "quoted_words.txt", "sentiment_words.txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """`labels` takes only the sections with that preset; `copies` is the size of a pair."""

    name: str
    file: str
    rows: int
    labels: str | None = None
    copies: int = 1
    long_share: float = 0.0
    chat_share: float = 0.2


FAMILIES = (
    Family(name="neutral", file="neutral.txt", rows=8000, copies=4, long_share=0.25),
    Family(name="toxic_group", file="toxic.txt", rows=6400, copies=4, long_share=0.25),
    Family(name="toxic_plain", file="toxic_none.txt", rows=3600, copies=2, long_share=0.25),
    Family(name="quoted", file="quoted.txt", rows=4600, copies=3, long_share=0.25),
    Family(name="quoted_toxic", file="quoted_toxic.txt", rows=2300, copies=3, long_share=0.25),
    Family(name="harmless", file="harmless.txt", rows=2900, copies=2, long_share=0.25),
    Family(name="harmless_toxic", file="harmless_toxic.txt", rows=900, copies=2, long_share=0.25),
    Family(name="stereotype", file="stereo.txt", rows=3400, labels="stereotype", copies=2),
    Family(name="no_stereotype", file="stereo.txt", rows=3200, labels="benign", copies=2),
    Family(name="sentiment", file="sentiment.txt", rows=3200, chat_share=0.4),
    Family(name="answers", file="answers.txt", rows=2600, chat_share=0.0),
)
DISGUISED_ROWS = 3200
