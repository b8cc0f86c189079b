"""Weights that were trained, in and out of the import: scores that span their range."""

from pathlib import Path

import numpy as np
import pytest
import torch

from guard.importing import (
    ImportRequest,
    ModelStorage,
    Precision,
    Tolerance,
    import_model,
    parse_source,
)
from guard.importing.texts import shipped_texts
from guard.scoring import model_at
from guard.scoring.models import open_classifier
from tests.models.real_models import student, student_as_bert, student_as_onnx
from train.heads import KEYS

COMPARED = shipped_texts()[::5]
TEXTS = COMPARED[::2]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return student_as_bert(tmp_path_factory.mktemp("bert"))


def request(source: str, precision: Precision) -> ImportRequest:
    tolerance = Tolerance.of(precision)
    return ImportRequest(
        source=parse_source(source), name="made", tolerance=tolerance, texts=COMPARED
    )


@pytest.mark.parametrize("precision", [Precision.FP32, Precision.INT8])
def test_a_trained_classifier_keeps_its_scores_and_its_decisions(
    precision: Precision, bert: Path, tmp_path: Path
) -> None:
    found = import_model(request(f"hf:{bert}", precision), ModelStorage(root=tmp_path)).comparison
    for head in found.heads:
        assert head.reached is not None
        assert 0 < head.reached < found.texts
        assert head.rank is not None
        assert head.rank > 0.99
    if precision is Precision.FP32:
        assert max(head.largest for head in found.heads) <= 1e-4
        assert max(head.flips for head in found.heads) == 0


def test_the_student_is_what_it_was_after_export_and_import(tmp_path: Path) -> None:
    source = student_as_onnx(tmp_path / "source")
    found = import_model(
        request(f"onnx:{source}", Precision.FP32), ModelStorage(root=tmp_path / "models")
    )
    assert found.heads == KEYS
    classifier = open_classifier(model_at(found.folder), threads=1)
    windows = [next(iter(classifier.vocabulary.windows(text))) for text in TEXTS]
    ours = np.array([classifier.values([window])[0] for window in windows])
    vocabulary, original = classifier.vocabulary, student()
    rows = [torch.tensor([[*vocabulary.before, *w.ids, *vocabulary.after]]) for w in windows]
    with torch.inference_mode():
        theirs = torch.cat([original(row, torch.ones_like(row)) for row in rows]).sigmoid()
    assert np.abs(ours - theirs.numpy()).max() <= 1e-4
