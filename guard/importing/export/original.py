"""A model as its own library runs it, and the graph that is to do the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import transformers

from guard.errors import ModelError
from guard.importing.comparison import Floats
from guard.importing.folder import ModelFolder, bytes_of
from guard.scoring import ModelKind

_POSITIONS_AFTER_PADDING = frozenset({"roberta", "xlm-roberta", "mpnet"})
_TOKENIZER_FILES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "spm.model",
)

Tokenizer = Any
"""A fast tokenizer of transformers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A model of somebody else.

    graph: from `input_ids` and `attention_mask` to the logits of the labels, or to a vector.
    labels: none for an embedder; for pairs, those of `PAIR_LABELS`. exclusive: they exclude each
    other (softmax). tokenizer: what belongs into tokenizer.json. run: texts to what the graph
    gives, by the original's own library, one text at a time. size_bytes: of its weights. revision:
    what it was made from.
    """

    graph: onnx.ModelProto
    labels: tuple[str, ...]
    exclusive: bool
    tokenizer: str
    window_tokens: int
    run: Callable[[Sequence[Any]], Floats]
    size_bytes: int
    architecture: str
    revision: str
    task: ModelKind = ModelKind.CLASSIFICATION


def open_tokenizer(path: Path, vectors: int) -> Tokenizer:
    """The tokenizer beside a model that has so many word vectors. Raises ModelError."""
    require_tokenizer(path)
    with clear_errors(f"{path}: its tokenizer cannot be loaded"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            path, local_files_only=True, trust_remote_code=False
        )
    return check_tokenizer(tokenizer, path, vectors)


def require_tokenizer(path: Path) -> None:
    """Raises ModelError where there is none: libraries would make one up."""
    if not any((path / name).is_file() for name in _TOKENIZER_FILES):
        raise ModelError(
            f"{path}: no tokenizer there; expected tokenizer.json, or another of"
            f" {', '.join(_TOKENIZER_FILES[1:])}"
        )


def check_tokenizer(tokenizer: Tokenizer, path: Path, vectors: int) -> Tokenizer:
    """`tokenizer`, of the model at `path` that has so many word vectors. Raises ModelError."""
    if not tokenizer.is_fast:
        raise ModelError(f"{path}: its tokenizer has no tokenizer.json, and none can be made")
    if len(tokenizer) > vectors:
        raise ModelError(
            f"{path}: its tokenizer has {len(tokenizer)} words and the model {vectors}: they do not"
            " belong together"
        )
    return tokenizer


def require_room(config: Any, kind: Any, weights: Path) -> None:
    """Raises ModelError where a configuration makes a larger model than its weights can fill: all
    of it would be allocated before the two are compared.

    kind: the class of transformers, such as `AutoModel`.
    """
    with clear_errors(f"{weights}: cannot be loaded"), torch.device("meta"):
        model = kind.from_config(config, attn_implementation="eager", trust_remote_code=False)
    parameters, size = sum(each.numel() for each in model.parameters()), bytes_of(weights)
    if parameters > size:
        raise ModelError(
            f"{weights}: has {size} bytes, and config.json makes a model of {parameters}"
            " parameters: the two do not belong together"
        )


def read_model_config(folder: Path, **changes: Any) -> Any:
    """config.json as transformers reads it. Raises ModelError."""
    with clear_errors(f"{folder / 'config.json'}: cannot be loaded"):
        return transformers.AutoConfig.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, **changes
        )


def load_classifier(folder: ModelFolder) -> Any:
    """The `AutoModelForSequenceClassification` in a folder, in float32. Raises ModelError."""
    kind = transformers.AutoModelForSequenceClassification
    require_room(read_model_config(folder.path), kind, folder.weights)
    with clear_errors(f"{folder.weights}: cannot be loaded"):
        model, info = kind.from_pretrained(
            folder.path,
            use_safetensors=not folder.is_pickle,
            local_files_only=True,
            trust_remote_code=False,
            weights_only=True,
            attn_implementation="eager",
            dtype=torch.float32,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
        )
    require_shapes(folder.weights, info["mismatched_keys"])
    require_all_weights(folder.weights, info["missing_keys"])
    require_finite(folder.weights, model)
    return model.eval()


def require_all_weights(weights: Path, missing: Sequence[str]) -> None:
    """Raises ModelError where weights are missing: transformers would make them up."""
    lacking = sorted(name for name in missing if not name.endswith("position_ids"))
    if lacking:
        raise ModelError(
            f"{weights}: {len(lacking)} weights are missing, such as {lacking[0]}: it is no"
            " classifier, or one of another architecture than config.json says"
        )


def require_shapes(weights: Path, mismatched: Iterable[tuple[str, Any, Any]]) -> None:
    """Raises ModelError where weights have other shapes than config.json gives them.

    mismatched: name of a weight, its shape in the file, and that of the model.
    """
    for name, found, expected in sorted(mismatched):
        raise ModelError(
            f"{weights}: {name} is {list(found)}, and by config.json {list(expected)}: the two do"
            " not belong together"
        )


def require_finite(weights: Path, model: torch.nn.Module) -> None:
    """Raises ModelError where a weight is no number."""
    for name, tensor in model.named_parameters():
        if not torch.isfinite(tensor).all():
            raise ModelError(f"{weights}: {name} has values that are no numbers; fetch it again")


def window_of(tokenizer: Tokenizer, config: Any, most: int) -> int:
    """Tokens that the model reads at once, special ones included; at most `most`."""
    positions = int(getattr(config, "max_position_embeddings", most))
    if config.model_type in _POSITIONS_AFTER_PADDING:
        positions -= config.pad_token_id + 1
    return min(most, positions, int(tokenizer.model_max_length))


def runner(
    tokenizer: Tokenizer, window: int, read: Callable[[Any, Any], Any]
) -> Callable[[Sequence[Any]], Floats]:
    """Texts, or pairs of texts, one at a time through `read(input_ids, attention_mask)`, cut to the
    window."""

    def run(texts: Sequence[Any]) -> Floats:
        rows = []
        for text in texts:
            given = text if isinstance(text, tuple) else (text,)
            tokens = tokenizer(*given, truncation=True, max_length=window, return_tensors="pt")
            with torch.inference_mode():
                rows.append(read(tokens["input_ids"], tokens["attention_mask"]).float().numpy())
        return np.concatenate(rows)

    return run


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Without the bars and warnings of transformers, while the block runs."""
    level = transformers.logging.get_verbosity()
    bars = transformers.logging.is_progress_bar_enabled()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers.logging.set_verbosity(level)
        if bars:
            transformers.logging.enable_progress_bar()


@contextmanager
def clear_errors(what: str) -> Iterator[None]:
    """Whatever a library raises becomes a ModelError that begins with `what`."""
    try:
        yield
    except ModelError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelError(f"{what}: {reason[:400]}") from error


@contextmanager
def clear_panics(what: str) -> Iterator[None]:
    """A panic in Rust code, such as that of tokenizers, becomes a ModelError that begins with
    `what`: PyO3 raises what is no `Exception`, by a class that cannot be imported."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ModelError(f"{what}: {' '.join(str(error).split())[:400]}") from error
