"""Which form of FiSCo tells a difference in meaning from one in wording, and what claims cost.

    python tests/benchmarks/bench_fisco.py --nli nli-minilm [--questions 2] [--replies 10]

Decisions are those of the permutation test at 5 %, on planted questions (`planted_claims.py`).
Intra accuracy: of questions where nothing differs, the share that is called the same; inter: of
those where facts differ, the share that is called different. The paper (arXiv 2506.19028, table 2)
has about .71 in total and .63 to .67 intra for its method, on answers of real models, which are
another thing than ours.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import permutations, product

import numpy as np

from guard.bootstrap.assessment import Measures, open_measures
from guard.bootstrap.claims import open_claims
from guard.fairness import MeasuredReply, claim_similarities, rouge_l
from guard.fairness.fisco import decision, inter_intra, welch
from guard.fairness.permutation import Permutation
from guard.fairness.reply_distances import DISTANCES
from guard.fairness.student import TTest
from guard.scoring.claims import ClaimChecker
from guard.settings import Settings
from guard.text.claims import claimed, counted
from planted_claims import LEVELS, PlantedQuestion, planted_questions, topics

LEVEL = 0.05
COST_WORDS, COST_BOUND = 200, 0.15
Matrix = Sequence[Sequence[float]]
Similarity = Callable[[Sequence[MeasuredReply]], Matrix]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One question in one form: whether the groups are called different, and by Welch's test."""

    question: PlantedQuestion
    different: bool
    welch: bool

    @property
    def right(self) -> bool:
        return self.different == self.question.differs


def _of_distance(name: str, replies: Sequence[MeasuredReply]) -> Matrix:
    found = DISTANCES[name](tuple(replies))
    if found is None:
        raise ValueError(f"no {name} of these replies: is its model installed?")
    return [[1.0 - value for value in row] for row in found]


def _of_rouge(replies: Sequence[MeasuredReply]) -> Matrix:
    texts = [one.masked for one in replies]
    return [[float(rouge_l(one, two) or 0.0) for two in texts] for one in texts]


def _of_claims(checker: ClaimChecker, replies: Sequence[MeasuredReply]) -> Matrix:
    found: Matrix = claim_similarities(
        checker.labels([claimed(one.masked) for one in replies])
    ).tolist()
    return found


def forms(checker: ClaimChecker) -> Mapping[str, Similarity]:
    return {
        "claims": partial(_of_claims, checker),
        "ROUGE-L": _of_rouge,
        "words (Jaccard)": partial(_of_distance, "token"),
        "sentiment": partial(_of_distance, "sentiment"),
        "embedding": partial(_of_distance, "embedding"),
    }


def decided(question: PlantedQuestion, similarity: Matrix) -> Decided:
    first = question.groups.count(question.groups[0])
    filled = np.nan_to_num(np.asarray(similarity, dtype=float), nan=1.0)
    test = decision(filled, first, generator=np.random.default_rng(1))
    inter, intra = inter_intra(filled, first)
    published = welch(intra, inter)
    return Decided(
        question=question,
        different=isinstance(test, Permutation) and test.p_value <= LEVEL,
        welch=isinstance(published, TTest) and published.p_value <= LEVEL,
    )


def share(found: Sequence[bool]) -> str:
    return f"{np.mean(found):.2f}" if found else ""


def line(form: str, found: Sequence[Decided]) -> list[str]:
    same = [one for one in found if not one.question.differs]
    by_level = [[one for one in found if one.question.level == level] for level in LEVELS[1:]]
    return [
        form,
        share([one.right for one in found]),
        share([one.right for one in same if not one.question.reworded]),
        share([one.right for one in same if one.question.reworded]),
        *(share([one.right for one in level]) for level in by_level),
        share([one.welch == one.question.differs for one in found]),
    ]


def table(questions: Sequence[PlantedQuestion], measures: Measures, checker: ClaimChecker) -> None:
    prepared = [measures.prepared_replies(one.replies, "") for one in questions]
    header = ["form", "total", "intra", "intra, reworded"]
    header += [f"{level} of 8 facts differ" for level in LEVELS[1:]] + ["total by Welch"]
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for name, similarity in forms(checker).items():
        pairs = zip(questions, prepared, strict=True)
        found = [decided(question, similarity(replies)) for question, replies in pairs]
        print("| " + " | ".join(line(name, found)) + " |", flush=True)


def long_replies() -> tuple[str, str]:
    """Two of about 200 words that say the same facts in other wordings."""
    said = [
        [fact.said[wording] for topic in topics() for fact in topic.facts] for wording in (0, 1)
    ]
    return _of_length(said[0]), _of_length(said[1])


def _of_length(sentences: Sequence[str]) -> str:
    words = 0
    for at, sentence in enumerate(sentences):
        words += len(sentence.split())
        if words >= COST_WORDS:
            return " ".join(sentences[: at + 1])
    raise ValueError("too few sentences")


def cost(checker: ClaimChecker, repeats: int = 7) -> None:
    """CPU seconds of both directions of one pair."""
    replies = [claimed(text) for text in long_replies()]
    times = []
    for _ in range(repeats):
        began = time.process_time()
        checker.check(replies, [(0, 1), (1, 0)])
        times.append(time.process_time() - began)
    claims = sum(len(reply.claims) for reply in replies)
    print(
        f"\nA pair of replies of {COST_WORDS} words, {claims} claims: {1000 * min(times):.0f} ms of"
        f" one core (median {1000 * float(np.median(times)):.0f}), bound {1000 * COST_BOUND:.0f}"
    )


def recognised(checker: ClaimChecker) -> None:
    """How facts stand to their other wordings, and denials to facts, each sentence alone."""
    facts = [fact for topic in topics() for fact in topic.facts]
    pairs = {
        "other wordings": [two for fact in facts for two in permutations(fact.said, 2)],
        "denials": [two for fact in facts for two in product(fact.denied, fact.said)],
    }
    for name, found in pairs.items():
        replies = [claimed(text) for two in found for text in two]
        places = [(at, at + 1) for at in range(0, len(replies), 2)]
        labels = np.sum([counted(one) for one in checker.check(replies, places)], axis=0)
        shares = ", ".join(f"{share:.2f}" for share in labels / labels.sum())
        print(f"{name} of {len(facts)} facts: entailed, neutral, contradicted {shares}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nli", required=True, help="a classifier of pairs, by name or folder")
    parser.add_argument("--questions", type=int, default=2, help="of each topic and level")
    parser.add_argument("--replies", type=int, default=10, help="to each group")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    checker = open_claims(options.nli).checker
    cost(checker)
    recognised(checker)
    with ExitStack() as stack:
        measures = open_measures(Settings(), stack)
        questions = list(planted_questions(options.questions, options.replies, options.seed))
        print(f"\n{len(questions)} questions, {options.replies} replies to each group\n")
        table(questions, measures, checker)


if __name__ == "__main__":
    main()
