"""Detoxify, sentence-transformers, pairs and ONNX files, each in the format of its library."""

import json
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import sentence_transformers
import torch
import transformers
from onnxruntime.quantization import quantize_dynamic
from safetensors.torch import load_file, save_file
from sentence_transformers.sentence_transformer import modules

from guard.bootstrap.assessment import open_measures
from guard.errors import ModelError
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
from guard.records import Action
from guard.scoring import find_model, model_at, open_embedder, open_engine, open_pair_classifier
from guard.settings import parse_settings
from guard.wrap.facade import Guard
from tests.models.made_models import (
    ARCHITECTURES,
    CARD,
    COMPARED,
    classifier,
    config_of,
    edited,
    saved,
    tokenizer_of,
)

UNBIASED = (
    "toxicity",
    "severe_toxicity",
    "obscene",
    "identity_attack",
    "insult",
    "threat",
    "sexual_explicit",
)
PAIRS = ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")


@pytest.fixture
def storage(tmp_path: Path) -> ModelStorage:
    return ModelStorage(root=tmp_path / "models")


def imported(
    source: str,
    storage: ModelStorage,
    precision: Precision = Precision.FP32,
    name: str = "made",
    **options: Any,
) -> ImportedModel:
    tolerance = Tolerance.of(precision, 0.5 if precision is Precision.INT8 else None)
    request = ImportRequest(
        source=parse_source(source), name=name, tolerance=tolerance, texts=COMPARED, **options
    )
    return import_model(request, storage)


def checkpoint(folder: Path, architecture: str, classes: tuple[str, ...], outputs: int) -> Path:
    """As Detoxify saves one, with config.json and tokenizer of its encoder beside it."""
    folder.mkdir()
    labels = [*classes, *(f"identity{n}" for n in range(outputs - len(classes)))]
    arguments = {
        "model_type": f"{architecture}-base",
        "model_name": type(classifier(architecture, labels)).__name__,
        "tokenizer_name": "AutoTokenizer",
        "num_classes": outputs,
    }
    config = {"arch": {"args": arguments}, "dataset": {"args": {"classes": list(classes)}}}
    state = classifier(architecture, labels).state_dict()
    torch.save({"config": config, "state_dict": state}, folder / "toxic.ckpt")
    config_of(architecture, [], exclusive=False).save_pretrained(folder)
    tokenizer_of(architecture).save_pretrained(folder)
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return folder


@pytest.mark.parametrize("architecture", ["bert", "roberta", "xlm-roberta"])
def test_of_the_sixteen_outputs_of_detoxify_the_classes_are_heads(
    architecture: str, tmp_path: Path, storage: ModelStorage
) -> None:
    folder = checkpoint(tmp_path / "source", architecture, UNBIASED, 16)
    found = imported(f"detoxify:{folder}", storage, trust_pickle=True)
    assert found.heads[0] == "toxicity"
    assert "toxicity.sexual_explicit" in found.heads
    assert len(found.heads) == 7
    assert max(head.largest for head in found.comparison.heads) <= 1e-4


def test_a_checkpoint_is_a_pickle(tmp_path: Path, storage: ModelStorage) -> None:
    folder = checkpoint(tmp_path / "source", "bert", ("toxic", "obscene"), 2)
    with pytest.raises(ModelError, match=r"toxic\.ckpt: a pickle"):
        imported(f"detoxify:{folder}", storage)
    found = imported(f"detoxify:{folder}", storage, trust_pickle=True)
    assert found.heads == ("toxicity", "toxicity.obscene")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"weights": 1}, "no config and state_dict"),
        ({"config": {}, "state_dict": {}}, "does not say what its encoder is|name its classes"),
    ],
)
def test_what_is_no_checkpoint_is_refused(
    content: Any, message: str, tmp_path: Path, storage: ModelStorage
) -> None:
    folder = checkpoint(tmp_path / "source", "bert", ("toxic", "obscene"), 2)
    torch.save(content, folder / "toxic.ckpt")
    with pytest.raises(ModelError, match=message):
        imported(f"detoxify:{folder}", storage, trust_pickle=True)


