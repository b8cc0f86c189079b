"""CPU time of one text of 64 tokens."""

import statistics
import time

import numpy as np
import onnxruntime

TOKENS, RUNS, ROUNDS = 64, 20, 5


def one_round(session: onnxruntime.InferenceSession) -> float:
    ids = np.full((1, TOKENS), 7, dtype=np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    began = time.process_time()
    for _ in range(RUNS):
        session.run(None, feed)
    return (time.process_time() - began) / RUNS


def cpu_seconds(session: onnxruntime.InferenceSession) -> float:
    """The middle of a few rounds, after one that warms up."""
    one_round(session)
    return statistics.median(one_round(session) for _ in range(ROUNDS))
