"""A classifier of pairs in a folder, as an import leaves one: a real ONNX file, small and readable.

It knows some words. What the premise has all known words of is entailed, contradicted where one of
the two says "not", and everything else is neutral. The file is written here byte by byte, since the
library `onnx` is there for imports only.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from guard.scoring import PairClassifier
from guard.scoring.models import open_session

SPECIAL = ("[PAD]", "[UNK]", "[SEP]", "not")
SEPARATOR, DENIAL = SPECIAL.index("[SEP]"), SPECIAL.index("not")
FLOAT, INT64 = 1, 7
"""Types of elements, as ONNX numbers them."""
IR_VERSION, OPSET = 8, 13


def write_pair_classifier(folder: Path, words: Sequence[str], name: str = "pairs") -> Path:
    """The folder of a classifier that knows these words."""
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_text(word_tokenizer(words).to_str(), encoding="utf-8")
    (folder / "model.onnx").write_bytes(model())
    files = {
        file: hashlib.sha256((folder / file).read_bytes()).hexdigest()
        for file in ("model.onnx", "tokenizer.json")
    }
    manifest = {
        "schema": 1,
        "name": name,
        "version": "1.0",
        "task": "nli",
        "license": "Apache-2.0",
        "source": "the tests",
        "languages": ["en"],
        "window_tokens": 256,
        "overlap_tokens": 0,
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def pair_classifier(words: Sequence[str]) -> PairClassifier:
    """The same classifier, open."""
    session = open_session(model(), threads=1, name="pairs")
    return PairClassifier(tokenizer=word_tokenizer(words), padding=0, session=session)


def word_tokenizer(words: Sequence[str]) -> Tokenizer:
    """Every word that is known is a token; premise and hypothesis are held apart by [SEP]."""
    known = {word: place for place, word in enumerate((*SPECIAL, *words))}
    tokenizer = Tokenizer(models.WordLevel(known, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A", pair="$A [SEP] $B [SEP]", special_tokens=[("[SEP]", SEPARATOR)]
    )
    return tokenizer


@dataclass
class Graph:
    """Nodes and constants of a graph, as they are added."""

    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)

    def add(self, operation: str, *inputs: str, name: str = "", **attributes: int) -> str:
        """The name of the output. attributes: integers; one that is called `axes` is a list."""
        output = name or f"{operation}{len(self.nodes)}"
        node = b"".join(text(1, one) for one in inputs) + text(2, output) + text(4, operation)
        node += b"".join(part(5, attribute(key, value)) for key, value in attributes.items())
        self.nodes.append(part(1, node))
        return output

    def constant(self, value: float, *, type_: int = FLOAT, dims: tuple[int, ...] = ()) -> str:
        """The name of a constant of one element."""
        name = f"constant{len(self.constants)}"
        raw = struct.pack("<f", value) if type_ == FLOAT else struct.pack("<q", int(value))
        made = b"".join(number(1, one) for one in dims) + number(2, type_)
        self.constants.append(part(5, made + text(8, name) + part(9, raw)))
        return name

    def flag(self, operation: str, one: str, other: float) -> str:
        """1 where integers compare so, else 0."""
        known = self.add(operation, one, self.constant(other, type_=INT64))
        return self.add("Cast", known, to=FLOAT)

    def without(self, one: str) -> str:
        """1 minus a flag."""
        return self.add("Sub", self.constant(1.0), one)

    def apart(self, one: str, axis: int) -> str:
        """With one more axis."""
        return self.add("Unsqueeze", one, self.constant(axis, type_=INT64, dims=(1,)))

    def any(self, one: str) -> str:
        """Whether a flag is set in any place of a text: [texts, 1]."""
        return self.add("ReduceMax", one, axes=1, keepdims=1)


def model() -> bytes:
    """From `input_ids` and `attention_mask`, int64 [pairs, tokens], to float32 [pairs, 3]."""
    graph = Graph()
    separator = graph.flag("Equal", "input_ids", SEPARATOR)
    axis = graph.constant(1, type_=INT64)
    behind = graph.add("CumSum", graph.add("Cast", separator, to=INT64), axis, exclusive=1)
    known = graph.flag("Greater", "input_ids", DENIAL)
    denial = graph.flag("Equal", "input_ids", DENIAL)
    premise, hypothesis = (graph.flag("Equal", behind, place) for place in (0, 1))
    same = graph.add("Equal", graph.apart("input_ids", 2), graph.apart("input_ids", 1))
    asked = graph.apart(graph.add("Mul", premise, known), 1)
    matches = graph.add("Mul", graph.add("Cast", same, to=FLOAT), asked)
    met = graph.add("ReduceMax", matches, axes=2, keepdims=0)
    wanted = graph.add("Mul", hypothesis, known)
    missing = graph.any(graph.add("Mul", wanted, graph.without(met)))
    denied = [graph.any(graph.add("Mul", side, denial)) for side in (premise, hypothesis)]
    denies = graph.add("Abs", graph.add("Sub", *denied))
    told = graph.without(missing)
    entailed = graph.add("Mul", told, graph.without(denies))
    found = graph.add("Concat", entailed, missing, graph.add("Mul", told, denies), axis=1)
    used = graph.add("Cast", graph.any("attention_mask"), to=FLOAT)
    sharp = graph.add("Mul", found, graph.constant(4.0))
    graph.add("Mul", sharp, used, name="logits")
    return whole(graph)


def whole(graph: Graph) -> bytes:
    """The file of a graph."""
    inputs = (part(11, value(one, INT64, "tokens")) for one in ("input_ids", "attention_mask"))
    made = b"".join((*graph.nodes, text(2, "pairs"), *graph.constants, *inputs))
    made += part(12, value("logits", FLOAT, "labels"))
    return number(1, IR_VERSION) + part(7, made) + part(8, text(1, "") + number(2, OPSET))


def value(name: str, type_: int, columns: str) -> bytes:
    shape = b"".join(part(1, text(2, one)) for one in ("pairs", columns))
    return text(1, name) + part(2, part(1, number(1, type_) + part(2, shape)))


def attribute(name: str, value: int) -> bytes:
    whole_numbers, a_list = 2, 7
    if name == "axes":
        return text(1, name) + number(8, value) + number(20, a_list)
    return text(1, name) + number(3, value) + number(20, whole_numbers)


def number(key: int, value: int) -> bytes:
    """A field of a protocol buffer: a whole number."""
    return bytes(varint(key << 3)) + bytes(varint(value))


def part(key: int, content: bytes) -> bytes:
    """A field with a length."""
    return bytes(varint(key << 3 | 2)) + bytes(varint(len(content))) + content


def text(key: int, content: str) -> bytes:
    return part(key, content.encode())


def varint(value: int) -> Iterator[int]:
    """Seven bits a byte, the lowest first."""
    while value > 127:
        yield value & 127 | 128
        value >>= 7
    yield value
