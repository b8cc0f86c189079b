"""The composition root: the only place where ports meet mechanisms."""

from guard.bootstrap.runtime import Runtime, open_runtime, open_scorer
from guard.bootstrap.use_cases import policies

__all__ = ["Runtime", "open_runtime", "open_scorer", "policies"]
