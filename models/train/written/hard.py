"""Hard texts: harmless ones that look rough, and harmful ones without a slur, in minimal pairs.

A template gives both sides of a pair: `<a//b>` is `a` in the harmless text and `b` in the harmful
one; all else, the group and the names included, is the same in both. So no group and no name is
more harmful here than another. A third of the templates, and of the sentences that may stand
around them, is held out: it is never trained on and makes suites of the evaluation. Some of the
other templates are not trained on either: they set thresholds.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from random import Random

from train.keys import fraction_of, hashed, text_key
from train.rows import Row
from train.written.build import LICENCE
from train.written.casting import Casting, allowed
from train.written.grammar import Section, expand, sections_of
from train.written.labels import targets
from train.written.people import Cast, fill, group_count, names_wanted, slots
from train.written.text import tidy

FILES = (
    "computing", "household", "language", "medicine", "society",
    "contempt", "prejudice", "hostility",
    "machines", "outdoors", "culture", "feedback", "answers",
    "judgement", "hostile_claims", "group_talk",
    "personal", "suspicion", "menace", "rough_things", "group_facts", "long_answers",
    "creative", "crisis", "everyday", "identity", "news", "workplace",
    "bodies", "long_plain", "short_talk", "world",
    "doings", "frank", "disdain", "reasons", "loaded_facts", "longer", "claims", "typecast",
    "traps", "harms", "oddments", "buried", "neighbourly", "sayings", "assistant", "offices",
    "comfort", "chat", "past", "lessons", "forums", "housing", "trades", "denials",
    "explanations", "families", "inlay", "clubs", "courts",
)  # fmt: skip
FRAMES = "hard/frames.txt"
HELD_OUT_SHARE = 1 / 3
VALIDATION_SHARE = 0.1
FILLINGS = 5
COPIES = 2
ATTEMPTS = 4
SHAPES = ((0, 0), (0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2))
"""How many sentences stand before and after a template; one of these is drawn."""

SWITCH = re.compile(r"<([^<>]*?)//([^<>]*)>")
HARMLESS_OPTION = "harmless."


class Side(StrEnum):
    """Which of the two texts of a minimal pair."""

    HARMLESS = "harmless"
    HARMFUL = "harmful"


class Part(StrEnum):
    """What the texts of a template are for."""

    TRAINING = "training"
    VALIDATION = "validation"
    HELD_OUT = "held out"


@dataclass(frozen=True, slots=True, kw_only=True)
class HardTemplate:
    """One line of a section. The hash of the line decides what it is for."""

    section: Section
    line: str

    @property
    def name(self) -> str:
        return f"{self.section.name}/{hashed(self.line)[:12]}"

    @property
    def trap(self) -> bool:
        """Whether the harmless text is the hard one of the two."""
        return self.section.options["kind"] == "trap"

    @property
    def held_out(self) -> bool:
        return is_held_out(self.line)

    @property
    def part(self) -> Part:
        if self.held_out:
            return Part.HELD_OUT
        validates = fraction_of(self.line, "hard validation") < VALIDATION_SHARE
        return Part.VALIDATION if validates else Part.TRAINING


@dataclass(frozen=True, slots=True, kw_only=True)
class HardText:
    """One side of a pair. body: the text without the sentences around the template.

    pair: shared by the two texts that differ in nothing but their switches.
    """

    row: Row
    body: str
    template: HardTemplate
    side: Side
    group: str | None
    pair: str

    @property
    def rough(self) -> bool:
        """Whether it is harmless and looks harmful."""
        return self.template.trap and self.side is Side.HARMLESS


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An expanded template whose people are not chosen yet, and the sentences around it."""

    line: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    place: str


@dataclass(slots=True, kw_only=True)
class Progress:
    """What the templates before have used."""

    casting: Casting = field(default_factory=Casting)
    seen: set[str] = field(default_factory=set)


def is_held_out(line: str) -> bool:
    """The same for a line in every run: who edits a line makes another one of it."""
    return fraction_of(line, "hard held out") < HELD_OUT_SHARE


@cache
def hard_templates() -> tuple[HardTemplate, ...]:
    return tuple(
        HardTemplate(section=section, line=line)
        for file in FILES
        for section in sections_of(f"hard/{file}.txt")
        for line in section.lines
    )


@cache
def frames(subject: str, part: str, *, held_out: bool) -> tuple[str, ...]:
    """Sentences for a place around a template, of its subject or of any."""
    return tuple(
        line
        for section in sections_of(FRAMES)
        if section.name in {subject, "any"} and section.options["part"] == part
        for line in section.lines
        if is_held_out(line) == held_out
    )


