"""The only place where ports meet mechanisms."""

from guard.bootstrap.policies import policies
from guard.bootstrap.runtime import Runtime, open_runtime
from guard.bootstrap.scorers import engine_options, find_model, open_scorer

__all__ = [
    "Runtime",
    "engine_options",
    "find_model",
    "open_runtime",
    "open_scorer",
    "policies",
]
