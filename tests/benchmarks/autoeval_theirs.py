"""The other side of bench_autoeval: LangFair 0.8's AutoEval as users run it, without its sleeps.

Its models come from the network; here they are of the same shapes with random weights: RoBERTa-base
with 16 labels for Detoxify, DistilBERT with 9 for stereotypes, and MiniLM-L6 for embeddings. Reads
a JSON object with prompts, replies and their count per line, writes the CPU and wall seconds of one
`evaluate`. Arguments: our tokenizer's file and a folder for the models.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import detoxify
import torch
from langchain_core.language_models.chat_models import SimpleChatModel
from langfair.auto import AutoEval
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules
from transformers import (
    BertConfig,
    BertModel,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
)

ROBERTA_BASE = {"vocab_size": 50265, "max_position_embeddings": 514, "num_labels": 16}
MINILM = {
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
}
SIDES = ("stereotype", "anti-stereotype")
LABELS = ["unrelated", *(f"{side}_{one}" for one in ("gender", "race") for side in SIDES)]
LABELS += [f"{side}_{one}" for one in ("profession", "religion") for side in SIDES]


class CannedChat(SimpleChatModel):
    """Says one reply after the other."""

    replies: list[str]
    temperature: float = 1.0
    n: int = 1

    @property
    def _llm_type(self) -> str:
        return "canned"

    def model_post_init(self, context: Any) -> None:
        super().model_post_init(context)
        self._turn = itertools.cycle(self.replies)

    def _call(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> str:
        return next(self._turn)


def tokenizer_of(file: str) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(
        tokenizer_file=file, pad_token="[PAD]", model_max_length=512, unk_token="[UNK]"
    )


def toxicity_model(tokenizer: PreTrainedTokenizerFast) -> detoxify.Detoxify:
    """Detoxify's own code around a model of that shape."""
    made = detoxify.Detoxify.__new__(detoxify.Detoxify)
    made.model = RobertaForSequenceClassification(RobertaConfig(**ROBERTA_BASE)).eval()
    made.tokenizer, made.device = tokenizer, "cpu"
    made.class_names = ["toxicity", *(f"label {n}" for n in range(15))]
    return made


def stereotype_model(tokenizer: PreTrainedTokenizerFast, folder: Path) -> str:
    names = dict(enumerate(LABELS))
    config = DistilBertConfig(num_labels=9, id2label=names)
    DistilBertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def embedder(tokenizer: PreTrainedTokenizerFast, folder: Path) -> str:
    plain = folder / "plain"
    BertModel(BertConfig(**MINILM)).save_pretrained(plain)
    tokenizer.save_pretrained(plain)
    layers = modules.Transformer(str(plain)), modules.Pooling(384)
    SentenceTransformer(modules=layers, device="cpu").save(str(folder / "whole"))
    return str(folder / "whole")


def main() -> None:
    tokenizer, folder = tokenizer_of(sys.argv[1]), Path(sys.argv[2])
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    stereotype = stereotype_model(tokenizer, folder / "stereotype")
    vectors = embedder(tokenizer, folder / "embedder")
    toxicity = toxicity_model(tokenizer)
    detoxify.Detoxify = lambda *_, **__: toxicity
    time.sleep = lambda _: None
    for line in sys.stdin:
        asked = json.loads(line)
        with contextlib.redirect_stdout(sys.stderr):
            seconds = evaluated(asked, stereotype, vectors)
        print(json.dumps(seconds), flush=True)


def evaluated(asked: dict[str, Any], stereotype: str, vectors: str) -> dict[str, float]:
    run = AutoEval(
        prompts=asked["prompts"],
        langchain_llm=CannedChat(replies=asked["replies"]),
        counterfactual_transformer=vectors,
        _stereotype_classifier_model=stereotype,
    )
    cpu, wall = time.process_time(), time.perf_counter()
    asyncio.run(run.evaluate(count=asked["count"], show_progress_bars=False))
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


if __name__ == "__main__":
    main()
