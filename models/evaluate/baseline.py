"""A baseline that knows words and no sentences: TF-IDF and logistic regression, head by head."""

from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

from evaluate.sets import Predict
from export.quantise import Floats
from train.heads import HEADS, index_of
from train.rows import Row

READ = ("toxicity", "toxicity.identity_attack", "stereotype", "sentiment")
WORDS, PIECES = 60_000, 60_000


def features() -> FeatureUnion:
    """Words with their neighbours, and pieces of words."""
    words = TfidfVectorizer(
        ngram_range=(1, 2), min_df=2, max_features=WORDS, sublinear_tf=True, dtype=np.float32
    )
    pieces = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(3, 4), min_df=5, max_features=PIECES,
        sublinear_tf=True, dtype=np.float32,
    )  # fmt: skip
    return FeatureUnion([("words", words), ("pieces", pieces)])


def fitted(rows: Sequence[Row], head: int) -> Pipeline | None:
    """A model of one head; None where the rows show it nothing to tell apart."""
    known = [(row.text, t >= 0.5) for row in rows if (t := row.targets[head]) is not None]
    if len({label for _, label in known}) < 2:
        return None
    texts, labels = zip(*known, strict=True)
    model = make_pipeline(features(), LogisticRegression(C=4.0, max_iter=200, solver="liblinear"))
    return model.fit(texts, labels)


def tfidf(rows: Sequence[Row]) -> Predict:
    """Values of the heads that the development sets read; the others are 0."""
    models = {index_of(key): fitted(rows, index_of(key)) for key in READ}

    def predict(texts: list[str]) -> Floats:
        values = np.zeros((len(texts), len(HEADS)), dtype=np.float32)
        for head, model in models.items():
            if model is not None:
                values[:, head] = model.predict_proba(texts)[:, 1]
        return values

    return predict
