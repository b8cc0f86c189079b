import json

import pytest

from guard.errors import ModelError
from guard.importing.embedder_folder import look_through_embedder
from tests.unit.importing.test_sources import safetensors

MODELS = "sentence_transformers.models"
MODULES = "sentence_transformers.sentence_transformer.modules"
BASE = "sentence_transformers.base.modules"


def written(path, data):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data))


def listed(folder, *modules):
    """modules: type and folder of each."""
    written(
        folder / "modules.json",
        [
            {"idx": at, "name": str(at), "path": place, "type": kind}
            for at, (kind, place) in enumerate(modules)
        ],
    )


@pytest.fixture
def folder(tmp_path):
    """An encoder, its pooling and a dense layer, as far as a look at the files can tell."""
    listed(
        tmp_path,
        (f"{MODELS}.Transformer", ""),
        (f"{MODELS}.Pooling", "1_Pooling"),
        (f"{MODELS}.Dense", "2_Dense"),
    )
    written(tmp_path / "config.json", {"model_type": "bert"})
    (tmp_path / "model.safetensors").write_bytes(safetensors())
    written(tmp_path / "1_Pooling" / "config.json", {})
    activation = "torch.nn.modules.activation.Tanh"
    written(tmp_path / "2_Dense" / "config.json", {"activation_function": activation})
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(safetensors())
    return tmp_path


@pytest.mark.parametrize(
    "modules",
    [
        [(f"{MODELS}.Transformer", ""), (f"{MODELS}.Pooling", "1_Pooling")],
        [
            (f"{BASE}.transformer.Transformer", ""),
            (f"{MODULES}.pooling.Pooling", "1_Pooling"),
            (f"{BASE}.dense.Dense", "2_Dense"),
            (f"{BASE}.normalize.Normalize", "3_Normalize"),
        ],
        [
            (f"{MODULES}.transformer.Transformer", ""),
            (f"{MODULES}.Pooling", "1_Pooling"),
            (f"{MODULES}.layer_norm.LayerNorm", "2_LayerNorm"),
            (f"{MODULES}.normalize.Normalize", "3_Normalize"),
        ],
    ],
)
def test_modules_are_known_by_the_names_that_any_version_of_their_library_writes(folder, modules):
    listed(folder, *modules)
    assert look_through_embedder(folder, trust_pickle=False).path == folder


def test_the_encoder_can_be_in_a_folder_of_its_own(folder):
    (folder / "0_Transformer").mkdir()
    for name in ("config.json", "model.safetensors"):
        (folder / name).rename(folder / "0_Transformer" / name)
    listed(folder, (f"{MODELS}.Transformer", "0_Transformer"), (f"{MODELS}.Pooling", "1_Pooling"))
    found = look_through_embedder(folder, trust_pickle=False)
    assert found.path == folder / "0_Transformer"


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ([], "its modules are none"),
        ([(f"{MODELS}.Transformer", "")], "its modules are Transformer; expected"),
        ([(f"{MODELS}.Pooling", ""), (f"{MODELS}.Transformer", "")], "expected Transformer"),
        ([("own_code.Transformer", "")], r"code of its own \(own_code"),
        ([("sentence_transformers.util.misc.import_from_string", "")], "is not supported"),
        ([("sentence_transformers.sparse_encoder.modules.Pooling", "")], "is not supported"),
        ([(f"{MODELS}.CLIPModel", "")], "CLIPModel is not supported; those that are: Transformer"),
        ([(f"{MODELS}.Transformer", "../other")], "a folder outside its own"),
        ([(f"{MODELS}.Transformer", "/etc")], "a folder outside its own"),
    ],
)
def test_modules_that_are_not_known_are_refused(folder, modules, message):
    listed(folder, *modules)
    with pytest.raises(ModelError, match=rf"modules\.json.*{message}"):
        look_through_embedder(folder, trust_pickle=True)


@pytest.mark.parametrize("content", ["{", "3", '[{"type": "a"}]', "[3]"])
def test_a_list_of_modules_that_is_none_is_refused(folder, content):
    (folder / "modules.json").write_text(content)
    with pytest.raises(ModelError, match="does not name modules"):
        look_through_embedder(folder, trust_pickle=True)


def test_what_is_called_by_name_in_a_layer_is_looked_at(folder):
    written(folder / "2_Dense" / "config.json", {"activation_function": "os.system"})
    with pytest.raises(ModelError, match=r"'os\.system', and that is never run"):
        look_through_embedder(folder, trust_pickle=True)


def test_a_pickle_beside_safetensors_is_not_in_the_way(folder):
    (folder / "2_Dense" / "pytorch_model.bin").write_bytes(b"")
    look_through_embedder(folder, trust_pickle=False)
    (folder / "2_Dense" / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"2_Dense/pytorch_model\.bin: a pickle"):
        look_through_embedder(folder, trust_pickle=False)


def test_an_embedder_that_wants_words_before_each_text_is_refused(folder):
    prompts = {"prompts": {"query": "query: "}, "default_prompt_name": None}
    written(folder / "config_sentence_transformers.json", prompts)
    look_through_embedder(folder, trust_pickle=False)
    prompts["default_prompt_name"] = "query"
    written(folder / "config_sentence_transformers.json", prompts)
    with pytest.raises(ModelError, match="puts 'query: ' before each text"):
        look_through_embedder(folder, trust_pickle=False)


def test_weights_of_a_layer_that_are_cut_off_are_named(folder):
    (folder / "2_Dense" / "model.safetensors").write_bytes(safetensors(payload=b""))
    with pytest.raises(ModelError, match=r"2_Dense.*its header says"):
        look_through_embedder(folder, trust_pickle=False)