def embedder(folder: Path, architecture: str, pooling: Any, *after: Any) -> Path:
    """A folder as sentence-transformers saves one. after: the modules that follow the pooling."""
    encoder = folder.with_suffix(".encoder")
    torch.manual_seed(7)
    config = config_of(architecture, ["a", "b"], exclusive=True)
    transformers.AutoModel.from_config(config).save_pretrained(encoder)
    tokenizer_of(architecture).save_pretrained(encoder)
    transformer = modules.Transformer(str(encoder), max_seq_length=48)
    parts = [transformer, modules.Pooling(32, pooling_mode=pooling), *after]
    made = sentence_transformers.SentenceTransformer(modules=parts, device="cpu")
    made.save(str(folder))
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("architecture", "pooling", "after"),
    [
        ("bert", "mean", [modules.Normalize()]),
        ("mpnet", "cls", []),
        ("xlm-roberta", "max", [modules.Normalize()]),
        ("distilbert", "weightedmean", [modules.Dropout(0.5), modules.LayerNorm(32)]),
        ("electra", "lasttoken", []),
        ("roberta", ("mean", "max"), [modules.Dense(64, 32), modules.Normalize()]),
        ("albert", "mean", []),
        ("deberta", "mean", []),
        ("deberta-v2", "mean", []),
        ("modernbert", "cls", []),
    ],
)
def test_an_embedder_is_pooled_as_its_modules_say(
    architecture: str, pooling: Any, after: list[Any], tmp_path: Path, storage: ModelStorage
) -> None:
    folder = embedder(tmp_path / "source", architecture, pooling, *after)
    found = imported(f"st:{folder}", storage)
    assert found.comparison.batch < 1e-5
    assert found.comparison.lowest_cosine is not None
    assert found.comparison.lowest_cosine > 1 - 1e-5
    vectors = open_embedder(model_at(found.folder)).embed(shipped_texts()[:3])
    assert vectors.shape == (3, 32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_an_embedder_that_lowers_letters_does_so_here(
    tmp_path: Path, storage: ModelStorage
) -> None:
    folder = embedder(tmp_path / "source", "roberta", "mean")
    edited(folder / "sentence_bert_config.json", do_lower_case=True)
    found = imported(f"st:{folder}", storage)
    loud, quiet = open_embedder(model_at(found.folder)).embed(["THANK YOU", "thank you"])
    assert loud == pytest.approx(quiet, abs=1e-6)


def test_an_embedder_whose_weights_are_not_all_there_is_refused(
    tmp_path: Path, storage: ModelStorage
) -> None:
    folder = embedder(tmp_path / "source", "bert", "mean")
    tensors = load_file(folder / "model.safetensors")
    del tensors["encoder.layer.1.output.dense.weight"]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"1 weights are missing, such as encoder\.layer\.1"):
        imported(f"st:{folder}", storage)


