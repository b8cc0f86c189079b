"""The sets of sentences in `data`, written without a look at the code.

roles.tsv: a sentence, the group spoken of, the group wanted, and what is right. A name in what is
right stands as {NAME1:male}, any other name of that group; the same number is the same name.
ambiguous.tsv: a word that may or may not mean a person. nobody.txt: sentences about no one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from guard.counterfactual import bundled, find, rewrite

DATA = Path(__file__).parent / "data"
PLACEHOLDER = re.compile(r"\{NAME(\d):\w+\}")
Row = list[str]


def rows(name: str) -> list[Row]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


def pattern(expected: str) -> re.Pattern[str]:
    """What matches the expected text; each placeholder any one word, and always the same."""
    pieces, seen = [], set[str]()
    for place, piece in enumerate(PLACEHOLDER.split(expected)):
        if place % 2 == 0:
            pieces.append(re.escape(piece))
        else:
            pieces.append(f"(?P=n{piece})" if piece in seen else rf"(?P<n{piece}>[^\W\d_]+)")
            seen.add(piece)
    return re.compile("".join(pieces))


def is_right(sentence: str, expected: str, got: str | None) -> bool:
    """Whether `got` is one of the expected texts, its names others than the sentence's."""
    if got is None:
        return False
    matches = (pattern(one).fullmatch(got) for one in expected.split(" || "))
    return any(
        match and all(not re.search(rf"\b{name}\b", sentence) for name in match.groups())
        for match in matches
    )


def role_failures(found: Sequence[Row]) -> list[str]:
    return [failure for row in found if (failure := role_failure(*row))]


def role_failure(*row: str) -> str:
    identity, _, source, target, sentence, expected = row
    done = rewrite(sentence, bundled(), attribute="gender", to=target, source=source)
    if is_right(sentence, expected, done.text):
        return ""
    return f"{identity} {sentence}\n    got  {done.text or done.declined}\n    want {expected}"


def mistaken_person(row: Row) -> str:
    identity, attribute, person, word, occurrence, sentence = row
    start = -1
    for _ in range(int(occurrence)):
        start = sentence.index(word, start + 1)
    end = start + len(word)
    mentions = find(sentence, bundled(), attributes={attribute}).mentions
    is_person = any(m.span.start < end and start < m.span.end for m in mentions)
    return "" if is_person == (person == "yes") else f"{identity} {word!r} ({person}): {sentence}"


def mentioned(sentence: str) -> str:
    mentions = find(sentence, bundled()).mentions
    words = [f"{sentence[m.span.start : m.span.end]} ({m.form.attribute})" for m in mentions]
    return f"{', '.join(words)}: {sentence}" if words else ""


def share_right(failures: Sequence[str], of: int) -> float:
    return 1 - len(failures) / of


def report(failures: Iterable[str]) -> str:
    return "\n" + "\n".join(failures)


def test_the_sets_are_as_large_as_promised() -> None:
    sentences = [row[4] for row in rows("roles.tsv")]
    nobody = (DATA / "nobody.txt").read_text(encoding="utf-8").splitlines()
    assert len(set(sentences)) == len(sentences) >= 660
    assert len(rows("ambiguous.tsv")) >= 420
    assert len(set(nobody)) == len(nobody) == 2000


def test_99_in_100_rewrites_are_right() -> None:
    found = rows("roles.tsv")
    failures = role_failures(found)
    assert share_right(failures, len(found)) >= 0.99, report(failures)


@pytest.mark.parametrize("role", sorted({row[1] for row in rows("roles.tsv")}))
def test_no_role_is_left_behind(role: str) -> None:
    found = [row for row in rows("roles.tsv") if row[1] == role]
    failures = role_failures(found)
    assert share_right(failures, len(found)) >= 0.9, report(failures)


def test_95_in_100_ambiguous_words_are_told_apart() -> None:
    found = rows("ambiguous.tsv")
    failures = [failure for row in found if (failure := mistaken_person(row))]
    assert share_right(failures, len(found)) >= 0.95, report(failures)


def test_99_in_100_sentences_about_no_one_are_seen_as_such() -> None:
    sentences = (DATA / "nobody.txt").read_text(encoding="utf-8").splitlines()
    failures = [failure for sentence in sentences if (failure := mentioned(sentence))]
    assert share_right(failures, len(sentences)) >= 0.99, report(failures)


def everywhere(text: str) -> list[str]:
    """The text rewritten to each group of each attribute, as far as it can be."""
    attributes = bundled().attributes
    done = [
        rewrite(text, bundled(), attribute=attribute, to=group)
        for attribute, groups in attributes.items()
        for group in groups
    ]
    return [one.text for one in done if one.text is not None]


UNTOUCHABLE = [
    "https://example.com/her/mother?son=he",
    "www.black-women.example.org/queen",
    "her.mother@example.com",
    "mary.king@women.example",
    "`print(her.mother)`",
    "\n```\nfor she in women: he = her[she]\n```\n",
    "“The Old Man and the Sea”",
    "“Pride and Prejudice and Her Sister”",
    "mother-of-pearl",
    "therapist",
    "shepherd",
    "Herzegovina",
    "Manchester",
    "womanising",
    "Theatre",
    "history",
    "blackboard",
    "brotherhoods.txt",
]


@pytest.mark.parametrize("kept", UNTOUCHABLE)
@pytest.mark.parametrize(
    "frame",
    [
        "She sent {} to her sister, a black woman.",
        "I read {} yesterday. My mother did not like it, she said.",
        "See {}; he wrote it.",
    ],
)
def test_nothing_inside_it_is_replaced(kept: str, frame: str) -> None:
    texts = everywhere(frame.format(kept))
    assert texts, "declined everywhere"
    assert [text for text in texts if kept not in text] == []


def test_the_frame_itself_is_rewritten() -> None:
    texts = everywhere("She sent therapists to her sister.")
    assert "He sent therapists to his brother." in texts
