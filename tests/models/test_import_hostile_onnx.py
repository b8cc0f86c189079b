"""ONNX files that somebody made to do harm: each ends in one clear error, and in time."""

import json
import os
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from guard.cli.exits import EXIT_TERMINATED, exit_codes
from guard.errors import ModelError
from guard.importing import ImportRequest, ModelStorage, import_model, parse_source
from guard.importing.export import onnx_folder
from guard.scoring.whole_file import PARTS
from tests.models.made_models import CARD, COMPARED, edited, tokenizer_of

LABELS = {"0": "toxic", "1": "obscene"}


def graph(*nodes: Any, weights: Sequence[Any] = (), outputs: Sequence[str] = ("logits",)) -> Any:
    """Of `input_ids` and `attention_mask`; `first` is the first token of each text, [batch, 1]."""
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    made = [helper.make_tensor_value_info(one, TensorProto.FLOAT, ["b", 2]) for one in outputs]
    one = numpy_helper.from_array(np.array([0], dtype=np.int64), "one")
    first = [
        helper.make_node("Cast", ["input_ids"], ["float"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["float", "one"], ["first"], axis=1),
    ]
    whole = helper.make_graph([*first, *nodes], "g", inputs, made, [one, *weights])
    return helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def constant(name: str, value: Any) -> Any:
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(value, name))


def product(source: str) -> Any:
    return helper.make_node("MatMul", [source, "w"], ["logits"])


def sound() -> Any:
    weights = numpy_helper.from_array(np.array([[0.001, -0.001]], dtype=np.float32), "w")
    return graph(product("first"), weights=[weights])


def sequence() -> Any:
    """Gives a list of its outputs, as the exporters of other libraries do."""
    made = sound()
    made.graph.node.append(helper.make_node("SequenceConstruct", ["logits"], ["all"]))
    del made.graph.output[:]
    kind = helper.make_tensor_sequence_value_info("all", TensorProto.FLOAT, ["b", 2])
    made.graph.output.append(kind)
    return made


def one_row() -> Any:
    """Gives one row for a batch of any size."""
    weights = numpy_helper.from_array(np.array([[0.001, -0.001]], dtype=np.float32), "w")
    mean = helper.make_node("ReduceMean", ["first"], ["all"], axes=[0], keepdims=1)
    return graph(mean, product("all"), weights=[weights])


def elsewhere() -> Any:
    """A tensor whose values are in w.bin of whatever folder the process is in."""
    tensor = TensorProto(name="v", data_type=TensorProto.FLOAT, dims=[1, 2])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w.bin")
    return tensor


def elsewhere_in_a_branch() -> Any:
    output = helper.make_tensor_value_info("o", TensorProto.FLOAT, [1, 2])
    same = helper.make_node("Identity", ["v"], ["o"])
    branch = helper.make_graph([same], "branch", [], [output], [elsewhere()])
    choice = helper.make_node("If", ["yes"], ["w"], then_branch=branch, else_branch=branch)
    return graph(constant("yes", np.ones((), dtype=np.bool_)), choice, product("first"))


def elsewhere_in_a_constant() -> Any:
    return graph(helper.make_node("Constant", [], ["w"], value=elsewhere()), product("first"))


def endless() -> Any:
    flags = [helper.make_tensor_value_info(n, TensorProto.BOOL, []) for n in ("go", "go_on")]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("v", "v_on")]
    body = helper.make_graph(
        [helper.make_node("Identity", [n], [f"{n}_on"]) for n in ("go", "v")],
        "body",
        [helper.make_tensor_value_info("round", TensorProto.INT64, []), flags[0], values[0]],
        [flags[1], values[1]],
    )
    return graph(
        constant("w", np.array([[0.001, -0.001]], dtype=np.float32)),
        constant("yes", np.ones((), dtype=np.bool_)),
        constant("rounds", np.array(1 << 62, dtype=np.int64)),
        helper.make_node("Loop", ["rounds", "yes", "first"], ["last"], body=body),
        product("last"),
    )


@pytest.fixture(scope="module")
def tokenizer() -> str:
    return str(tokenizer_of("bert").backend_tokenizer.to_str())


@pytest.fixture
def folder(tmp_path: Path, tokenizer: str) -> Path:
    made = tmp_path / "source"
    made.mkdir()
    onnx.save(sound(), made / "model.onnx")
    config = {"id2label": LABELS, "problem_type": "multi_label_classification"}
    (made / "config.json").write_text(json.dumps(config))
    (made / "tokenizer.json").write_text(tokenizer)
    (made / "README.md").write_text(CARD)
    return made


