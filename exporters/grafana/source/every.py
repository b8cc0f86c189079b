"""All dashboards, by the name of their file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exporters.grafana.source.boards import Board
from exporters.grafana.source.engine import ENGINE
from exporters.grafana.source.fairness import FAIRNESS
from exporters.grafana.source.overview import OVERVIEW
from exporters.grafana.source.review import REVIEW_BOARD
from exporters.grafana.source.use_case import IN_DEPTH

DASHBOARDS: Final[Mapping[str, Board]] = MappingProxyType(
    {
        "overview": OVERVIEW,
        "use-case": IN_DEPTH,
        "fairness": FAIRNESS,
        "review": REVIEW_BOARD,
        "engine": ENGINE,
    }
)
