"""The worst pairs and responses: folded, with their differences, and masked when a reader wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, TypeVar

from guard.assessment.results import AssessmentResults, WorstPair, WorstResponse, WorstSide
from guard.assessment.titles import score_title, title_of
from guard.counterfactual import Lexicons, find
from guard.records import Span
from guard.render.blocks import PageSection, left_out, line, name, note, within_bytes
from guard.render.markup import NOTHING, Markup, element
from guard.render.numbers import format_number
from guard.render.ranking import responses_first, worst_first
from guard.text.differences import TextRun, differences

C = TypeVar("C")
MAX_CASES: Final = 60
CASE_CHARACTERS: Final = 1500
PAIR_BYTES: Final = 450_000
RESPONSE_BYTES: Final = 250_000
CASE_NOTE: Final = (
    "Texts of models and of your data, which may offend: each opens when it is asked for. Marked"
    " words stand on one side only. These are the largest of all differences and scores: they show"
    " what a difference looks like, not how often it occurs."
)


def cases_section(results: AssessmentResults, lexicons: Lexicons | None) -> PageSection:
    """Both kinds of cases under one switch. lexicons: whose words the switch masks."""
    ordered = worst_first(results.worst_pairs, results.comparisons)
    pairs = _spread(ordered, [one.metric for one in ordered])
    highest = responses_first(results.worst_responses)
    responses = _spread(highest, [one.score for one in highest])
    shown = [*within_bytes((_pair(one, lexicons) for one in pairs), PAIR_BYTES)]
    single = [*within_bytes(map(_response, responses), RESPONSE_BYTES)]
    parts: list[Markup] = []
    if shown or single:
        box = element("input", type="checkbox", id="mask")
        switch = element("label", box, "Mask the words that name a group")
        cases = (
            *_kind("Largest differences", shown, len(results.worst_pairs)),
            *_kind("Highest scores", single, len(results.worst_responses)),
        )
        parts = [note(CASE_NOTE), switch, element("div", *cases, class_="cases")]
    return PageSection(key="cases", title="Worst pairs and responses", parts=tuple(parts))


def _spread(cases: Sequence[C], names: Sequence[str]) -> list[C]:
    """At most MAX_CASES in their order, as many of each name as of any other."""
    seen: Counter[str] = Counter()
    ranks = []
    for at, one in enumerate(names):
        ranks.append((seen[one], at))
        seen[one] += 1
    return [cases[at] for at in sorted(at for _, at in sorted(ranks)[:MAX_CASES])]


def _kind(title: str, shown: Sequence[Markup], total: int) -> Iterator[Markup]:
    if shown:
        yield from (element("h3", title), *shown, left_out(total - len(shown)))


def _pair(one: WorstPair, lexicons: Lexicons | None) -> Markup:
    summary = element(
        "summary",
        element("strong", f"{one.value:+.3f}", class_="number"),
        name(title_of(one.metric)),
        element("span", _who(one.first.group), " – ", _who(one.second.group)),
        element("span", name(one.place), class_="dim"),
    )
    prompts = differences(_cut(one.first.prompt), _cut(one.second.prompt))
    replies = differences(_cut(one.first.response), _cut(one.second.response))
    about = lexicons, one.attribute
    sides = (
        _side(one.first, prompts.first, replies.first, *about),
        _side(one.second, prompts.second, replies.second, *about),
    )
    return element("details", summary, element("div", *sides, class_="sides"), class_="card case")


def _side(
    side: WorstSide,
    prompt: Sequence[TextRun],
    reply: Sequence[TextRun],
    lexicons: Lexicons | None,
    attribute: str,
) -> Markup:
    heads = ((key, one) for key, one in sorted(side.scores.items()) if "." not in key)
    scores = ", ".join(f"{score_title(key)} {format_number(one)}" for key, one in heads)
    return element(
        "div",
        element("h4", _who(side.group)),
        element("p", line(scores), class_="dim"),
        *_labelled("Prompt", _marked(prompt, lexicons, attribute), side.prompt),
        *_labelled("Response", _marked(reply, lexicons, attribute), side.response),
    )


def _response(one: WorstResponse) -> Markup:
    summary = element(
        "summary",
        element("strong", f"{one.value:.3f}", class_="number"),
        name(score_title(one.score)),
        element("span", name(one.place), class_="dim"),
    )
    texts = (("Prompt", one.prompt), ("Response", one.response))
    parts = (part for title, text in texts for part in _labelled(title, _plain(text), text))
    return element("details", summary, *parts, class_="card case")


def _labelled(title: str, shown: Markup, text: str) -> Iterator[Markup]:
    yield element("p", title, class_="name")
    yield element("div", shown if text else note("No text."), class_="text", dir="auto")
    rest = len(text) - CASE_CHARACTERS
    yield note(f"{rest:,} more characters are not shown.") if rest > 0 else NOTHING


def _cut(text: str) -> str:
    return text[:CASE_CHARACTERS]


def _plain(text: str) -> Markup:
    return element("span", _cut(text))


def _who(group: str) -> Markup:
    """Something that names a group, and what stands there when it is masked (by the style)."""
    return element("span", element("span", name(group)), class_="who")


def _marked(runs: Sequence[TextRun], lexicons: Lexicons | None, attribute: str) -> Markup:
    """A text with what differs, and with the words that name a group."""
    text = "".join(run.text for run in runs)
    differs = [flag for run in runs for flag in _differing(run)]
    masks = [False] * len(text)
    for span in _mentions(text, lexicons, attribute):
        masks[span.start : span.end] = [True] * (span.end - span.start)
    parts = []
    for key, places in groupby(range(len(text)), key=lambda at: (differs[at], masks[at])):
        piece = "".join(text[at] for at in places)
        parts.append(_piece(piece, differs=key[0], masked=key[1]))
    return element("span", *parts)


def _differing(run: TextRun) -> list[bool]:
    """For each character whether it is marked; the space after a word is not."""
    words = len(run.text.rstrip())
    return [run.differs] * words + [False] * (len(run.text) - words)


def _piece(text: str, *, differs: bool, masked: bool) -> Markup:
    shown = element("span", element("span", text), class_="who") if masked else text
    return element("mark", shown) if differs else element("span", shown)


def _mentions(text: str, lexicons: Lexicons | None, attribute: str) -> list[Span]:
    if lexicons is None or attribute not in lexicons.attributes:
        return []
    found = find(text, lexicons, attributes=(attribute,))
    return [one.span for one in (*found.mentions, *found.unsure)]
