"""Every number of a training run in one record."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

NOISY_ZEROS = (
    "toxicity/implicit_hate",
    "toxicity/stormfront",
    "toxicity/gab_hate_corpus",
    "toxicity/hatexplain",
)

# A source that is not named is used whole: all answers and refusals of language models are.
RATES = {
    "toxicity/hatemoji_build": 0.6,
    "toxicity/jigsaw_6label": 0.45,
    "toxicity/jigsaw_khanhhk": 0.3,
    "toxicity/jigsaw_ak": 0.5,
    "toxicity/civil_comments_houma": 0.6,
    "toxicity/toxic_spans_cc": 0.6,
    "toxicity/hatexplain": 0.4,
    "toxicity/implicit_hate": 0.7,
    "toxicity/edos": 0.6,
    "toxicity/gab_hate_corpus": 0.6,
    "toxicity/stormfront": 0.3,
    "toxicity/sbic_dev": 0.7,
    "toxicity/dt_llm_toxic_scored": 0.7,
    "toxicity/bold_wikipedia": 0.25,
    "toxicity/wiki_debias": 0.3,
    "toxicity/gap_wikipedia": 0.3,
    "toxicity/positive_frames": 0.4,
    "toxicity/dt_stereo_refute": 0.3,
    "toxicity/wikipedia_sentences_tenp": 0.4,
    "stereotype/stereoset_non_dev": 0.5,
    "stereotype/emgsd_unrelated_or_neutral": 0.5,
    "stereotype/seegull_template": 0.6,
    "stereotype/dt_stereo_endorse": 0.45,
    "stereotype/dt_stereo_refute": 0.3,
    "stereotype/bold_wikipedia": 0.25,
    "stereotype/wiki_debias": 0.3,
    "stereotype/gap_wikipedia": 0.3,
    "sentiment/vader_amazon": 0.7,
    "sentiment/cad_imdb": 0.5,
    "sentiment/positive_frames": 0.3,
    "sentiment/bold_wikipedia_neutral": 0.5,
}

INVARIANT = {
    "toxicity": 2.0,
    "toxicity.severe_toxicity": 0.5,
    "toxicity.obscene": 0.5,
    "toxicity.threat": 0.5,
    "toxicity.insult": 0.5,
    "toxicity.identity_attack": 1.0,
    "stereotype": 1.0,
    "sentiment": 1.0,
}
"""How much each head counts in the price on differing copies.

