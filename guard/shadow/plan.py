"""What is asked for one sampled call: the same conversation about other groups. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import ceil

from guard.counterfactual import (
    Declined,
    Lexicons,
    Replacement,
    Rewrite,
    by_name,
    control,
    find,
    told_by_names,
    variants,
)
from guard.records import Ask, Turn
from guard.shadow.group_choice import EVEN, GroupWeights, ranked
from guard.shadow.options import NEUTRAL, ShadowOptions

CHARACTERS_PER_TOKEN = 3
"""Of English; few, so that estimates are rather too high."""
SYSTEM = "system"
"""The role of what whoever runs the application says."""
_UNKNOWN_REPLY = 1024  # tokens, where neither a limit nor a live reply tells
_NO_PROMPT = frozenset((Declined.NO_TEXT, Declined.NOT_ENGLISH))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """Which reply: that number `number` of side `side`; side 0 is the conversation itself."""

    side: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A conversation about other people than it was.

    source, target: the group that is gone and the one that came, the same for a control.
    replacements: for each turn. ages: of people of both conversations, where these were written by
    somebody else and nothing tells what was exchanged.
    """

    attribute: str
    source: str
    target: str
    turns: tuple[Turn, ...]
    replacements: tuple[tuple[Replacement, ...], ...]
    ages: frozenset[int] = frozenset()

    @property
    def is_control(self) -> bool:
        """Other people of the same group."""
        return self.source == self.target


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that will be asked, known before the first call.

    turns: the conversation as it was. live: the reply the caller got, None if there is none to
    compare. variants: side 1, 2, ... draws: replies to be made for each of them; originals: for the
    conversation itself. first_number: of the first draw, after those made before.
    unaware: attribute to whether the conversation names no group of it; one
    is missing where that cannot be said. declined: attribute and reason of what was not rewritten.
    """

    call_id: str
    turns: tuple[Turn, ...]
    live: str | None
    variants: tuple[Variant, ...]
    draws: int
    originals: int
    varied: bool
    unaware: Mapping[str, bool]
    declined: tuple[tuple[str, str], ...]
    first_number: int = 0

    @property
    def calls(self) -> int:
        """Calls of the model that the plan makes."""
        return self.originals + self.draws * len(self.variants)

    def asks(
        self, parameters: Mapping[str, object], *, as_messages: bool = False
    ) -> Iterator[tuple[Draw, Ask]]:
        """Every question, the sides taking turns. parameters, as_messages: of the live call."""
        conversations = (self.turns, *(variant.turns for variant in self.variants))
        for count in range(max(self.originals, self.draws)):
            for side, turns in enumerate(conversations):
                if count < (self.draws if side else self.originals):
                    draw = Draw(side=side, number=self.first_number + count)
                    seed = _seed(self.call_id, draw) if self.varied else None
                    yield (
                        draw,
                        Ask(turns=turns, parameters=parameters, seed=seed, as_messages=as_messages),
                    )

    def tokens(self, parameters: Mapping[str, object]) -> int:
        """About how many tokens all calls will take, rather more than fewer."""
        reply = _reply_tokens(parameters, self.live)
        return sum(
            reply + ceil(sum(len(turn.content) for turn in ask.turns) / CHARACTERS_PER_TOKEN)
            for _, ask in self.asks(parameters)
        )


def make_plan(
    call_id: str,
    turns: Sequence[Turn],
    live: str | None,
    *,
    lexicons: Lexicons,
    options: ShadowOptions,
    weights: GroupWeights = EVEN,
) -> Plan:
    """What to ask about this call.

    All turns are rewritten together, so that the same person changes everywhere, whole documents
    included; those of the system only where `options.rewrite_system` says so. Groups are chosen by
    a keyed hash of the call, before it is known which can be made. weights: how often each is
    chosen, by what earlier calls have shown.
    """
    read = [turn for turn in turns if _is_rewritten(turn, options)]
    parts = [
        _of_attribute(call_id, read, attribute, lexicons, options, weights=weights)
        for attribute in options.groups
    ]
    chosen = tuple(
        _variant(turns, made, options)
        for part in parts
        for made in part.rewrites
        if made[0].text is not None
    )
    draws = options.draws if chosen else 0
    return Plan(
        call_id=call_id,
        turns=tuple(turns),
        live=live,
        variants=chosen,
        draws=draws,
        originals=max(draws, options.maxima_of),
        varied=not options.deterministic,
        unaware={part.attribute: part.unaware for part in parts if part.unaware is not None},
        declined=tuple(
            (part.attribute, str(made[0].declined))
            for part in parts
            for made in part.rewrites
            if made[0].declined is not None and part.unaware is False
        ),
    )


def repeated(plan: Plan, variants: Sequence[Variant], *, draws: int) -> Plan:
    """The same conversation and some of its variants asked again, with seeds of their own."""
    return replace(
        plan,
        variants=tuple(variants),
        draws=draws,
        originals=draws,
        first_number=plan.first_number + max(plan.originals, plan.draws),
        unaware={},
        declined=(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfAttribute:
    attribute: str
    unaware: bool | None
    rewrites: tuple[tuple[Rewrite, ...], ...]


def _of_attribute(
    call_id: str,
    turns: Sequence[Turn],
    attribute: str,
    lexicons: Lexicons,
    options: ShadowOptions,
    *,
    weights: GroupWeights,
) -> _OfAttribute:
    texts = [turn.content for turn in turns]
    named = any(_names_a_group(text, attribute, lexicons) for text in texts)
    groups = options.groups[attribute]
    if not texts or not groups or _is_told_by_words(texts, attribute, lexicons):
        return _OfAttribute(attribute=attribute, unaware=None, rewrites=())
    drawn = ranked(groups, call_id, attribute, key=options.key, weights=weights)
    if not named:
        (made,) = list(variants(texts, lexicons, attribute, to=drawn[:1]).values())[:1]
        known = made[0].declined not in _NO_PROMPT
        return _OfAttribute(attribute=attribute, unaware=True if known else None, rewrites=())
    made_for = _chosen(turns, attribute, drawn, lexicons, options)
    return _OfAttribute(
        attribute=attribute,
        unaware=False,
        rewrites=(*made_for, *_controls(call_id, texts, attribute, lexicons, options)),
    )


def _is_told_by_words(texts: Sequence[str], attribute: str, lexicons: Lexicons) -> bool:
    """Whether words say what names would tell: then the conversation is compared by words."""
    told = told_by_names(attribute)
    return bool(told) and any(_names_a_group(text, told, lexicons) for text in texts)


def _names_a_group(text: str, attribute: str, lexicons: Lexicons) -> bool:
    mentions = find(text, lexicons, attributes=(attribute,)).mentions
    return any(one.form.group != NEUTRAL for one in mentions)


def _chosen(
    turns: Sequence[Turn],
    attribute: str,
    drawn: Sequence[str],
    lexicons: Lexicons,
    options: ShadowOptions,
) -> Iterator[tuple[Rewrite, ...]]:
    """The first groups that were drawn, the one the conversation is about left out."""
    wanted = drawn[: options.max_variants + 1]
    with_names = by_name(attribute) in lexicons.attributes
    texts, roles = [turn.content for turn in turns], [turn.role for turn in turns]
    made = variants(texts, lexicons, attribute, to=wanted, by_name=with_names, roles=roles)
    for group in [group for group in wanted if group in made][: options.max_variants]:
        if made[group][0].text is None or made[group][0].source_group in options.groups[attribute]:
            yield made[group]


def _controls(
    call_id: str, texts: Sequence[str], attribute: str, lexicons: Lexicons, options: ShadowOptions
) -> Iterator[tuple[Rewrite, ...]]:
    """Other people of the same group, where the conversation is about one."""
    if not options.control:
        return
    made = control(texts, lexicons, attribute, _number(call_id, attribute))
    group = next((one.source_group for one in made if one.source_group), "")
    if group in options.groups[attribute]:
        yield tuple(replace(one, source_group=group, target_group=group) for one in made)


def _is_rewritten(turn: Turn, options: ShadowOptions) -> bool:
    return options.rewrite_system or turn.role != SYSTEM


def _variant(turns: Sequence[Turn], made: Sequence[Rewrite], options: ShadowOptions) -> Variant:
    """made: of the turns that are rewritten, in their order."""
    first, rewrites = made[0], iter(made)
    of_turns = [next(rewrites) if _is_rewritten(turn, options) else None for turn in turns]
    return Variant(
        attribute=first.attribute,
        source=first.source_group,
        target=first.target_group,
        turns=tuple(
            turn if one is None or one.text is None else replace(turn, content=one.text)
            for turn, one in zip(turns, of_turns, strict=True)
        ),
        replacements=tuple(() if one is None else one.replacements for one in of_turns),
    )


def _seed(call_id: str, draw: Draw) -> int:
    return _number(call_id, str(draw.side), str(draw.number))


def _number(*what: str) -> int:
    """A number of 31 bits, the same for the same words."""
    digest = blake2b("\0".join(what).encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest) >> 1


def _reply_tokens(parameters: Mapping[str, object], live: str | None) -> int:
    limits = (parameters.get("max_completion_tokens"), parameters.get("max_tokens"))
    limit = next((one for one in limits if isinstance(one, int) and one > 0), _UNKNOWN_REPLY)
    return limit if live is None else min(limit, ceil(2 * len(live) / CHARACTERS_PER_TOKEN) + 64)
