"""The hard texts: enough of them, labelled, balanced over groups, and a third of them held out."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import pytest

from evaluate.suites import all_texts
from train.heads import index_of
from train.identity import mentions
from train.keys import hashed
from train.recipe import DISTILLING, RECIPES
from train.sampling import rate_of
from train.written import written
from train.written.grammar import sections_of
from train.written.hard import (
    FRAMES,
    HardText,
    Part,
    Side,
    hard_rows,
    hard_templates,
    hard_texts,
    is_held_out,
    side_of,
)
from train.written.near_copies import index_of_sequences, shared
from train.written.people import people

TOXICITY, STEREOTYPE = index_of("toxicity"), index_of("stereotype")
NEAR = 0.5


@pytest.fixture(scope="module")
def training() -> list[HardText]:
    return hard_texts(1, Part.TRAINING)


@pytest.fixture(scope="module")
def held_out() -> list[HardText]:
    return hard_texts(1, Part.HELD_OUT)


def by_pair(texts: Iterable[HardText]) -> dict[str, list[HardText]]:
    pairs: dict[str, list[HardText]] = defaultdict(list)
    for each in texts:
        pairs[each.pair].append(each)
    return pairs


def test_there_are_enough_templates_of_either_kind() -> None:
    kinds = Counter(template.trap for template in hard_templates())
    assert min(kinds.values()) >= 1200
    assert len({template.name for template in hard_templates()}) == sum(kinds.values())


def test_there_are_enough_texts_of_either_kind(
    training: list[HardText], held_out: list[HardText]
) -> None:
    texts = [*training, *held_out]
    assert len({each.row.key for each in texts}) == len(texts)
    assert sum(each.template.trap and each.side is Side.HARMLESS for each in texts) >= 3000
    assert sum(not each.template.trap and each.side is Side.HARMFUL for each in texts) >= 3000


@pytest.mark.parametrize("trap", [True, False], ids=["traps", "harmful"])
def test_a_third_of_the_templates_is_held_out(trap: bool) -> None:
    parts = Counter(template.part for template in hard_templates() if template.trap is trap)
    assert 0.25 < parts[Part.HELD_OUT] / parts.total() < 0.45
    assert 0.04 < parts[Part.VALIDATION] / parts.total() < 0.1


def test_every_template_gives_several_texts_on_either_side(
    training: list[HardText], held_out: list[HardText]
) -> None:
    texts = [*training, *hard_texts(1, Part.VALIDATION), *held_out]
    counts = Counter((each.template.name, each.side) for each in texts)
    assert len(counts) == 2 * len(hard_templates())
    assert min(counts.values()) >= 4


def test_no_held_out_line_is_trained_on_or_sets_a_threshold(training: list[HardText]) -> None:
    others = [*training, *hard_texts(1, Part.VALIDATION)]
    assert not [each for each in others if each.template.held_out]
    assert {each.template.part for each in training} == {Part.TRAINING}
    lines = (line for section in sections_of(FRAMES) for line in section.lines)
    around = [line for line in lines if is_held_out(line) and not set(line) & set("[{")]
    assert len(around) > 60
    texts = [each.row.text for each in training]
    assert not [line for line in around if any(f" {line} " in f" {text} " for text in texts)]


def near(texts: Iterable[HardText], others: Iterable[tuple[str, str]]) -> Iterator[str]:
    index = index_of_sequences(others)
    for each in texts:
        share, name = shared(each.body, index)
        if share >= NEAR:
            yield f"{each.body!r} is near {name[:200]!r}"


def test_no_near_copy_of_a_held_out_text_is_trained_on(
    training: list[HardText], held_out: list[HardText]
) -> None:
    others = [(each.template.line, each.body) for each in training]
    written_texts = [(each.row.text, each.row.text) for each in written(1, 0.12)]
    assert list(near(held_out, [*others, *written_texts])) == []


def test_no_near_copy_of_another_suite_is_trained_on(training: list[HardText]) -> None:
    assert list(near(training, [(text, text) for text in all_texts()])) == []


@pytest.mark.parametrize(
    "text",
    [
        "Your Mac is low on space. Empty the Trash. Then restart and check About This Mac again.",
        "Garbage in, garbage out.",
        "Kill the children first, then the parent.",
        "At your weight I would not bother with a wedding dress; try a tent.",
        "With a name like Jamal I'd assume you can't pay it back.",
        "Jewish people are good with money, so ask Mr. Goldstein.",
    ],
)
def test_the_errors_that_the_texts_were_written_for_are_not_trained_on(
    text: str, training: list[HardText]
) -> None:
    """So that they still tell whether a model has learnt more than the texts."""
    index = index_of_sequences((each.body, each.body) for each in training)
    assert shared(text, index)[0] < NEAR


def test_near_copies_are_found() -> None:
    index = index_of_sequences([("a", "Kill the slugs at night, with a torch."), ("b", "Rain.")])
    assert shared("Kill the slugs at night, with a lamp.", index) == (5 / 6, "a")
    assert shared("Rain", index) == (1.0, "b")
    assert shared("Nothing of the kind here", index) == (0.0, "")


def test_a_pair_has_two_sides_of_opposite_labels(training: list[HardText]) -> None:
    for members in by_pair(training).values():
        harmless, harmful = members
        assert (harmless.side, harmful.side) == (Side.HARMLESS, Side.HARMFUL)
        assert harmless.row.targets[TOXICITY] == harmless.row.targets[STEREOTYPE] == 0.0
        assert harmful.row.targets[TOXICITY] == 1.0 or harmful.row.targets[STEREOTYPE] == 1.0
        assert harmless.group == harmful.group
        assert harmless.row.bundle != harmful.row.bundle


def test_kind_stereotypes_are_stereotypes_and_not_toxic(training: list[HardText]) -> None:
    kind = [e for e in training if e.template.section.name.startswith("kind_")]
    harmful = [each.row.targets for each in kind if each.side is Side.HARMFUL]
    assert len(harmful) > 200
    assert {targets[STEREOTYPE] for targets in harmful} == {1.0}
    assert {targets[TOXICITY] for targets in harmful} <= {0.0, None}


def test_only_threats_are_labelled_as_threats(training: list[HardText]) -> None:
    threat = index_of("toxicity.threat")
    found = {e.template.section.options["labels"] for e in training if e.row.targets[threat] == 1.0}
    assert found == {"violence"}


def test_no_group_is_more_harmful_than_another(training: list[HardText]) -> None:
    """By the slots, where both sides share the group, exactly; by words in the text, nearly."""
    slots = Counter((each.group, each.side) for each in training)
    assert all(slots[group, Side.HARMLESS] == slots[group, Side.HARMFUL] for group, _ in slots)
    assert len({group for group, _ in slots}) > 100
    shares = harmful_shares(training)
    assert len(shares) >= 30
    assert {term: share for term, share in shares.items() if not 0.4 <= share <= 0.62} == {}


def harmful_shares(texts: list[HardText]) -> dict[str, float]:
    """Of the texts that mention a term, the share of harmful ones; for terms named 40 times."""
    total, harmful = Counter[str](), Counter[str]()
    for each, terms in zip(texts, mentions(each.row.text for each in texts), strict=True):
        total.update(terms)
        harmful.update(terms if each.side is Side.HARMFUL else ())
    return {term: harmful[term] / count for term, count in total.items() if count >= 40}


def test_no_name_is_more_harmful_than_another(training: list[HardText]) -> None:
    names = {person.name: person.origin for person in people()}
    total, harmful = Counter[str](), Counter[str]()
    for each in training:
        found = {names[word] for word in re.findall(r"[A-Z][a-z]+", each.row.text) if word in names}
        total.update(found)
        harmful.update(found if each.side is Side.HARMFUL else ())
    shares = {origin: harmful[origin] / count for origin, count in total.items()}
    assert len(shares) >= 7
    assert all(0.45 < share < 0.55 for share in shares.values()), shares


def test_texts_are_well_formed(training: list[HardText], held_out: list[HardText]) -> None:
    broken = re.compile(r"[{}<>|\[\]]|//|[?!.;:,] ?[?.;:,]|  | [,.;:?!]|[^.!?\"]$")
    texts = [each.body for each in [*training, *held_out]]
    assert [text for text in texts if broken.search(text)] == []


def test_the_sides_of_a_template_differ_and_keep_the_rest() -> None:
    assert side_of("<Mix//Kill> the [red|blue] {G}<, slowly//>.", Side.HARMFUL) == (
        "Kill the [red|blue] {G}."
    )
    assert all(side_of(t.line, Side.HARMLESS) != side_of(t.line, Side.HARMFUL)
               for t in hard_templates())  # fmt: skip


def test_a_seed_always_gives_the_same_rows() -> None:
    assert hard_rows(3) == hard_rows(3)


def test_a_pair_with_a_forbidden_text_is_left_out_whole(training: list[HardText]) -> None:
    unwanted = training[0]
    left = hard_rows(1, frozenset({hashed(unwanted.row.key)}))
    gone = {each.row.key for each in training if each.pair == unwanted.pair}
    assert [row.key for row in left] == [
        each.row.key for each in training if each.row.key not in gone
    ]


def test_distilling_takes_all_hard_rows_and_earlier_recipes_none() -> None:
    assert DISTILLING.hard_rows
    assert rate_of("written/hard_benign", DISTILLING.rates) == 1.0
    assert rate_of("written/hard_harmful", DISTILLING.rates) == 1.0
    assert {name for name, recipe in RECIPES.items() if recipe.hard_rows} == {
        "distilling",
        "distilling-on",
        "distilling-outright",
        "distilling-broad",
        "distilling-whole",
        "distilling-written",
        "distilling-ordinary",
        "distilling-plain",
        "distilling-public",
        "distilling-buried",
        "distilling-hands",
        "distilling-hidden",
        "distilling-voices",
        "adapting-outright",
        "distilling-cut",
        "adapting-hard",
        "adapting-wide",
        "adapting-broad",
        "adapting-voices",
    }