Categories of stereotypes are left out: they change with the group.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The defaults are the recipe of the first stage.

    word_rate: of the word embeddings; 0 leaves them as they are. average_decay: of the moving
    average of the weights that is kept in the end; 0 keeps the last ones. copies: counterfactual
    copies of each public row in which a group word can safely be swapped. repeats: how often an
    epoch passes over the rows of a source; once where it is not named. joined: texts made of
    several rows, joined_room: from how many to how many characters, joined_toxic: the share of
    them with a toxic part, joined_hard: at least how many of those are hard texts, joined_settled:
    the share of parts known to be neither toxic nor a stereotype.
    max_windows: how much of a long text is read, all of it at once.
    consistency: the price on logits that differ between copies, invariant: of which heads.
    unknown_in_copies: families of heads for which a copy is not labelled, since another group
    changes what they say. layer_decay: how much slower each layer of the encoder learns than the
    one above. checkpoint_minutes: how long after a checkpoint another one is due, whatever the
    steps; 0 is never. adapter_rank: of the adapters that are trained in the place of the encoder,
    in its upper adapter_layers; 0 trains the encoder itself. cooldown_steps: how long before the
    end the rates begin to fall; 0 is after the warmup. hard_rows: the minimal pairs of hard texts
    that are not held out (`written/hard.py`). ordinary_rows: plain replies, likewise
    (`written/ordinary.py`). replayed_rows: recorded answers and their sentences,
    which only a teacher labels. soft_share: of the teacher in the loss of a row that it
    has read, at a temperature (`train/distillation.py`). unread_share: how many of the rows that it
    has not read are used.
    """

    seed: int = 1
    split_seed: int = 1
    epochs: int = 1
    batch_rows: int = 48
    batch_tokens: int = 48 * 256
    pool_batches: int = 64
    max_tokens: int = 128
    max_windows: int = 1
    encoder_rate: float = 1e-4
    layer_decay: float = 1.0
    head_rate: float = 1e-3
    warmup_share: float = 0.03
    weight_decay: float = 0.01
    clip_norm: float = 1.0
    dropout: float = 0.1
    validation_share: float = 0.04
    noisy_zero_weight: float = 0.5
    noisy_zeros: tuple[str, ...] = NOISY_ZEROS
    rates: dict[str, float] = field(default_factory=lambda: dict(RATES))
    refused_licences: frozenset[str] = frozenset({"unclear"})
    checkpoint_steps: int = 400
    checkpoint_minutes: float = 0.0
    log_steps: int = 20
    written_rows: bool = False
    hard_rows: bool = False
    ordinary_rows: bool = False
    word_rate: float = 0.0
    average_decay: float = 0.0
    copies: int = 0
    repeats: dict[str, int] = field(default_factory=dict)
    joined: int = 0
    joined_room: tuple[int, int] = (155, 620)
    joined_toxic: float = 0.35
    joined_hard: float = 0.0
    joined_settled: float = 0.0
    consistency: float = 0.0
    invariant: dict[str, float] = field(default_factory=lambda: dict(INVARIANT))
    unknown_in_copies: tuple[str, ...] = ()
    adapter_rank: int = 0
    adapter_layers: int = 0
    cooldown_steps: int = 0
    replayed_rows: bool = False
    soft_share: float = 0.0
    temperature: float = 1.0
    unread_share: float = 1.0


# A source that is not named is left out of the second stage.
INFORMATIVE = {
    "toxicity/": 0.0,
    "stereotype/": 0.0,
    "sentiment/": 0.0,
    "toxicity/implicit_hate": 1.0,
    "toxicity/toxigen_annotated": 1.0,
    "toxicity/civil_comments_houma": 1.0,
    "toxicity/jigsaw_6label": 0.8,
    "toxicity/jigsaw_ak": 1.0,
    "toxicity/jigsaw_houma": 1.0,
    "toxicity/jigsaw_khanhhk": 0.15,
    "toxicity/toxic_spans_cc": 0.25,
    "toxicity/edos": 0.3,
    "toxicity/stormfront": 0.15,
    "toxicity/wiki_debias_identity": 0.3,
    "toxicity/hatexplain": 0.5,
    "toxicity/hatemoji_build": 0.5,
    "toxicity/diasafety": 1.0,
    "toxicity/sbic_dev": 1.0,
    "toxicity/gab_hate_corpus": 0.6,
    "toxicity/dt_stereo_refute": 0.15,
    "toxicity/llm_": 0.8,
    "stereotype/redditbias": 1.0,
    "stereotype/stereoset_non_dev": 0.15,
    "stereotype/toxigen_annotated": 1.0,
    "stereotype/emgsd_winoqueer": 1.0,
    "stereotype/seegull_template": 0.3,
    "stereotype/dt_stereo_endorse": 0.15,
    "sentiment/sst2_phrases": 1.0,
    "sentiment/sst5": 1.0,
    "sentiment/cad_imdb": 0.4,
    "sentiment/tweeteval_sentiment_val": 1.0,
    "sentiment/positive_frames": 0.1,
}

REPEATED = {
    "toxicity/implicit_hate": 2,
    "sentiment/sst2_phrases": 2,
    "sentiment/sst5": 2,
}

REFINING = Recipe(
    seed=2,
    encoder_rate=8e-5,
    head_rate=3e-4,
    word_rate=4e-5,
    average_decay=0.999,
    copies=1,
    repeats=REPEATED,
    rates=INFORMATIVE,
    written_rows=True,
)
"""The second stage: from the weights of the first, over the informative part and our own rows."""


# Fresh rows of what the second stage left out, and some of what it taught.
BROAD = {
    "toxicity/": 0.1,
    "stereotype/": 0.2,
    "sentiment/": 0.0,
    "written/": 0.3,
    "toxicity/implicit_hate": 0.6,
    "toxicity/jigsaw_6label": 0.3,
    "toxicity/jigsaw_khanhhk": 0.15,
    "toxicity/civil_comments_houma": 0.3,
    "toxicity/toxic_spans_cc": 0.2,
    "toxicity/toxigen_annotated": 0.6,
    "toxicity/llm_": 0.3,
    "toxicity/bold_wikipedia": 0.08,
    "toxicity/gap_wikipedia": 0.08,
    "toxicity/dt_stereo_refute": 0.05,
    "stereotype/redditbias": 0.6,
    "stereotype/stereoset_non_dev": 0.3,
    "stereotype/seegull_template": 1.0,
    "stereotype/emgsd_seegull": 1.0,
    "stereotype/dt_stereo_refute": 0.05,
    "stereotype/dt_stereo_endorse": 0.15,
    "stereotype/bold_wikipedia": 0.1,
    "stereotype/gap_wikipedia": 0.1,
    "stereotype/llm_": 0.3,
    "sentiment/sst2_phrases": 1.0,
    "sentiment/sst5": 1.0,
}

SETTLING = Recipe(
    seed=3,
    encoder_rate=5e-5,
    head_rate=2e-4,
    word_rate=2.5e-5,
    average_decay=0.998,
    rates=BROAD,
    written_rows=True,
    joined=5000,
)
"""The third stage: a short pass over a bit of everything, and over windows of long texts."""

# Wikipedia talk and comments on news nearly whole, since they are read in all their windows here.
SERVED = {
    "toxicity/": 0.1,
    "stereotype/": 0.15,
    "sentiment/": 0.1,
    "written/": 1.0,
    "written/answers": 0.6,
    "toxicity/jigsaw_6label": 0.7,
    "toxicity/jigsaw_ak": 1.0,
    "toxicity/jigsaw_houma": 1.0,
    "toxicity/jigsaw_khanhhk": 0.5,
    "toxicity/civil_comments_houma": 1.0,
    "toxicity/toxic_spans_cc": 0.4,
    "toxicity/implicit_hate": 0.7,
    "toxicity/toxigen_annotated": 0.6,
    "toxicity/sbic_dev": 0.5,
    "toxicity/hatemoji_build": 0.3,
    "toxicity/diasafety": 0.5,
    "toxicity/hatexplain": 0.2,
    "toxicity/llm_": 0.35,
    "toxicity/bold_wikipedia": 0.05,
    "toxicity/gap_wikipedia": 0.08,
    "toxicity/dt_stereo_refute": 0.04,
    "stereotype/redditbias": 0.7,
    "stereotype/stereoset_non_dev": 0.2,
    "stereotype/seegull_template": 0.5,
    "stereotype/emgsd_winoqueer": 0.5,
    "stereotype/dt_stereo_refute": 0.04,
    "stereotype/bold_wikipedia": 0.05,
    "stereotype/gap_wikipedia": 0.08,
    "stereotype/llm_": 0.2,
    "sentiment/sst2_phrases": 1.0,
    "sentiment/sst5": 1.0,
    "sentiment/cad_imdb": 0.35,
    "sentiment/tweeteval_sentiment_val": 1.0,
    "sentiment/vader_amazon": 1.0,
}

SERVING = Recipe(
    seed=4,
    encoder_rate=6e-5,
    head_rate=2e-4,
    word_rate=3e-5,
    average_decay=0.999,
    copies=1,
    repeats={"sentiment/sst5": 2},
    rates=SERVED,
    written_rows=True,
    joined=1500,
    joined_room=(600, 3600),
    joined_toxic=0.12,
    max_windows=8,
    consistency=3.0,
)
"""The fourth stage: long texts are read as they are served, and copies must agree."""

# The same in small, with more of what the fourth stage let slip: reviews, and comments on news.
LAST = {
    "toxicity/": 0.05,
    "stereotype/": 0.05,
    "sentiment/": 0.05,
    "written/": 0.35,
    "toxicity/jigsaw_6label": 0.2,
    "toxicity/jigsaw_ak": 0.4,
    "toxicity/jigsaw_houma": 0.5,
    "toxicity/jigsaw_khanhhk": 0.15,
    "toxicity/civil_comments_houma": 0.5,
    "toxicity/toxic_spans_cc": 0.3,
    "toxicity/implicit_hate": 0.4,
    "toxicity/toxigen_annotated": 0.4,
    "toxicity/sbic_dev": 0.3,
    "toxicity/hatemoji_build": 0.15,
    "toxicity/diasafety": 0.3,
    "toxicity/hatexplain": 0.2,
    "toxicity/llm_": 0.12,
    "toxicity/dt_stereo_refute": 0.02,
    "stereotype/redditbias": 0.4,
    "stereotype/stereoset_non_dev": 0.15,
    "stereotype/seegull_template": 0.3,
    "stereotype/emgsd_winoqueer": 0.3,
    "sentiment/sst2_phrases": 0.6,
    "sentiment/sst5": 1.0,
    "sentiment/cad_imdb": 0.1,
    "sentiment/tweeteval_sentiment_val": 0.6,
    "sentiment/vader_amazon": 0.5,
}

CLOSING = replace(
    SERVING,
    seed=5,
    encoder_rate=4e-5,
    head_rate=1.5e-4,
    word_rate=2e-5,
    average_decay=0.998,
    repeats={},
    rates=LAST,
    joined=400,
)
"""The fifth stage: a short pass with falling rates, where the fourth was stopped."""

# Hate without a slur, reviews, and copies: what the mean with the weights before had diluted.
BALANCE = {
    "toxicity/": 0.02,
    "stereotype/": 0.02,
    "sentiment/": 0.02,
    "written/": 0.08,
    "written/toxic_group": 0.4,
    "toxicity/implicit_hate": 0.5,
    "toxicity/toxigen_annotated": 0.4,
    "toxicity/sbic_dev": 0.3,
    "toxicity/jigsaw_6label": 0.1,
    "toxicity/jigsaw_ak": 0.3,
    "toxicity/jigsaw_houma": 0.5,
    "toxicity/civil_comments_houma": 0.15,
    "toxicity/llm_": 0.1,
    "stereotype/redditbias": 0.3,
    "sentiment/sst2_phrases": 0.3,
    "sentiment/sst5": 0.6,
}

BALANCING = replace(
    CLOSING,
    seed=6,
    encoder_rate=3e-5,
    head_rate=1e-4,
    word_rate=1.5e-5,
    average_decay=0.995,
    rates=BALANCE,
    consistency=4.0,
    joined=100,
    checkpoint_steps=100,
)
"""The sixth stage: from the mean of the fifth and the weights before the fourth."""

# Comments as people write them, hate without a slur, and copies.
RENEWED = {
    **SERVED,
    "written/": 0.35,
    "written/answers": 0.3,
    "written/toxic_group": 0.7,
    "toxicity/jigsaw_6label": 0.4,
    "toxicity/jigsaw_khanhhk": 0.25,
    "toxicity/implicit_hate": 1.0,
    "toxicity/toxigen_annotated": 0.8,
    "toxicity/sbic_dev": 0.6,
    "toxicity/hatexplain": 0.25,
    "toxicity/llm_": 0.25,
    "stereotype/redditbias": 0.6,
    "sentiment/sst2_phrases": 0.5,
    "sentiment/vader_amazon": 0.5,
}

RENEWING = replace(
    SERVING,
    seed=7,
    encoder_rate=5e-5,
    word_rate=2.5e-5,
    average_decay=0.998,
    repeats={"toxicity/civil_comments_houma": 2, "toxicity/jigsaw_houma": 2},
    rates=RENEWED,
    joined=900,
    consistency=4.0,
)
"""The seventh stage: the fourth once more, from what shipped, to the end of its falling rates."""

# All that tells apart, in one pass: hate without a slur and reviews whole, prose for balance.
TAUGHT = {
    "toxicity/": 0.2,
    "stereotype/": 0.15,
    "sentiment/": 0.1,
    "written/": 0.35,
    "toxicity/implicit_hate": 1.0,
    "toxicity/toxigen_annotated": 1.0,
    "toxicity/civil_comments_houma": 0.7,
    "toxicity/jigsaw_6label": 0.28,
    "toxicity/jigsaw_ak": 0.8,
    "toxicity/jigsaw_houma": 1.0,
    "toxicity/jigsaw_khanhhk": 0.1,
    "toxicity/toxic_spans_cc": 0.25,
    "toxicity/sbic_dev": 1.0,
    "toxicity/edos": 0.4,
    "toxicity/gab_hate_corpus": 0.5,
    "toxicity/hatexplain": 0.25,
    "toxicity/hatemoji_build": 0.5,
    "toxicity/diasafety": 1.0,
    "toxicity/guest_misogyny": 0.7,
    "toxicity/llm_": 0.35,
    "toxicity/bold_wikipedia": 0.06,
    "toxicity/gap_wikipedia": 0.06,
    "toxicity/dt_stereo_refute": 0.06,
    "toxicity/dt_llm_toxic_scored": 0.6,
    "stereotype/redditbias": 1.0,
    "stereotype/toxigen_annotated": 1.0,
    "stereotype/stereoset_non_dev": 0.3,
    "stereotype/seegull_template": 0.5,
    "stereotype/emgsd_seegull": 1.0,
    "stereotype/emgsd_winoqueer": 1.0,
    "stereotype/dt_stereo_endorse": 0.15,
    "stereotype/dt_stereo_refute": 0.06,
    "stereotype/bold_wikipedia": 0.06,
    "stereotype/gap_wikipedia": 0.06,
    "sentiment/sst2_phrases": 0.7,
    "sentiment/sst5": 1.0,
    "sentiment/cad_imdb": 0.15,
    "sentiment/vader_amazon": 0.5,
}

TEACHING = Recipe(
    seed=8,
    batch_tokens=3072,
    max_tokens=256,
    encoder_rate=6e-5,
    layer_decay=0.9,
    head_rate=5e-4,
    warmup_share=0.05,
    average_decay=0.998,
    copies=1,
    rates=TAUGHT,
    written_rows=True,
    joined=3000,
    joined_room=(155, 500),
    consistency=2.0,
    invariant={k: share for k, share in INVARIANT.items() if k.startswith("toxicity")},
    unknown_in_copies=("stereotype",),
    log_steps=10,
    checkpoint_steps=10_000,
    checkpoint_minutes=10.0,
)
"""One pass of a larger encoder, whose judgements the small one is to learn.

