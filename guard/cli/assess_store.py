"""`guard assess --from-store`: what the live guard kept, in a report like any other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from guard.bootstrap.assess_files import REPORT, items_file, make_folder, write_results
from guard.bootstrap.assess_store import assess_store
from guard.bootstrap.storage import connected_store
from guard.cli.assess_display import results_table
from guard.cli.options import store_of
from guard.errors import SettingsError
from guard.settings import Settings, lexicons_of


def assess_from_store(settings: Settings, given: Mapping[str, Any], console: Console) -> None:
    """Read the store, write the results. Raises AssessmentInputError, SettingsError, StoreError."""
    for name in ("prompts", "responses", "model", "base_url", "call"):
        if given[name] is not None:
            raise SettingsError(f"--{name.replace('_', '-')}: nothing is read or asked beside")
    with connected_store(store_of(settings, given["url"])) as store:
        results = assess_store(store, settings, given["use_case"], worst=given["worst"])
    out: Path = given["out"]
    make_folder(out)
    with items_file(out):
        write_results(results, out, lexicons_of(settings.counterfactual))
    console.print(results_table(results))
    console.print(f"{out / REPORT}", markup=False)
