"""Every architecture in: the scores of the original, in any batch, over windows and sentences."""

from pathlib import Path

import numpy as np
import pytest
import torch

from guard.importing import (
    ImportedModel,
    ImportRequest,
    ModelStorage,
    Precision,
    Purpose,
    Tolerance,
    import_model,
    parse_source,
)
from guard.importing.texts import shipped_texts
from guard.scoring import EngineOptions, model_at, open_engine
from guard.scoring.models import open_classifier
from tests.models.made_models import ARCHITECTURES, COMPARED, STEREOTYPE, TOXICITY, saved

LONG = " ".join(shipped_texts()[:30])


@pytest.fixture(scope="module", params=sorted(ARCHITECTURES))
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier of toxicity, of each architecture."""
    return saved(tmp_path_factory.mktemp("source"), request.param)


@pytest.fixture
def storage(tmp_path: Path) -> ModelStorage:
    return ModelStorage(root=tmp_path)


def imported(
    source: str, storage: ModelStorage, precision: Precision = Precision.INT8, **options: object
) -> ImportedModel:
    torch.set_num_threads(1)
    wide = 0.5 if precision is Precision.INT8 else None  # random weights have scores around 0.5
    tolerance = Tolerance.of(precision, wide)
    request = ImportRequest(
        source=parse_source(source), name="made", tolerance=tolerance, texts=COMPARED, **options
    )
    return import_model(request, storage)


def test_in_32_bits_the_scores_are_those_of_the_original(
    source: Path, storage: ModelStorage
) -> None:
    found = imported(f"hf:{source}", storage, Precision.FP32)
    assert found.heads == ("toxicity", "toxicity.obscene", "toxicity.insult")
    assert all(head.largest <= 1e-4 for head in found.comparison.heads)
    assert all(head.rank is not None and head.rank > 0.999 for head in found.comparison.heads)


def test_in_8_bits_a_score_does_not_depend_on_the_batch(
    source: Path, storage: ModelStorage
) -> None:
    found = imported(f"hf:{source}", storage, Precision.INT8)
    classifier = open_classifier(model_at(found.folder), threads=1)
    texts = shipped_texts()[:12]
    windows = [next(iter(classifier.vocabulary.windows(text))) for text in texts]
    alone = np.array([classifier.values([window])[0] for window in windows])
    together = np.array(classifier.values(windows))
    assert np.ptp(alone[:, 0]) > 0.02
    assert np.abs(alone - together).max() < 1e-4


def test_a_long_text_is_scored_in_windows_that_cover_it(
    source: Path, storage: ModelStorage
) -> None:
    found = imported(f"hf:{source}", storage, Precision.FP16)
    with open_engine(found.folder, EngineOptions(workers=1)) as engine:
        assessment = engine.submit(LONG).result()
        assert engine.submit(" \n").result().reason is not None
    assert assessment.reason is None
    assert assessment.uncovered == ()
    assert all(score.value is not None for score in assessment.scores.values())
    assert all(
        0 <= passage.span.start < passage.span.end <= len(LONG) for passage in assessment.passages
    )


def test_labels_that_exclude_each_other_are_read_as_their_pipeline_reads_them(
    storage: ModelStorage, tmp_path: Path
) -> None:
    source = saved(tmp_path / "source", "deberta-v2", STEREOTYPE, exclusive=True)
    found = imported(f"hf:{source}", storage, Precision.FP32)
    assert found.heads == ("stereotype", "stereotype.gender", "stereotype.race")
    assert max(head.largest for head in found.comparison.heads) <= 1e-4


def test_a_purpose_keeps_one_family_of_heads(storage: ModelStorage, tmp_path: Path) -> None:
    source = saved(tmp_path / "source", labels=(*TOXICITY, "stereotype"))
    found = imported(f"hf:{source}", storage, Precision.INT8, purpose=Purpose.STEREOTYPE)
    assert found.heads == ("stereotype",)
