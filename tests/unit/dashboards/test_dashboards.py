"""The dashboards are what their program writes, Grafana's types know every key of them, and they
ask for series that there are. What they answer is in tests/integration/test_dashboards.py."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from exporters.grafana.source.boards import render
from exporters.grafana.source.every import DASHBOARDS
from guard.settings import parse_settings
from tests.dashboard_rules import faults
from tests.dashboards import FILES, FOLDER, VARIABLES, load, panels, targets

BOARDS = load()
NAMES = sorted(BOARDS)


def typed(plain: dict[str, Any]) -> dict[str, Any]:
    """Through Grafana's types and back: keys that they do not know are gone."""
    register_default_plugins()
    made = Dashboard.from_json(copy.deepcopy(plain))
    found: dict[str, Any] = json.loads(JSONEncoder().encode(made))
    return found


def test_there_is_a_file_for_each_dashboard_and_no_other() -> None:
    assert {file.stem for file in FILES} == DASHBOARDS.keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_what_the_program_writes(name: str) -> None:
    kept = (FOLDER / "dashboards" / f"{name}.json").read_text(encoding="utf-8")
    assert render(DASHBOARDS[name]) == kept


@pytest.mark.parametrize("name", NAMES)
def test_the_types_of_grafana_know_every_key(name: str) -> None:
    assert typed(BOARDS[name]) == BOARDS[name]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_wrong_with_it(name: str) -> None:
    assert faults(name, BOARDS[name]) == []


def test_no_two_dashboards_have_one_address() -> None:
    assert len({board["uid"] for board in BOARDS.values()}) == len(BOARDS)
    assert all(len(targets(name, board)) >= 10 for name, board in BOARDS.items())


def test_links_lead_to_dashboards_that_there_are() -> None:
    known = {board["uid"] for board in BOARDS.values()}
    urls = [one["url"] for board in BOARDS.values() for one in links(board)]
    inside = [url for url in urls if url.startswith("/d/")]
    assert {url.removeprefix("/d/").partition("?")[0] for url in inside} <= known
    assert all(url.startswith(("/d/", "${review}")) for url in urls)
    assert len(inside) >= 5


def links(board: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of panels and of the rows of tables."""
    return [
        one
        for panel in panels(board)
        for one in [*panel.get("links", []), *panel["fieldConfig"]["defaults"].get("links", [])]
    ]


def test_links_to_the_review_page_lead_to_pages_that_it_has() -> None:
    from guard.review_web.routes import ROUTES

    paths = {route.path for route in ROUTES if route.method == "GET"}
    urls = {one["url"] for board in BOARDS.values() for one in links(board)}
    found = {url.removeprefix("${review}").partition("?")[0] for url in urls if "review}" in url}
    assert found
    assert {f"/{path}" for path in found} <= paths


def test_provisioning_names_the_folder_and_the_data_source() -> None:
    sources, providers = (
        yaml.safe_load((FOLDER / "provisioning" / kind / "evenguard.yaml").read_text("utf-8"))
        for kind in ("datasources", "dashboards")
    )
    (source,), (provider,) = sources["datasources"], providers["providers"]
    assert (source["type"], source["access"], source["editable"]) == ("prometheus", "proxy", False)
    assert (provider["type"], provider["folder"]) == ("file", "Evenguard")
    assert (source["url"], provider["options"]["path"]) == (
        "${PROMETHEUS_URL}",
        "${DASHBOARDS_PATH}",
    )


def test_the_demo_compares_what_the_queries_are_asked_about() -> None:
    text = files("guard.demo").joinpath("guard.yaml").read_text("utf-8")
    use_cases = parse_settings(text, source="demo").use_cases.values()
    assert [one.shadow.attributes for one in use_cases] == [[VARIABLES["$attribute"]]] * 2


Change = Callable[[dict[str, Any]], None]


def first(board: dict[str, Any]) -> dict[str, Any]:
    """A panel that is not a row."""
    return panels(board)[0]


def unknown_key(board: dict[str, Any]) -> None:
    first(board)["options"]["sparkle"] = True


@pytest.mark.parametrize("name", NAMES)
def test_a_key_that_grafana_does_not_know_is_found(name: str) -> None:
    broken = copy.deepcopy(BOARDS[name])
    unknown_key(broken)
    assert typed(broken) != broken


def replaced(old: str, new: str) -> Change:
    def change(board: dict[str, Any]) -> None:
        for panel in panels(board):
            for target in panel["targets"]:
                target["expr"] = target["expr"].replace(old, new)

    return change


def without(key: str) -> Change:
    return lambda board: first(board).pop(key)


def no_unit(board: dict[str, Any]) -> None:
    del first(board)["fieldConfig"]["defaults"]["unit"]


def no_n(board: dict[str, Any]) -> None:
    for panel in panels(board):
        panel["targets"] = [one for one in panel["targets"] if one["legendFormat"] != "n"]


def no_low(board: dict[str, Any]) -> None:
    for panel in panels(board):
        panel["targets"] = [one for one in panel["targets"] if one["legendFormat"] != "high"]


def legend(board: dict[str, Any]) -> None:
    first(board)["targets"][0]["legendFormat"] = "{{colour}}"


def one_job(board: dict[str, Any]) -> None:
    (job,) = (one for one in board["templating"]["list"] if one["name"] == "job")
    job["multi"] = False


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("overview", replaced("guard_calls_total", "guard_call_total"), "no series"),
        ("overview", replaced("use_case=~", "usecase=~"), "no label usecase"),
        ("fairness", replaced("attribute=~", "attributes=~"), "no label attributes"),
        ("fairness", replaced("topk by (use_case", "topk by (colour"), "no label colour"),
        ("overview", replaced('job=~"$job",', ""), "of any job"),
        ("overview", replaced("sum by (verdict) (", "sum by (verdict) "), "unexpected"),
        ("overview", replaced("guard_alarm_stands", "guard_alarms_total"), "without rate"),
        ("overview", replaced("$__rate_interval", "5m"), "over 5m"),
        ("engine", replaced("max by (instance) (guard", "sum(guard"), "over instances"),
        ("overview", without("title"), "no title"),
        ("overview", without("description"), "no title, or no description"),
        ("overview", no_unit, "no unit"),
        ("overview", no_n, "without n"),
        ("fairness", no_low, "an interval with one end"),
        ("overview", legend, "no label colour"),
        ("engine", one_job, "not a choice of several"),
    ],
)
def test_what_is_broken_is_found(name: str, change: Change, said: str) -> None:
    broken = copy.deepcopy(BOARDS[name])
    change(broken)
    assert any(said in fault for fault in faults(name, broken)), faults(name, broken)