def imported(folder: Path) -> None:
    request = ImportRequest(source=parse_source(f"onnx:{folder}"), name="made", texts=COMPARED)
    import_model(request, ModelStorage(root=folder.parent / "models"))


def replaced(name: str, make: Callable[[Path], object]) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return change


def with_graph(make: Callable[[], Any]) -> Callable[[Path], object]:
    return lambda folder: onnx.save(make(), folder / "model.onnx")


def without_unknown_token(folder: Path) -> None:
    """A tokenizer that loads, and raises at the first word that it does not know."""
    file = folder / "tokenizer.json"
    made = json.loads(file.read_text())
    vocabulary = made["model"]["vocab"]
    made["model"]["vocab"] = {word: vocabulary[word] for word in ("[PAD]", "[CLS]", "[SEP]")}
    file.write_text(json.dumps(made))


def with_positions(text: str) -> Callable[[Path], object]:
    value = json.loads(text)
    return lambda folder: edited(folder / "config.json", max_position_embeddings=value)


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "weights elsewhere in a branch": (with_graph(elsewhere_in_a_branch), "weights in other files"),
    "a constant elsewhere": (with_graph(elsewhere_in_a_constant), "weights in other files"),
    "a sequence": (with_graph(sequence), r"output 'all' is a seq\(tensor\(float\)\), not a tensor"),
    "no outputs": (with_graph(lambda: graph(outputs=())), "gives no output"),
    "one row for all texts": (with_graph(one_row), "made: does not run as the engine runs it"),
    "a tokenizer without a token for others": (without_unknown_token, r"model\.onnx: does not run"),
    "a model that is a pipe": (replaced("model.onnx", os.mkfifo), r"model\.onnx: a pipe"),
    "a config that is a pipe": (replaced("config.json", os.mkfifo), r"config\.json: a pipe"),
    "a tokenizer that is a pipe": (replaced("tokenizer.json", os.mkfifo), "a pipe"),
    "a model without end": (
        replaced("model.onnx", lambda file: file.symlink_to("/dev/zero")),
        "a link to /dev/zero, out of its folder",
    ),
    "positions in letters": (with_positions('"x"'), "max_position_embeddings is 'x'"),
    "positions in a list": (with_positions("[1]"), r"max_position_embeddings is \[1\]"),
    "positions below 0": (with_positions("-5"), "max_position_embeddings is -5"),
    "positions of no text": (with_positions("7"), "a whole number from 8 on"),
    "positions that are true": (with_positions("true"), "max_position_embeddings is True"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_onnx_folder_is_refused_with_one_clear_error(name: str, folder: Path) -> None:
    change, message = HOSTILE[name]
    change(folder)
    with pytest.raises(ModelError, match=message) as raised:
        imported(folder)
    assert "\n" not in str(raised.value)
    assert [one for one in (folder.parent / "models").rglob("*") if one.name != ".lock"] == []


def test_a_graph_that_never_ends_is_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_folder, "RUN_SECONDS", 0.5)
    onnx.save(endless(), folder / "model.onnx")
    with pytest.raises(ModelError, match=r"model\.onnx: not done after 0\.5 seconds"):
        imported(folder)


def test_an_import_is_terminated_while_a_graph_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    onnx.save(endless(), folder / "model.onnx")
    runs = onnx_folder.clear_errors

    def begun(what: str) -> Any:
        if "does not run" in what:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
        return runs(what)

    monkeypatch.setattr(onnx_folder, "clear_errors", begun)
    with pytest.raises(SystemExit) as ended, exit_codes():
        imported(folder)
    assert ended.value.code == EXIT_TERMINATED
    assert [one for one in (folder.parent / "models").rglob("*") if one.name != ".lock"] == []


def test_every_field_of_onnx_that_leads_to_a_tensor_is_looked_into() -> None:
    messages = onnx.ModelProto.DESCRIPTOR.file.message_types_by_name
    leading = {"TensorProto"}
    for _ in messages:
        leading |= {n for n, one in messages.items() if leading & set(fields_of(one).values())}
    assert set(PARTS) == leading
    for name, fields in PARTS.items():
        found = fields_of(messages[name])
        assert fields == {number: kind for number, kind in found.items() if kind in leading}


def fields_of(message: Any) -> dict[int, str]:
    """By number, what the messages in it are."""
    return {one.number: one.message_type.name for one in message.fields if one.message_type}