A stereotype is about its group: copies with another group are neither labelled nor priced for it.
"""

# What tells apart, without much of what is easy for an encoder of this size.
ADAPTED = {
    **TAUGHT,
    "toxicity/": 0.12,
    "stereotype/": 0.1,
    "sentiment/": 0.06,
    "written/": 0.2,
    "toxicity/civil_comments_houma": 0.55,
    "toxicity/jigsaw_6label": 0.18,
    "toxicity/jigsaw_ak": 0.6,
    "toxicity/jigsaw_khanhhk": 0.06,
    "toxicity/toxic_spans_cc": 0.2,
    "toxicity/sbic_dev": 0.7,
    "toxicity/edos": 0.3,
    "toxicity/gab_hate_corpus": 0.35,
    "toxicity/hatexplain": 0.15,
    "toxicity/hatemoji_build": 0.3,
    "toxicity/diasafety": 0.6,
    "toxicity/llm_": 0.2,
    "toxicity/dt_stereo_refute": 0.03,
    "stereotype/stereoset_non_dev": 0.15,
    "stereotype/seegull_template": 0.3,
    "stereotype/dt_stereo_endorse": 0.08,
    "sentiment/sst2_phrases": 0.45,
    "sentiment/sst5": 0.7,
    "sentiment/cad_imdb": 0.08,
    "sentiment/vader_amazon": 0.3,
}


def scaled(rates: Mapping[str, float], share: float) -> dict[str, float]:
    """All sources in the same proportion, and fewer rows."""
    return {source: rate * share for source, rate in rates.items()}


ADAPTING = replace(
    TEACHING,
    seed=9,
    batch_rows=32,
    batch_tokens=2048,
    max_tokens=128,
    encoder_rate=4e-4,
    layer_decay=1.0,
    head_rate=1e-3,
    warmup_share=0.04,
    cooldown_steps=500,
    average_decay=0.99,
    dropout=0.0,
    rates=ADAPTED,
    joined=800,
    adapter_rank=32,
    adapter_layers=8,
)
"""`teaching` with adapters: two thirds of the cost per row, and a result of a few megabytes.

