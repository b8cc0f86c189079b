"""Every number of the training of the classifier of pairs."""

from dataclasses import dataclass, field

from train.recipe import Recipe

# Photo captions first, since they are most and cleanest; of the puzzles a little.
RATES = {
    "mnli": 0.45,
    "tenp_": 0.2,
    "supergen_synthetic": 0.25,
    "rte": 0.3,
    "curriculum_": 0.0,
    "curriculum_lexical": 0.1,
    "curriculum_syntactic_variation": 0.25,
    "curriculum_monotonicity_infer": 0.1,
    "curriculum_entailment_tree": 0.3,
    "curriculum_negation": 0.05,
    "curriculum_quantifier": 0.05,
    "curriculum_temporal": 0.05,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRecipe(Recipe):
    """What pairs need beside the numbers of any run.

    surrounded_share: of the rows whose premise stands between sentences of others. quoted_share: of
    rows added whose hypothesis is a sentence of a premise made of others'; unrelated_share: the
    same without the hypothesis. others: how many sentences of others at most. longest_other: words
    of a premise that may be such a sentence.
    """

    rates: dict[str, float] = field(default_factory=lambda: dict(RATES))
    epochs: int = 3
    batch_rows: int = 24
    batch_tokens: int = 24 * 128
    pool_batches: int = 128
    encoder_rate: float = 1.2e-4
    cooldown_steps: int = 400
    checkpoint_minutes: float = 10.0
    checkpoint_steps: int = 1_000_000
    log_steps: int = 20
    surrounded_share: float = 0.2
    quoted_share: float = 0.04
    unrelated_share: float = 0.02
    others: int = 2
    longest_other: int = 20


PAIRS = PairRecipe(warmup_share=0.01, dropout=0.0)
"""Three passes, of which a run may take as much as there is time for (`--last`)."""
