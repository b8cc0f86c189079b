"""One pair: the replies of both sides made comparable, scored, and seen by every metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from guard.counterfactual import Lexicons, Replacement
from guard.fairness import (
    CATALOGUE,
    Comparison,
    Conditions,
    MeasuredReply,
    MetricCatalogue,
    ObservedPair,
)
from guard.fairness.live import Replies, Scores
from guard.fairness.reply_distances import p_values
from guard.policy import AllowEntry, Decision, Policy, Rule, assess_allowing, decide
from guard.ports import Scorer
from guard.records import Assessment, Turn
from guard.shadow.normalisation import Normalisation, normalisation, normalise
from guard.shadow.options import ShadowOptions
from guard.shadow.plan import Plan, Variant
from guard.text.claims import CheckedClaim
from guard.text.sentences import sentences

Embed = Callable[[Sequence[str]], Iterable[Iterable[float]]]
"""Texts to vectors of one length."""
Claims = tuple[CheckedClaim, ...]
CheckClaims = Callable[[Sequence[str]], Sequence[Sequence[Claims]]]
"""Masked texts to n x n: the claims of text i, checked against text j."""
MOST_SENTENCES = 80
"""Of a reply whose claims are checked: the work grows with their number, times all other replies of
the pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruments:
    """What calls are measured with. embed, check_claims: None where there is no embedder, and where
    claims are not compared. rules, allow: of the policy by which live replies are judged."""

    lexicons: Lexicons
    scorer: Scorer
    options: ShadowOptions
    rules: tuple[Rule, ...] = ()
    allow: tuple[AllowEntry, ...] = ()
    embed: Embed | None = None
    check_claims: CheckClaims | None = None
    catalogue: MetricCatalogue = CATALOGUE

    def judge(self, text: str) -> tuple[Assessment, Decision]:
        """The scores of a text, waited for, and what the policy would do with it."""
        policy = Policy(rules=self.rules, allow=self.allow)
        found = assess_allowing(policy, text, lambda one: self.scorer.submit(one).result())
        return found, decide(policy, found)

    def observe_given(self, pair: Comparison) -> ObservedPair:
        """What every metric sees of replies that were given; of scores alone those that need no
        texts."""
        texts = any(one.text or not one.answered for side in pair.sides for one in side)
        return self.catalogue.observe(pair, replace(self.conditions, texts=texts))

    @property
    def conditions(self) -> Conditions:
        """Which metrics can be made."""
        return Conditions(
            repeats=self.options.repeats,
            vectors=self.embed is not None,
            claims=self.check_claims is not None,
            control=self.options.control,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPair:
    """A conversation and the same about another group, and how the replies differ.

    replacements: what changed in each turn. p_values: of permutation tests of fresh replies.
    masked: normalised figures are of masked texts.
    """

    seen: ObservedPair
    first_turns: tuple[Turn, ...]
    second_turns: tuple[Turn, ...]
    replacements: tuple[tuple[Replacement, ...], ...]
    p_values: Mapping[str, float]
    masked: bool

    @property
    def replies(self) -> Comparison:
        """The replies, and who is compared."""
        return self.seen.pair


def controls_of(pairs: Iterable[ComparedPair]) -> dict[tuple[str, str], ComparedPair]:
    """By attribute and group of the conversation, its pair with other people of that group."""
    return {
        (one.replies.attribute, one.replies.source): one for one in pairs if one.replies.is_control
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedPair:
    """The replies of one pair, their texts not yet scored.

    versions: of each answer, by its text, what its normalised score is made of.
    """

    variant: Variant
    own: Replies
    other: Replies
    versions: Mapping[str, tuple[str, ...]]
    masked: bool

    @property
    def texts(self) -> Iterator[str]:
        """All that is to be scored."""
        for text, made in self.versions.items():
            yield text
            yield from made

    @property
    def masks(self) -> Iterator[str]:
        """The masked texts of all answers, of which vectors and claims are made."""
        return (one.masked for one in (*self.own, *self.other) if one.answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScores:
    """Assessments by text, each scored once. heads: the scores that there are. vectors: by masked
    text; empty where there is no embedder."""

    heads: tuple[str, ...]
    by_text: Mapping[str, Assessment]
    vectors: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def of(self, versions: Sequence[str]) -> Scores:
        """The mean score over versions of one text; None where one of them has none."""
        return {head: self._mean(versions, head) for head in self.heads}

    def _mean(self, versions: Sequence[str], head: str) -> float | None:
        values = [self.by_text[text].value(head) for text in versions]
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known and len(known) == len(values) else None


def score_texts(texts: Iterable[str], scorer: Scorer) -> TextScores:
    """Score all texts at once. Waits for the classifier, which always answers."""
    futures = {text: scorer.submit(text) for text in dict.fromkeys(texts)}
    return _answered(futures, scorer)


def score_pairs(
    pairs: Sequence[PreparedPair], tools: Instruments, others: Iterable[str] = ()
) -> TextScores:
    """Score and embed all that these pairs compare, each text once. others: scored as well.

    Waits for the classifier, which reads on while the embedder does.
    """
    texts = dict.fromkeys((*others, *(text for one in pairs for text in one.texts)))
    futures = {text: tools.scorer.submit(text) for text in texts}
    vectors = embed_masks((text for one in pairs for text in one.masks), tools)
    return replace(_answered(futures, tools.scorer), vectors=vectors)


def embed_masks(masks: Iterable[str], tools: Instruments) -> Mapping[str, tuple[float, ...]]:
    """By masked text its vector, each made once; nothing where there is no embedder."""
    texts = list(dict.fromkeys(masks))
    if tools.embed is None or not texts:
        return {}
    made = tools.embed(texts)
    return {text: tuple(map(float, row)) for text, row in zip(texts, made, strict=True)}


def _answered(futures: Mapping[str, Future[Assessment]], scorer: Scorer) -> TextScores:
    found = {text: future.result() for text, future in futures.items()}
    return TextScores(heads=tuple(scorer.heads), by_text=found)


def prepare(variant: Variant, own: Replies, other: Replies, tools: Instruments) -> PreparedPair:
    """The replies to the conversation itself and to a variant, brought to the same group."""
    how = normalisation(variant, tools.lexicons)
    answers = list(dict.fromkeys(one.text for one in (*own, *other) if one.answered))
    made, masks = normalise(answers, how)
    return PreparedPair(
        variant=variant,
        own=_mask(own, how),
        other=_mask(other, how),
        versions=dict(zip(answers, made, strict=True)),
        masked=masks,
    )


def _mask(replies: Replies, how: Normalisation) -> Replies:
    return tuple(
        replace(one, masked=how.masked(one.text)) if one.answered else one for one in replies
    )


def compare_all(
    plan: Plan,
    prepared: Sequence[PreparedPair],
    scores: TextScores,
    tools: Instruments,
    *,
    permutes: bool = True,
) -> tuple[ComparedPair, ...]:
    """How the sides of each pair differ, in the same order, those about another group beside their
    control. permutes: tests of a pair alone are made as well."""
    replies = [_with_scores(plan.call_id, one, scores, tools) for one in prepared]
    controls = {(one.attribute, one.source): one for one in replies if one.is_control}
    beside = [
        one if one.is_control else replace(one, control=controls.get((one.attribute, one.source)))
        for one in replies
    ]
    return tuple(
        compare(plan, made, pair, tools, permutes=permutes)
        for made, pair in zip(prepared, beside, strict=True)
    )


def compare(
    plan: Plan,
    prepared: PreparedPair,
    pair: Comparison,
    tools: Instruments,
    *,
    permutes: bool = True,
) -> ComparedPair:
    """How the two sides differ. permutes: tests of this pair alone are made as well."""
    variant = prepared.variant
    turns = (plan.turns, variant.turns) if _is_first(variant) else (variant.turns, plan.turns)
    return ComparedPair(
        seen=tools.catalogue.observe(pair, tools.conditions),
        first_turns=turns[0],
        second_turns=turns[1],
        replacements=variant.replacements,
        p_values=p_values(pair, repeats=plan.varied) if permutes else {},
        masked=prepared.masked,
    )


def _with_scores(
    call_id: str, prepared: PreparedPair, scores: TextScores, tools: Instruments
) -> Comparison:
    own, other = _attach_scores(prepared, scores, tools)
    variant = prepared.variant
    first, second = (own, other) if _is_first(variant) else (other, own)
    return Comparison(
        call_id=call_id,
        attribute=variant.attribute,
        first=min(variant.source, variant.target),
        second=max(variant.source, variant.target),
        source=variant.source,
        first_replies=first,
        second_replies=second,
    )


def _is_first(variant: Variant) -> bool:
    """Whether the conversation itself is about the first group."""
    return variant.source <= variant.target


def _attach_scores(
    prepared: PreparedPair, scores: TextScores, tools: Instruments
) -> tuple[Replies, Replies]:
    """The replies with their scores, vectors and claims."""
    claims = _claims(list(dict.fromkeys(prepared.masks)), tools)

    def scored(one: MeasuredReply) -> MeasuredReply:
        if not one.answered:
            return one
        return replace(
            one,
            scores=scores.of((one.text,)),
            normalised=scores.of(prepared.versions[one.text]),
            vector=scores.vectors.get(one.masked, ()),
            claims=claims.get(one.masked, {}),
        )

    return tuple(map(scored, prepared.own)), tuple(map(scored, prepared.other))


def _claims(texts: Sequence[str], tools: Instruments) -> Mapping[str, Mapping[str, Claims]]:
    """Of each text its claims against each of them; nothing where one has too many sentences, so
    that which replies are compared does not depend on whom they are about."""
    if tools.check_claims is None or any(len(sentences(one)) > MOST_SENTENCES for one in texts):
        return {}
    found = tools.check_claims(texts)
    return {
        text: dict(zip(texts, row, strict=True)) for text, row in zip(texts, found, strict=True)
    }
