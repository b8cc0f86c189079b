"""Writes every dashboard into ../dashboards, as Grafana's classic provisioning reads them."""

from __future__ import annotations

from pathlib import Path

from exporters.grafana.source.boards import render
from exporters.grafana.source.every import DASHBOARDS

FOLDER = Path(__file__).parents[1] / "dashboards"


def main() -> None:
    """Write all of them."""
    for name, board in DASHBOARDS.items():
        (FOLDER / f"{name}.json").write_text(render(board), encoding="utf-8")


if __name__ == "__main__":
    main()