def side_of(text: str, side: Side) -> str:
    """The text of one side."""
    return SWITCH.sub(r"\1" if side is Side.HARMLESS else r"\2", text)


def options_of(template: HardTemplate, side: Side) -> Mapping[str, str]:
    """What the header says about one side: a harmless one is labelled 0 throughout."""
    options = template.section.options
    if side is Side.HARMFUL:
        return options
    exceptions = {
        key.removeprefix(HARMLESS_OPTION): value
        for key, value in options.items()
        if key.startswith(HARMLESS_OPTION)
    }
    return {"labels": "benign", **exceptions}


def names_on_one_side(line: str) -> bool:
    """Whether somebody is named in one of the two texts only."""
    return len({names_wanted(slots(side_of(line, side))) for side in Side}) > 1


def drafted(template: HardTemplate, place: str, rng: Random) -> Draft:
    subject = template.section.options["frame"]
    held_out = template.held_out
    opening, following = rng.choice(SHAPES)
    line = expand(template.line, {}, rng)
    part = "name" if names_on_one_side(line) else "open"
    opening = 1 if part == "name" else opening
    before = rng.sample(frames(subject, part, held_out=held_out), opening)
    after = rng.sample(frames(subject, "follow", held_out=held_out), following)
    return Draft(
        line=line,
        before=tuple(expand(sentence, {}, rng) for sentence in before),
        after=tuple(expand(sentence, {}, rng) for sentence in after),
        place=place,
    )


def casts_of(template: HardTemplate, draft: Draft, casting: Casting, rng: Random) -> list[Cast]:
    """The casts of the copies of a draft, both sides of which share them."""
    wanted = slots(draft.line)
    eligible = allowed(template.section.options, wanted) if group_count(wanted) else []
    leads = casting.least(eligible, COPIES, toxic=False, rng=rng) if eligible else []
    return casting.casts(draft.line, leads, eligible, rng, COPIES)


def source_of(side: Side) -> str:
    """What the rows of this side name as their source."""
    return f"written/hard_{'benign' if side is Side.HARMLESS else side}"


def hard_text(template: HardTemplate, draft: Draft, cast: Cast, side: Side) -> HardText:
    def told(text: str) -> str:
        return tidy(side_of(fill(text, cast, Random(f"{draft.place}/{cast}")), side))

    body = told(draft.line)
    text = " ".join([*map(told, draft.before), body, *draft.after])
    lead = cast.groups[:1]
    row = Row(
        text=text,
        key=text_key(text),
        source=source_of(side),
        licence=LICENCE,
        targets=targets(options_of(template, side), lead),
        bundle=f"{draft.place}/{side}",
    )
    return HardText(
        row=row,
        body=body,
        template=template,
        side=side,
        group=lead[0].id if lead else None,
        pair=f"{draft.place}/{hashed(str(cast))[:8]}",
    )


def pairs_of(template: HardTemplate, turn: int, seed: int, done: Progress) -> Iterator[HardText]:
    """Both sides of each copy; neither where one of them has been written before."""
    place = f"hard/{template.name}/{turn}"
    rng = Random(f"{seed}/{place}")
    draft = drafted(template, place, rng)
    for cast in casts_of(template, draft, done.casting, rng):
        pair = [hard_text(template, draft, cast, side) for side in Side]
        keys = {each.row.key for each in pair}
        if len(keys) == len(pair) and keys.isdisjoint(done.seen):
            done.seen |= keys
            yield from pair


def of_template(template: HardTemplate, seed: int, fillings: int, done: Progress) -> list[HardText]:
    found: list[HardText] = []
    for turn in range(fillings * ATTEMPTS):
        found += pairs_of(template, turn, seed, done)
        if len(found) >= 2 * fillings:
            break
    return found[: 2 * fillings]


def hard_texts(seed: int, part: Part, *, fillings: int = FILLINGS) -> list[HardText]:
    """`fillings` pairs of every template of one part."""
    done = Progress()
    return [
        text
        for template in hard_templates()
        if template.part is part
        for text in of_template(template, seed, fillings, done)
    ]


def hard_rows(
    seed: int, forbidden: frozenset[str] = frozenset(), part: Part = Part.TRAINING
) -> list[Row]:
    """Rows to train on; no pair of which one text is in `forbidden` (hashed keys)."""
    texts = hard_texts(seed, part)
    refused = pairs_with(texts, forbidden)
    return [each.row for each in texts if each.pair not in refused]


def pairs_with(texts: Sequence[HardText], forbidden: frozenset[str]) -> frozenset[str]:
    return frozenset(each.pair for each in texts if hashed(each.row.key) in forbidden)
