"""The other side of bench_cost: the two classifiers a LangFair user runs, in torch.

The shapes are those of `unitary/unbiased-toxic-roberta` (RoBERTa-base, 16 labels) and of a
DistilBERT stereotype classifier with 9 labels. The weights are random: only shapes cost time.
Reads a JSON list of texts per line, writes the CPU seconds they took.
"""

from __future__ import annotations

import json
import sys
import time

import torch
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
)

ROBERTA_BASE = {
    "vocab_size": 50265,
    "max_position_embeddings": 514,
    "type_vocab_size": 1,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "num_labels": 16,
}


def main() -> None:
    torch.set_num_threads(int(sys.argv[2]))
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=sys.argv[1])
    toxicity = RobertaForSequenceClassification(RobertaConfig(**ROBERTA_BASE)).eval()
    stereotype = DistilBertForSequenceClassification(DistilBertConfig(num_labels=9)).eval()
    for line in sys.stdin:
        start = time.process_time()
        for text in json.loads(line):
            score(text, tokenizer, toxicity, stereotype)
        print(time.process_time() - start, flush=True)


@torch.inference_mode()
def score(
    text: str,
    tokenizer: PreTrainedTokenizerFast,
    toxicity: RobertaForSequenceClassification,
    stereotype: DistilBertForSequenceClassification,
) -> None:
    for model in (toxicity, stereotype):
        encoded = tokenizer(text, return_tensors="pt", truncation=True, max_length=512)
        logits = model(encoded["input_ids"], encoded["attention_mask"]).logits
        torch.sigmoid(logits).tolist()


if __name__ == "__main__":
    main()