def test_an_imported_embedder_is_what_replies_are_compared_with(
    tmp_path: Path, storage: ModelStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENGUARD_MODELS", str(storage.root))
    imported(f"st:{embedder(tmp_path / 'source', 'bert', 'mean')}", storage)
    with ExitStack() as stack:
        measures = open_measures(parse_settings("scoring: {embedder: made}"), stack)
        assert [(one.role, one.name) for one in measures.models][-1] == ("embedder", "made")
        assert measures.embed is not None
        (vector,) = measures.embed(["Thank you for your message."])
    assert len(list(vector)) == 32


def test_an_embedder_with_code_of_its_own_is_refused(tmp_path: Path, storage: ModelStorage) -> None:
    folder = embedder(tmp_path / "source", "bert", "mean")
    listed = json.loads((folder / "modules.json").read_text())
    listed[1]["type"] = "own_code.Pooling"
    (folder / "modules.json").write_text(json.dumps(listed))
    with pytest.raises(ModelError, match="own_code"):
        imported(f"st:{folder}", storage)


@pytest.mark.parametrize("architecture", sorted(ARCHITECTURES))
def test_a_classifier_of_pairs_has_its_labels_in_our_order(
    architecture: str, tmp_path: Path, storage: ModelStorage
) -> None:
    folder = saved(tmp_path / "source", architecture, PAIRS, exclusive=True)
    found = imported(f"nli:{folder}", storage)
    assert found.heads == ("entailment", "neutral", "contradiction")
    assert max(head.largest for head in found.comparison.heads) <= 1e-4
    pairs = list(zip(shipped_texts()[:6], shipped_texts()[1:7], strict=True))
    ours = open_pair_classifier(model_at(found.folder)).probabilities(pairs)
    pipeline = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    cut = {"truncation": True, "max_length": 64, "return_tensors": "pt"}
    with torch.inference_mode():
        rows = [pipeline(**tokenizer(*one, **cut)).logits for one in pairs]
    theirs = torch.cat(rows).softmax(dim=1)[:, [1, 2, 0]].numpy()
    assert ours == pytest.approx(theirs, abs=1e-4)
    assert ours.sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_pairs_with_labels_that_are_unclear_are_refused_until_a_map_says_what_they_are(
    tmp_path: Path, storage: ModelStorage
) -> None:
    folder = saved(tmp_path / "source", "bert", ("LABEL_0", "LABEL_1", "LABEL_2"), exclusive=True)
    with pytest.raises(ModelError, match="do not say which is entailment"):
        imported(f"hf:{folder}", storage, purpose=Purpose.NLI)
    labels = {
        "LABEL_0": {"contradiction": 1.0},
        "LABEL_1": {"neutral": 1.0},
        "LABEL_2": {"entailment": 1.0},
    }
    found = imported(f"hf:{folder}", storage, purpose=Purpose.NLI, labels=labels)
    assert found.heads == ("entailment", "neutral", "contradiction")


def exported(folder: Path, *, exclusive: bool, with_types: bool = False) -> Path:
    """An ONNX file as other exporters make it."""
    labels = ("unrelated", "stereotype_race") if exclusive else ("toxicity", "insult")
    saved(folder, "bert", labels, exclusive=exclusive)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        folder, attn_implementation="eager"
    ).eval()
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if with_types else [])]
    axes = {name: {0: "batch_size", 1: "sequence_length"} for name in names}
    example = torch.ones(2, 7, dtype=torch.long)
    torch.onnx.export(
        model,
        tuple([example] * len(names)),
        str(folder / "model.onnx"),
        input_names=names,
        output_names=["logits"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    (folder / "model.safetensors").unlink()
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("with_types", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
def test_an_onnx_file_is_taken_as_it_is(
    exclusive: bool, with_types: bool, tmp_path: Path, storage: ModelStorage
) -> None:
    folder = exported(tmp_path / "source", exclusive=exclusive, with_types=with_types)
    found = imported(f"onnx:{folder}", storage)
    assert found.heads[0] == ("stereotype" if exclusive else "toxicity")
    assert max(head.largest for head in found.comparison.heads) <= 1e-4
    session = onnxruntime.InferenceSession(found.folder / "model.onnx")
    assert [one.name for one in session.get_inputs()] == ["input_ids", "attention_mask"]


@pytest.mark.filterwarnings("ignore")
def test_an_onnx_file_that_an_import_made_is_taken_again(
    tmp_path: Path, storage: ModelStorage
) -> None:
    folder = exported(tmp_path / "source", exclusive=False)
    first = imported(f"onnx:{folder}", storage)
    shutil.copy(first.folder / "model.onnx", folder / "model.onnx")
    again = imported(f"onnx:{folder}", storage, name="again")
    assert again.heads == first.heads
    assert max(head.largest for head in again.comparison.heads) <= 1e-4


@pytest.mark.filterwarnings("ignore")
def test_an_onnx_file_whose_scores_depend_on_the_batch_is_refused(
    tmp_path: Path, storage: ModelStorage
) -> None:
    folder = exported(tmp_path / "source", exclusive=False)
    quantize_dynamic(folder / "model.onnx", folder / "model.onnx")
    with pytest.raises(ModelError, match="with what it is batched with"):
        imported(f"onnx:{folder}", storage)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: (f / "model.onnx").unlink(), "model.onnx: cannot be read"),
        (lambda f: (f / "model.onnx").write_bytes(b"abc"), "not an ONNX model"),
        (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json: cannot be read"),
        (lambda f: (f / "tokenizer.json").write_text("{"), "not a tokenizer"),
        (lambda f: (f / "config.json").unlink(), "id2label names the outputs"),
        (lambda f: edited(f / "config.json", id2label=None), "no id2label"),
        (lambda f: edited(f / "config.json", id2label={"0": "toxic"}), r"gives \(1, 2\)"),
    ],
)
def test_a_broken_onnx_folder_is_refused(
    change: Any, message: str, tmp_path: Path, storage: ModelStorage
) -> None:
    folder = exported(tmp_path / "source", exclusive=False)
    change(folder)
    with pytest.raises(ModelError, match=message):
        imported(f"onnx:{folder}", storage)
    assert [file for file in storage.root.rglob("*") if file.name != ".lock"] == []


def test_imported_models_share_the_work_of_a_guard(
    tmp_path: Path, storage: ModelStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENGUARD_MODELS", str(storage.root))
    toxic = saved(tmp_path / "toxic", "roberta")
    stereotypes = saved(
        tmp_path / "stereotypes", "deberta-v2", ("unrelated", "stereotype_race"), exclusive=True
    )
    imported(f"hf:{toxic}", storage, Precision.INT8, "toxic")
    imported(f"hf:{stereotypes}", storage, Precision.INT8, "stereotypes")
    settings = tmp_path / "guard.yaml"
    settings.write_text(
        "scoring: {model: toxic, heads: {stereotype: stereotypes}, second_look: 'off'}\n"
        "defaults: {mode: enforce, policy: {toxicity: {block: 0.01}}}\n"
    )
    text = shipped_texts()[0]
    with open_engine(find_model("toxic")) as engine:
        alone = engine.submit(text).result().value("toxicity")
    guard = Guard.open(settings)
    try:
        outcome = guard.check(text, use_case="chat")
    finally:
        guard.close()
    assert outcome.action is Action.BLOCK
    assert outcome.assessment.value("toxicity") == pytest.approx(alone)
    assert outcome.assessment.value("stereotype.race") is not None


def test_a_copied_folder_needs_nothing_of_the_import(tmp_path: Path, storage: ModelStorage) -> None:
    found = imported(f"hf:{saved(tmp_path / 'source', 'electra')}", storage, Precision.INT8)
    elsewhere = shutil.copytree(found.folder, tmp_path / "elsewhere")
    with open_engine(find_model(str(elsewhere))) as engine:
        assert engine.submit("Hello there").result().reason is None
