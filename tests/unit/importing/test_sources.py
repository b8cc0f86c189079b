import json
import struct

import pytest

from guard.errors import ModelError, SettingsError
from guard.importing.folder import bytes_of, licence_of, look_through
from guard.importing.source import SourceKind, parse_source
from guard.settings.label_map import load_label_map


def test_a_source_is_a_kind_and_a_place(tmp_path):
    found = parse_source("hf:unitary/toxic-bert")
    assert (found.kind, found.place, found.folder) == (
        SourceKind.HUGGING_FACE,
        "unitary/toxic-bert",
        None,
    )
    assert parse_source(f"onnx:{tmp_path}").folder == tmp_path
    assert str(found) == "hf:unitary/toxic-bert"


@pytest.mark.parametrize("text", ["", "hf:", "gguf:model", "unitary/toxic-bert"])
def test_other_sources_are_refused_with_those_there_are(text):
    with pytest.raises(ModelError, match="detoxify:original"):
        parse_source(text)


def safetensors(payload=b"\0" * 8, ends=8):
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, ends]}}).encode()
    return struct.pack("<Q", len(header)) + header + payload


@pytest.fixture
def folder(tmp_path):
    """What may be loaded, as far as a look at the files can tell."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    (tmp_path / "model.safetensors").write_bytes(safetensors())
    return tmp_path


def test_safetensors_come_before_a_pickle(folder):
    (folder / "pytorch_model.bin").write_bytes(b"")
    found = look_through(folder, trust_pickle=False)
    assert (found.weights.name, found.is_pickle) == ("model.safetensors", False)


def test_a_pickle_is_taken_where_it_is_trusted(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match="--trust-pickle"):
        look_through(folder, trust_pickle=False)
    assert look_through(folder, trust_pickle=True).is_pickle


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", b"{", "not valid JSON"),
        ("config.json", b"[]", "not a JSON object"),
        ("config.json", b'{"model_type": "llama"}', "known are albert"),
        ("config.json", b'{"model_type": "bert", "auto_map": {}}', "code of its own"),
        (
            "config.json",
            b'{"model_type": "bert", "_attn_implementation": "somebody/kernel"}',
            "_attn_implementation is 'somebody/kernel', .* never run",
        ),
        (
            "config.json",
            b'{"model_type": "bert", "_attn_implementation_internal": "flash_attention_2"}',
            "never run",
        ),
        ("config.json", b'{"model_type": "bert", "num_hidden_layers": 10000000}', "1 to 1000"),
        ("config.json", b'{"model_type": "distilbert", "n_layers": "6"}', "n_layers is '6'"),
        ("model.safetensors", safetensors(payload=b""), "has .* bytes, its header says"),
        ("model.safetensors", b"abc", "cut off"),
        ("model.safetensors", b"\x05\0\0\0\0\0\0\0hello", "cut off"),
        ("model.safetensors", b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        ("tokenizer.json", b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
    ],
)
def test_a_broken_file_is_named(folder, file, content, message):
    (folder / file).write_bytes(content)
    with pytest.raises(ModelError, match=f"{file}.*{message}"):
        look_through(folder, trust_pickle=True)


@pytest.fixture
def parts(folder):
    """The same weights twice, as parts that an index names."""
    names = [f"model-0000{number}-of-00002.safetensors" for number in (1, 2)]
    for name in names:
        (folder / name).write_bytes(safetensors())
    (folder / "model.safetensors").unlink()
    index = {"weight_map": dict(zip("vw", names, strict=True))}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def test_the_size_of_weights_in_parts_is_that_of_all_that_the_index_names(parts):
    (parts / "other.safetensors").write_bytes(safetensors())
    weights = look_through(parts, trust_pickle=False).weights
    assert (weights.name, bytes_of(weights)) == (
        "model.safetensors.index.json",
        2 * len(safetensors()),
    )


def test_a_part_that_is_missing_or_cut_off_is_named(parts):
    part = parts / "model-00002-of-00002.safetensors"
    part.write_bytes(safetensors()[:-1])
    with pytest.raises(ModelError, match=f"{part.name}: has .* bytes, its header says"):
        look_through(parts, trust_pickle=False)
    part.unlink()
    with pytest.raises(ModelError, match=f"{part.name}: not there"):
        look_through(parts, trust_pickle=False)


@pytest.mark.parametrize("index", [{}, {"weight_map": []}, {"weight_map": {"w": 1}}])
def test_an_index_that_names_no_files_is_refused(parts, index):
    (parts / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match="no weight_map that names files"):
        look_through(parts, trust_pickle=False)


@pytest.mark.parametrize("file", ["config.json", "model.safetensors"])
def test_a_missing_file_is_named(folder, file):
    (folder / file).unlink()
    with pytest.raises(ModelError, match=file):
        look_through(folder, trust_pickle=True)


def test_the_licence_is_that_of_the_card_unless_one_is_given(tmp_path):
    with pytest.raises(ModelError, match="--licence"):
        licence_of(tmp_path, None)
    card = tmp_path / "README.md"
    card.write_text("---\nlanguage: en\nlicense: apache-2.0\n---\nlicense: none\n")
    assert licence_of(tmp_path, None) == "apache-2.0"
    assert licence_of(tmp_path, "mit") == "mit"
    card.write_text("license: mit\n")
    with pytest.raises(ModelError, match="no licence in README"):
        licence_of(tmp_path, None)


def test_a_label_map_is_read(tmp_path):
    file = tmp_path / "labels.yaml"
    file.write_text("LABEL_0: ignore\n1: toxicity\nneutral: {sentiment: 0.5}\n")
    assert load_label_map(file) == {
        "LABEL_0": {},
        "1": {"toxicity": 1.0},
        "neutral": {"sentiment": 0.5},
    }


@pytest.mark.parametrize("text", ["a: 3", "a: []", "a: {}", "a: {b: true}", "- a", "a: {b: c}"])
def test_a_wrong_label_map_is_refused(tmp_path, text):
    file = tmp_path / "labels.yaml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"labels\.yaml"):
        load_label_map(file)