The rates are level until the last steps, so that the end can be moved to where the time is up.
"""

ADAPTING_ON = replace(ADAPTING, seed=11, warmup_share=0.01)
"""The same again, from the adapters that `adapting` left, over its rows in another order."""

ADAPTING_HARD = replace(
    ADAPTING_ON, seed=12, rates={**ADAPTED, "written/hard_": 1.0}, hard_rows=True
)
"""`adapting-on` with the hard texts: a teacher that has not read them would unteach them."""

ADAPTING_WIDE = replace(
    ADAPTING_ON,
    seed=14,
    cooldown_steps=250,
    rates={**scaled(ADAPTED, 0.1), "written/hard_": 1.0},
    joined=300,
    hard_rows=True,
)
"""`adapting-hard` in small, once there are more hard texts, from the adapters that it left."""

ADAPTING_BROAD = replace(
    ADAPTING_ON,
    seed=18,
    cooldown_steps=400,
    rates={
        **scaled(ADAPTED, 0.1),
        "written/hard_": 0.7,
        "toxicity/implicit_hate": 0.3,
        "stereotype/redditbias": 0.3,
        "sentiment/sst5": 0.15,
    },
    joined=300,
    hard_rows=True,
)
"""`adapting-wide` with hard texts by several hands, and more of what the student does worst."""

ADAPTING_VOICES = replace(
    ADAPTING_ON,
    seed=20,
    cooldown_steps=500,
    rates={
        **scaled(ADAPTED, 0.06),
        "written/hard_": 0.5,
        "written/harmless": 1.0,
        "written/ordinary": 1.0,
        "written/toxic_": 1.0,
        "toxicity/implicit_hate": 0.25,
        "stereotype/redditbias": 0.25,
        "sentiment/sst5": 0.12,
    },
    joined=1500,
    joined_room=(200, 800),
    joined_toxic=0.3,
    joined_hard=0.45,
    joined_settled=0.75,
    hard_rows=True,
    ordinary_rows=True,
)
"""`adapting-broad` with all hands, plain replies and hate said outright within longer texts."""

ADAPTING_OUTRIGHT = replace(
    ADAPTING_VOICES,
    seed=21,
    encoder_rate=2e-4,
    head_rate=5e-4,
    cooldown_steps=300,
    rates={
        **scaled(ADAPTED, 0.03),
        "written/hard_": 0.08,
        "written/harmless": 0.5,
        "written/ordinary": 0.4,
        "written/toxic_": 0.6,
        "toxicity/implicit_hate": 0.1,
        "toxicity/jigsaw_6label": 0.04,
        "stereotype/redditbias": 0.1,
        "sentiment/sst5": 0.05,
    },
    joined=5000,
    joined_room=(80, 700),
    joined_toxic=0.4,
    joined_hard=0.3,
)
"""`adapting-voices` in small, with more hate said outright among harmless sentences."""

DISTILLING = replace(
    RENEWING,
    seed=10,
    encoder_rate=8e-5,
    word_rate=4e-5,
    head_rate=2e-4,
    cooldown_steps=700,
    rates={**RENEWED, "replay/": 0.5, "written/hard_": 1.0},
    repeats={},
    invariant={k: v for k, v in INVARIANT.items() if k != "stereotype"},
    unknown_in_copies=("stereotype",),
    hard_rows=True,
    replayed_rows=True,
    soft_share=0.6,
    temperature=2.0,
    unread_share=0.2,
)
"""From what shipped, with the judgements of a teacher, also of recorded answers.

