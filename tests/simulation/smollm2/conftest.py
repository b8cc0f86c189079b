"""A language model takes minutes and an environment with torch: only `make soak` makes both."""

from __future__ import annotations

from tests.repeats import SOAK

collect_ignore = [] if SOAK else ["test_smollm2.py"]
