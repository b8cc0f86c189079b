"""Refuses to pack the project before its model is built."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelHook(BuildHookInterface[Any]):
    """Called by hatchling."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        folder = Path(self.root) / "guard_models_large"
        if not list(folder.glob("*/manifest.json")):
            raise RuntimeError(f"no model in {folder}: run `make models-large` first")
