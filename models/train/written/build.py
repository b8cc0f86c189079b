"""Builds the written rows from the templates, seeded and without doubles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from random import Random

from train.keys import hashed, text_key
from train.rows import Row
from train.written import predicates
from train.written.casting import Casting, allowed
from train.written.disguise import disguise
from train.written.families import DISGUISED_ROWS, FAMILIES, LIST_FILES, Family
from train.written.grammar import Section, expand, sections_of, word_lists
from train.written.labels import targets
from train.written.people import Cast, Group, fill, group_count, groups, slots
from train.written.text import chatty, tidy

LICENCE = "own"
MAX_WORDS = 160
ATTEMPTS = 4
FILLER_COUNTS = (1, 1, 2, 2, 3, 4, 6, 9)
PLAIN_FILLERS = ("travel", "dialogue", "summary", "business", "creative", "science")
GROUP_FILLERS = ("everyday_adj", "everyday_plural", "encyclopedic", "news")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A row with what it is: rows of one pair differ in the group or the names alone."""

    row: Row
    family: str
    section: str
    group: str | None
    pair: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One line of a section."""

    family: Family
    section: Section
    line: str
    number: int

    @property
    def toxic(self) -> bool:
        return self.section.options["labels"] == "toxic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skeleton:
    """A text whose people are not chosen yet, and the groups that may be."""

    text: str
    options: Mapping[str, str]
    eligible: Sequence[Group]
    pair: str


@dataclass(slots=True, kw_only=True)
class Bench:
    """What all builders of one run share."""

    seed: int
    casting: Casting = field(default_factory=Casting)
    seen: set[str] = field(default_factory=set)


@cache
def lists() -> Mapping[str, tuple[str, ...]]:
    return {name: words for file in LIST_FILES for name, words in word_lists(file).items()}


@cache
def fillers(kind: str) -> tuple[str, ...]:
    """Harmless sentences that lengthen a text."""
    found = [s.lines for s in sections_of("answers.txt") if s.name in PLAIN_FILLERS]
    if kind == "group":
        found += [s.lines for s in sections_of("neutral.txt") if s.name in GROUP_FILLERS]
    return (*lists()["bland"], *chain.from_iterable(found))


def templates(family: Family) -> list[Template]:
    return [
        Template(family=family, section=section, line=line, number=number)
        for section in sections_of(family.file)
        if family.labels is None or section.options["labels"] == family.labels
        for number, line in enumerate(section.lines)
        if section.name not in {"open", "close"}
    ]


def lengthened(template: Template, rng: Random) -> tuple[str, Mapping[str, str]]:
    """The line itself, or now and then the line among harmless sentences."""
    line, options = template.line, template.section.options
    if rng.random() >= template.family.long_share:
        return line, options
    kind = "group" if group_count(slots(line)) else "plain"
    sentences = rng.sample(fillers(kind), rng.choice(FILLER_COUNTS))
    sentences.insert(rng.randrange(len(sentences) + 1), line)
    return " ".join(map(stopped, sentences)), {**options, "val": ""}


def stopped(sentence: str) -> str:
    return sentence if sentence[-1] in ".!?]" else sentence + "."


def joined(template: Template, rng: Random) -> str:
    """Several lines of a section in a row, perhaps with an opening and a close around them."""
    low, high = map(int, template.section.options["join"].split("-"))
    rest = [line for line in template.section.lines if line != template.line]
    count = min(rng.randint(low, high) - 1, len(rest))
    body = sorted([template.line, *rng.sample(rest, count)], key=template.section.lines.index)
    frame = {section.name: section.lines for section in sections_of(template.family.file)}
    opening = [rng.choice(frame["open"])] if rng.random() < 0.6 else []
    closing = [rng.choice(frame["close"])] if rng.random() < 0.5 else []
    gap = rng.choice((" ", " ", "\\n", "\\n\\n"))
    return gap.join([*opening, *body, *closing])


def skeleton(template: Template, pair: str, rng: Random) -> Skeleton | None:
    options = template.section.options
    if options.get("claims") == "own":
        return own_skeleton(template, pair, rng)
    if "join" in options:
        line = joined(template, rng)
    else:
        line, options = lengthened(template, rng)
    text = expand(line, lists(), rng)
    wanted = slots(text)
    eligible = allowed(options, wanted) if group_count(wanted) else []
    return Skeleton(text=text, options=options, eligible=eligible, pair=pair)


def own_skeleton(template: Template, pair: str, rng: Random) -> Skeleton | None:
    """A frame with a predicate of one group, which others of its axis may take over."""
    names = sorted(predicates.claims_of())
    weights = {group.id: group.weight for group in groups()}
    owner = rng.choices(names, [weights[name] for name in names])[0]
    own = predicates.lists_for(owner)
    if any(f"{{{name}}}" in template.line and not words for name, words in own.items()):
        return None
    text = expand(template.line, {**lists(), **own}, rng)
    by_id = {group.id: group for group in groups()}
    siblings = [g for g in allowed({"axis": by_id[owner].axis}, slots(text)) if g.id != owner]
    if predicates.awkward(text):
        return None
    eligible = [by_id[owner], *siblings] if slots(text) else [by_id[owner]]
    return Skeleton(text=text, options=template.section.options, eligible=eligible, pair=pair)


def leads(draft: Skeleton, template: Template, bench: Bench, rng: Random) -> list[Group]:
    """The groups that the copies of a text are about."""
    if not draft.eligible:
        return []
    copies = template.family.copies
    if draft.options.get("claims") == "own":
        owner, *siblings = draft.eligible
        return [owner, *rng.sample(siblings, min(copies - 1, max(0, len(siblings) - 2)))]
    return bench.casting.least(draft.eligible, copies, template.toxic, rng)


def dressed(text: str, template: Template, rng: Random) -> str:
    style = template.section.options.get("style")
    loose = style == "chat" or (len(text) < 240 and rng.random() < template.family.chat_share)
    tidied = tidy(text)
    return chatty(tidied, rng) if loose else tidied


def written_of(draft: Skeleton, cast: Cast, template: Template, rng: Random) -> Written:
    name = Random(f"{draft.pair}/{cast}").random()
    text = dressed(fill(draft.text, cast, Random(name)), template, rng)
    lead = cast.groups[:1]
    row = Row(
        text=text,
        key=text_key(text),
        source=f"written/{template.family.name}",
        licence=LICENCE,
        targets=targets(draft.options, lead),
        bundle=draft.pair,
    )
    return Written(
        row=row,
        family=template.family.name,
        section=template.section.name,
        group=lead[0].id if lead else None,
        pair=draft.pair,
    )


def copies_of(template: Template, turn: int, bench: Bench) -> list[Written]:
    """One text with all its counterfactual copies; nothing where it has been written before."""
    place = f"{template.family.name}/{template.section.name}/{template.number}/{turn}"
    rng = Random(f"{bench.seed}/{place}")
    draft = skeleton(template, place, rng)
    if draft is None:
        return []
    cast = leads(draft, template, bench, rng)
    extras = allowed({}, slots(draft.text))
    casts = bench.casting.casts(draft.text, cast, extras, rng, min(2, template.family.copies))
    style = rng.random()
    found = [written_of(draft, each, template, Random(style)) for each in casts]
    fresh = {
        w.row.key: w
        for w in found
        if w.row.key not in bench.seen and len(w.row.text.split()) <= MAX_WORDS
    }
    bench.seen.update(fresh)
    return list(fresh.values())


def of_template(template: Template, quota: int, bench: Bench) -> list[Written]:
    found: list[Written] = []
    for turn in range(quota * ATTEMPTS):
        if len(found) >= quota:
            break
        found += copies_of(template, turn, bench)
    return found


def of_family(family: Family, bench: Bench) -> list[Written]:
    """Equal shares of the templates; what short ones cannot give, the others do."""
    lines = templates(family)
    found: list[Written] = []
    Random(f"{bench.seed}/{family.name}").shuffle(lines)
    lines.sort(key=lambda template: variety(template.line))
    for left, template in zip(range(len(lines), 0, -1), lines, strict=True):
        quota = round((family.rows - len(found)) / left)
        found += of_template(template, quota, bench)
    return found


def variety(line: str) -> int:
    """How much a template can change: lists count more than alternatives."""
    return 3 * line.count("{") + line.count("|")


def own_key(text: str, seen: set[str]) -> str:
    """The key of a disguised text; a mark keeps it apart where only punctuation disguises it."""
    key = text_key(text)
    return f"{key} disguised" if key in seen else key


def disguised(found: Sequence[Written], count: int, bench: Bench) -> Iterator[Written]:
    """Texts with the spelling tricks of those who evade filters: as many toxic as harmless ones."""
    rng = Random(f"{bench.seed}/disguised")
    rated = [w for w in found if w.row.targets[0] is not None and len(w.row.text) < 400]
    toxic = [w for w in rated if w.row.targets[0] == 1.0]
    other = [w for w in rated if w.row.targets[0] == 0.0]
    for each in chain(rng.sample(toxic, count // 2), rng.sample(other, count - count // 2)):
        text = disguise(each.row.text, rng)
        if text.lower() != each.row.text.lower():
            key = own_key(text, bench.seen)
            row = replace(each.row, text=text, key=key, source="written/disguised", bundle="")
            yield replace(each, row=row, family="disguised")


def written(
    seed: int, share: float = 1.0, forbidden: frozenset[str] = frozenset()
) -> list[Written]:
    """All written rows, or a share of each family; the same ones for the same seed.

    `forbidden` holds hashed keys of evaluation texts (`sampling.forbidden_keys`) that are left out:
    a short exclamation may well be among them.
    """
    bench = Bench(seed=seed)
    sized = [replace(family, rows=round(family.rows * share)) for family in FAMILIES]
    plain = [each for family in sized for each in of_family(family, bench)]
    distinct = {
        w.row.key: w for w in chain(plain, disguised(plain, round(DISGUISED_ROWS * share), bench))
    }
    return [w for w in distinct.values() if hashed(text_key(w.row.text)) not in forbidden]


def written_rows(seed: int, forbidden: frozenset[str] = frozenset()) -> list[Row]:
    return [each.row for each in written(seed, forbidden=forbidden)]
