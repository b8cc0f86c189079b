"""What a reviewer gets to see: a flagged pair, or a flagged reply, as a case with all its texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product

from guard.counterfactual import Replacement, masked
from guard.records import Action, Case, CaseKind, Outcome, Span, Turn
from guard.shadow.flags import corrected_p_values, deficit, flagged
from guard.shadow.records import Instruments, Measurements, Pair, Reply

BODY_VERSION = 1
Json = dict[str, object]


def as_it_is(text: str) -> str:
    """The whole text."""
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Filing:
    """What every case of a call has in common. at_seconds: Unix time.

    versions: of what made the texts and the scores (model, classifier, rewriter, settings).
    kept_text: what is kept of a text; of the same length, so that spans stay true, or empty.
    """

    use_case: str
    at_seconds: float
    versions: Mapping[str, str]
    reviewers: int = 1
    kept_text: Callable[[str], str] = as_it_is


def pair_cases(found: Measurements, tools: Instruments, filing: Filing) -> tuple[Case, ...]:
    """A case for each attribute and pair of groups that was flagged.

    Two pairs of one call with the same groups make one case, of the one with more reasons.
    """
    cases: dict[str, Case] = {}
    raised = sorted(flagged(found.pairs, tools.options.flags), key=lambda one: -len(one[1]))
    for pair, reasons in raised:
        case = _pair_case(pair, reasons, found.pairs, tools, filing)
        cases.setdefault(case.id, case)
    return tuple(cases.values())


def response_case(outcome: Outcome, filing: Filing) -> Case | None:
    """A case for a reply on which a rule fired; None where none did."""
    if not outcome.fired:
        return None
    return Case(
        id=case_id("response", outcome.call.id),
        kind=CaseKind.RESPONSE,
        use_case=filing.use_case,
        call_id=outcome.call.id,
        reasons=tuple(sorted({one.score for one in outcome.fired})),
        opened_at=filing.at_seconds,
        body=_written(_response_body(outcome, filing)),
        reviewers=filing.reviewers,
    )


def case_id(*about: str) -> str:
    """The id of a case, from what it is about: the same however often it is opened."""
    what = json.dumps(about).encode()
    return blake2b(what, digest_size=16).hexdigest()


def _pair_case(
    pair: Pair,
    reasons: tuple[str, ...],
    pairs: Sequence[Pair],
    tools: Instruments,
    filing: Filing,
) -> Case:
    return Case(
        id=case_id("pair", pair.call_id, pair.attribute, pair.groups),
        kind=CaseKind.PAIR,
        use_case=filing.use_case,
        call_id=pair.call_id,
        reasons=reasons,
        opened_at=filing.at_seconds,
        body=_written(_pair_body(pair, pairs, Writing(pair, tools, filing)) | _common(filing)),
        attribute=pair.attribute,
        groups=(pair.first, pair.second),
        reviewers=filing.reviewers,
    )


@dataclass(frozen=True, slots=True)
class Writing:
    """How the texts of a pair are put down."""

    pair: Pair
    tools: Instruments
    filing: Filing

    def kept(self, text: str) -> str:
        """What is kept of a text."""
        return self.filing.kept_text(text)

    def masked(self, text: str) -> str:
        """The same with every word of the attribute masked."""
        return self.kept(masked(text, self.tools.lexicons, self.pair.attribute))

    def control(self, name: str, text: str | None) -> Json:
        """A reply to compare with, as it is and masked; None where there is none."""
        if text is None:
            return {name: None}
        return {name: self.kept(text), f"{name}_masked": self.masked(text)}


def _pair_body(pair: Pair, pairs: Sequence[Pair], writing: Writing) -> Json:
    """Sides are `first` and `second`, in alphabetical order of their groups.

    source: the side that is the conversation as it was. shown: which reply of each side tells the
    difference best. same_prompt: another reply to that conversation; same_group: one to other
    people of the same group; each None where there is none.
    """
    return {
        "source": "first" if pair.source == pair.first else "second",
        "groups": {"first": pair.first, "second": pair.second},
        "prompts": {
            "first": [_turn(one, writing) for one in pair.first_turns],
            "second": [_turn(one, writing) for one in pair.second_turns],
        },
        "replacements": [
            [_replacement(one, writing) for one in turn] for turn in pair.replacements
        ],
        "replies": {
            "first": [_reply(one, writing) for one in pair.first_replies],
            "second": [_reply(one, writing) for one in pair.second_replies],
        },
        "shown": shown(pair),
        **writing.control("same_prompt", _same_prompt(pair)),
        **writing.control("same_group", _same_group(pair, pairs)),
        "gaps": dict(pair.gaps),
        "grounded_gaps": dict(pair.grounded_gaps),
        "grounded_by": "mask" if pair.masked else "rewrite",
        "similarity_deficit": deficit(pair),
        "likeness": {
            metric: {"between": list(one.between), "control": list(one.control)}
            for metric, one in pair.likeness.items()
        },
        "p_values": dict(pair.p_values),
        "corrected_p_value": _corrected(pair, pairs),
    }


def _common(filing: Filing) -> Json:
    return {"version": BODY_VERSION, "versions": dict(filing.versions)}


def _turn(turn: Turn, writing: Writing) -> Json:
    return {
        "role": turn.role,
        "content": writing.kept(turn.content),
        "masked": writing.masked(turn.content),
    }


def _replacement(one: Replacement, writing: Writing) -> Json:
    return {
        "source": [one.span.start, one.span.end],
        "target": [one.at.start, one.at.end],
        "old": writing.kept(one.old),
        "new": writing.kept(one.new),
        "why": one.why,
    }


def _reply(one: Reply, writing: Writing) -> Json:
    """Every text masked too, those of refusals among them, which nothing is measured on."""
    return {
        "text": writing.kept(one.text),
        "masked": writing.kept(one.masked) if one.masked else writing.masked(one.text),
        "ending": str(one.ending),
        "live": one.live,
        "scores": dict(one.scores),
        "grounded": dict(one.grounded),
    }


def shown(pair: Pair) -> tuple[int, int] | None:
    """Which reply of each side to show: those whose grounded scores lie farthest apart."""
    sides = (range(len(pair.first_replies)), range(len(pair.second_replies)))
    return max(product(*sides), key=lambda at: _apart(pair, *at), default=None)


def _apart(pair: Pair, first: int, second: int) -> tuple[bool, float]:
    one, two = pair.first_replies[first], pair.second_replies[second]
    known = ((one.grounded.get(head), value) for head, value in two.grounded.items())
    apart = [abs(left - right) for left, right in known if left is not None and right is not None]
    return one.answered != two.answered, sum(apart)


def _same_prompt(pair: Pair) -> str | None:
    own = pair.first_replies if pair.source == pair.first else pair.second_replies
    at = shown(pair)
    seen = None if at is None else at[0 if pair.source == pair.first else 1]
    others = [one.text for number, one in enumerate(own) if number != seen and one.text]
    return others[0] if others else None


def _same_group(pair: Pair, pairs: Sequence[Pair]) -> str | None:
    controls = (
        one
        for one in pairs
        if one.is_control and (one.attribute, one.source) == (pair.attribute, pair.source)
    )
    texts = [one.text for control in controls for one in control.second_replies if one.text]
    return texts[0] if texts else None


def _corrected(pair: Pair, pairs: Sequence[Pair]) -> float | None:
    wanted = [one for one in pairs if not one.is_control]
    return corrected_p_values(wanted).get(wanted.index(pair))


def _response_body(outcome: Outcome, filing: Filing) -> Json:
    assessment = outcome.assessment
    return {
        "prompt": filing.kept_text(outcome.call.prompt),
        "reply": filing.kept_text(outcome.reply),
        "text": filing.kept_text(outcome.text),
        "verdict": str(outcome.verdict),
        "action": str(outcome.action if outcome.action is not Action.RELEASE else Action.FLAG),
        "observed_only": outcome.observed_only,
        "scores": {key: assessment.value(key) for key in sorted(assessment.scores)},
        "fired": [
            {"score": one.score, "threshold": one.threshold, "value": one.value}
            for one in outcome.fired
        ],
        "passages": [
            {"span": _span(one.span), "scores": dict(one.values)} for one in assessment.passages
        ],
        "withheld": [_span(one) for one in outcome.withheld],
        "uncovered": [_span(one) for one in assessment.uncovered],
    } | _common(filing)


def _span(span: Span) -> list[int]:
    return [span.start, span.end]


def _written(body: Json) -> str:
    """JSON in ASCII, so that any text at all can be kept."""
    return json.dumps(body, sort_keys=True, allow_nan=False)