As for the teacher, a stereotype is about its group: copies have no price for it.
"""

DISTILLING_ON = replace(
    DISTILLING,
    seed=15,
    encoder_rate=5e-5,
    word_rate=2.5e-5,
    head_rate=1.5e-4,
    cooldown_steps=500,
    rates={**scaled(RENEWED, 0.3), "replay/": 0.25, "written/hard_": 1.0},
    joined=1500,
    unread_share=0.1,
)
"""`distilling` in small, with more hard texts and more long harmless ones."""

# What a pass of `distilling-on` became less sure of: hate said outright, and reviews.
OUTRIGHT = {
    "written/toxic_group": 0.6,
    "toxicity/hatexplain": 0.25,
    "toxicity/hatemoji_build": 0.4,
    "toxicity/toxigen_annotated": 0.4,
    "toxicity/implicit_hate": 0.35,
    "toxicity/sbic_dev": 0.4,
    "sentiment/sst2_phrases": 0.3,
    "sentiment/sst5": 0.5,
}

DISTILLING_OUTRIGHT = replace(
    DISTILLING_ON,
    seed=16,
    rates={**DISTILLING_ON.rates, **OUTRIGHT},
    joined=2000,
    joined_toxic=0.12,
    joined_settled=0.6,
    unread_share=0.2,
    consistency=6.0,
)
"""`distilling-on` with more hate said outright, and a higher price on copies that differ."""

DISTILLING_BROAD = replace(
    DISTILLING_OUTRIGHT,
    seed=17,
    joined=3200,
    joined_settled=0.75,
    cooldown_steps=700,
)
"""`distilling-outright` once more, when there were hard texts by several hands, with more long
harmless texts."""

# Whole where texts are short and the labels good, so that what is learnt anew does not unteach it.
WHOLE = {
    **scaled(RENEWED, 0.45),
    "replay/": 0.3,
    "written/hard_": 0.55,
    "written/toxic_group": 0.6,
    "toxicity/implicit_hate": 0.9,
    "toxicity/jigsaw_6label": 0.28,
    "toxicity/hatexplain": 0.2,
    "toxicity/toxigen_annotated": 0.6,
    "toxicity/sbic_dev": 0.5,
    "toxicity/hatemoji_build": 0.3,
    "stereotype/redditbias": 0.6,
    "sentiment/sst2_phrases": 0.5,
    "sentiment/sst5": 1.0,
    "sentiment/vader_amazon": 0.3,
}

DISTILLING_WHOLE = replace(
    DISTILLING,
    encoder_rate=6e-5,
    word_rate=3e-5,
    cooldown_steps=1000,
    rates=WHOLE,
    joined=2600,
    joined_toxic=0.15,
    joined_settled=0.75,
    unread_share=0.3,
    consistency=6.0,
)
"""`distilling-broad` with more public rows: those that a teacher has read, since the seed is that
of `distilling`, whose choice it labelled."""

DISTILLING_WRITTEN = replace(
    DISTILLING_WHOLE,
    rates={**WHOLE, "written/hard_": 1.0},
    joined=3200,
)
"""`distilling-whole` with all hard texts, once a teacher has read them."""

# Comments and reviews again, of which the passes before had become less sure.
PUBLIC = {
    **scaled(RENEWED, 0.35),
    "replay/": 0.25,
    "written/answers": 1.0,
    "written/hard_": 0.55,
    "written/ordinary": 1.0,
    "written/toxic_group": 0.6,
    "toxicity/implicit_hate": 0.75,
    "toxicity/jigsaw_6label": 0.4,
    "toxicity/jigsaw_ak": 0.6,
    "toxicity/hatexplain": 0.2,
    "toxicity/toxigen_annotated": 0.4,
    "toxicity/sbic_dev": 0.4,
    "toxicity/hatemoji_build": 0.3,
    "stereotype/redditbias": 0.6,
    "sentiment/sst2_phrases": 0.5,
    "sentiment/sst5": 1.0,
    "sentiment/vader_amazon": 0.3,
}

DISTILLING_ORDINARY = replace(
    DISTILLING_WHOLE,
    encoder_rate=4e-5,
    word_rate=2e-5,
    head_rate=1.5e-4,
    cooldown_steps=900,
    rates=PUBLIC,
    repeats={"written/ordinary": 3, "written/answers": 2},
    ordinary_rows=True,
)
"""`distilling-whole` in small from 0.8.0, with replies in which nothing is hard."""

DISTILLING_PLAIN = replace(
    DISTILLING_ORDINARY,
    cooldown_steps=400,
    rates={
        **PUBLIC,
        "replay/": 0.1,
        "written/toxic_": 1.0,
        "written/toxic_group": 1.0,
        "written/neutral": 0.5,
        "written/harmless": 1.0,
        "written/quoted": 0.5,
        "toxicity/implicit_hate": 0.4,
        "toxicity/jigsaw_6label": 0.3,
        "toxicity/hatexplain": 0.3,
        "toxicity/toxigen_annotated": 0.5,
        "sentiment/sst2_phrases": 0.3,
        "written/hard_": 0.35,
    },
    repeats={"written/ordinary": 4, "written/answers": 2},
)
"""The same once more, with more plain hate and plain replies."""

# Our own rows, nearly whole.
MOSTLY_WRITTEN = {
    "replay/": 0.1,
    "written/answers": 1.0,
    "written/hard_": 0.6,
    "written/harmless": 1.0,
    "written/ordinary": 1.0,
    "sentiment/sst5": 1.0,
}

DISTILLING_PUBLIC = replace(
    DISTILLING_ORDINARY,
    encoder_rate=5e-5,
    word_rate=2.5e-5,
    rates={**scaled(RENEWED, 0.8), **MOSTLY_WRITTEN, "written/toxic_": 0.6},
    repeats={"written/ordinary": 2},
    unread_share=0.6,
)
"""The same with most of the public rows, comments above all, which the passes since had thinned."""

DISTILLING_BURIED = replace(
    DISTILLING_PUBLIC,
    encoder_rate=4e-5,
    word_rate=2e-5,
    rates={**scaled(RENEWED, 0.4), **MOSTLY_WRITTEN, "written/toxic_": 1.0},
)
"""The same in small, with hate said outright within long answers."""

DISTILLING_HANDS = replace(
    DISTILLING_BURIED,
    rates={
        **scaled(RENEWED, 0.35),
        **MOSTLY_WRITTEN,
        "written/hard_": 0.75,
        "written/toxic_": 0.8,
    },
    unread_share=0.9,
)
"""The same once more, with hard texts and replies by seven more hands that no teacher has read."""

DISTILLING_HIDDEN = replace(
    DISTILLING_HANDS,
    seed=18,
    rates={
        **scaled(RENEWED, 0.3),
        **MOSTLY_WRITTEN,
        "written/hard_": 0.85,
        "written/toxic_": 1.0,
    },
    joined=6000,
    joined_toxic=0.25,
    joined_hard=0.6,
)
"""The same once more, with three more hands, and with harm without a slur in longer texts."""

DISTILLING_VOICES = replace(
    DISTILLING_HIDDEN,
    seed=19,
    rates={
        **scaled(RENEWED, 0.4),
        **MOSTLY_WRITTEN,
        "written/hard_": 0.85,
        "written/toxic_": 1.0,
    },
    joined_toxic=0.3,
    joined_hard=0.45,
)
"""The same once more, with ten more hands, and more hate said outright in longer texts, once the
third teacher has read them."""

DISTILLING_CUT = replace(
    DISTILLING,
    seed=12,
    batch_rows=32,
    batch_tokens=2048,
    encoder_rate=4e-4,
    head_rate=1e-3,
    word_rate=0.0,
    cooldown_steps=500,
    average_decay=0.99,
    dropout=0.0,
    adapter_rank=32,
    adapter_layers=6,
    soft_share=0.8,
)
"""`distilling` for adapters on some layers of the teacher (`train.cut`), with its judgements."""

RECIPES = {
    "first": Recipe(),
    "refining": REFINING,
    "settling": SETTLING,
    "serving": SERVING,
    "closing": CLOSING,
    "balancing": BALANCING,
    "renewing": RENEWING,
    "teaching": TEACHING,
    "adapting": ADAPTING,
    "adapting-on": ADAPTING_ON,
    "adapting-hard": ADAPTING_HARD,
    "adapting-wide": ADAPTING_WIDE,
    "adapting-broad": ADAPTING_BROAD,
    "adapting-voices": ADAPTING_VOICES,
    "adapting-outright": ADAPTING_OUTRIGHT,
    "distilling": DISTILLING,
    "distilling-on": DISTILLING_ON,
    "distilling-outright": DISTILLING_OUTRIGHT,
    "distilling-broad": DISTILLING_BROAD,
    "distilling-whole": DISTILLING_WHOLE,
    "distilling-written": DISTILLING_WRITTEN,
    "distilling-ordinary": DISTILLING_ORDINARY,
    "distilling-plain": DISTILLING_PLAIN,
    "distilling-public": DISTILLING_PUBLIC,
    "distilling-buried": DISTILLING_BURIED,
    "distilling-hands": DISTILLING_HANDS,
    "distilling-hidden": DISTILLING_HIDDEN,
    "distilling-voices": DISTILLING_VOICES,
    "distilling-cut": DISTILLING_CUT,
}
