"""What a panel is, and how it becomes one of Grafana's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from grafana_foundation_sdk.builders import bargauge, common, prometheus, stat, table, timeseries
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.models import common as common_models
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models.dashboard import DynamicConfigValue as Property
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

SOURCE: Final = common_models.DataSourceRef(type_val="prometheus", uid="$datasource")
REVIEW: Final = "${review}"
"""The address of the review page, from the variable of that name; it ends with a slash."""
_LETTERS: Final = "ABCDEFGHIJKLMNOP"
_NEVER_SHOWN: Final = ("Time", "instance", "job", "__name__", "window")

Kind: TypeAlias = Literal["graph", "stacked", "stat", "table", "bars"]
PanelBuilder: TypeAlias = timeseries.Panel | stat.Panel | table.Panel | bargauge.Panel


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked. named: in legends and headings of columns; with `{{label}}` in it, by label.

    unit: where it is not that of the panel.
    """

    expr: str
    named: str
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """To another page. title: what is there."""

    title: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One panel, described.

    says: what it shows, and what it does not, in words of its owner. tints: values from which on
    its colour changes. row_links: from a row of a table, with `${__data.fields.x}` for what stands
    in its column x. band: whether queries named `low` and `high` are an interval. line: the name
    of a query that is drawn as a dashed line. words: label to value to what is shown instead.
    headings: label to the heading of its column. empty: what is said where there is nothing.
    """

    title: str
    says: str
    kind: Kind
    unit: str
    queries: tuple[Query, ...]
    width: int = 12
    height: int = 8
    links: tuple[Link, ...] = ()
    row_links: tuple[Link, ...] = ()
    tints: Mapping[float, str] = field(default_factory=dict)
    band: bool = False
    line: str = ""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)
    empty: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A heading above the panels that follow."""

    title: str


def build_panel(panel: Panel) -> PanelBuilder:
    """The panel as Grafana has it, without its place."""
    made = _describe(panel, _of_kind(panel))
    for query, letter in zip(panel.queries, _LETTERS, strict=False):
        made = made.with_target(_target(panel, query, letter))
    if panel.kind == "table":
        return _as_table(panel, made)
    for query in panel.queries:
        if query.unit:
            made = made.override_by_name(query.named, _unit_of(panel, query))
    return made


def _of_kind(panel: Panel) -> PanelBuilder:
    latest = common.ReduceDataOptions().calcs(["lastNotNull"])
    match panel.kind:
        case "stat":
            return stat.Panel().reduce_options(latest)
        case "bars":
            return (
                bargauge.Panel()
                .reduce_options(latest)
                .orientation(common_models.VizOrientation.HORIZONTAL)
            )
        case "table":
            return table.Panel()
    return _graph(panel)


def _graph(panel: Panel) -> PanelBuilder:
    legend = common.VizLegendOptions().show_legend(show_legend=True)
    legend = legend.display_mode(common_models.LegendDisplayMode.LIST)
    made = timeseries.Panel().legend(legend.placement(common_models.LegendPlacement.BOTTOM))
    if panel.kind == "stacked":
        stacking = common.StackingConfig().mode(common_models.StackingMode.NORMAL)
        made = made.stacking(stacking).fill_opacity(20)
    if panel.band:
        made = _with_band(made)
    if panel.line:
        dashes = Property(id_val="custom.lineStyle", value={"fill": "dash", "dash": [10, 10]})
        made = made.override_by_name(panel.line, [dashes])
    return made


def _with_band(made: timeseries.Panel) -> timeseries.Panel:
    """The space between `low` and `high` is filled; both have no legend and thin lines."""
    thin = Property(id_val="custom.lineWidth", value=0)
    filled = [Property(id_val="custom.fillBelowTo", value="low"), thin]
    opacity = Property(id_val="custom.fillOpacity", value=15)
    return made.override_by_name("high", [*filled, opacity]).override_by_name("low", [thin])


def _describe(panel: Panel, made: PanelBuilder) -> PanelBuilder:
    made = made.title(panel.title).description(panel.says).datasource(SOURCE).unit(panel.unit)
    made = (
        made.links([build_link(one) for one in panel.links]).span(panel.width).height(panel.height)
    )
    if panel.tints:
        steps = [models.Threshold(value=None, color="green")]
        steps += [models.Threshold(value=value, color=tint) for value, tint in panel.tints.items()]
        absolute = models.ThresholdsMode.ABSOLUTE
        made = made.thresholds(builders.ThresholdsConfig().mode(absolute).steps(steps))
    return made.no_value(panel.empty) if panel.empty else made


def build_link(link: Link) -> builders.DashboardLink:
    """A link to another page."""
    made = builders.DashboardLink(link.title).type(models.DashboardLinkType.LINK)
    return made.url(link.url).target_blank(link.url.startswith(REVIEW))


def _target(panel: Panel, query: Query, letter: str) -> prometheus.Dataquery:
    made = prometheus.Dataquery().expr(query.expr).legend_format(query.named).ref_id(letter)
    made = made.datasource(SOURCE)
    if panel.kind == "table":
        return made.instant().format(PromQueryFormat.TABLE)
    return made.instant() if panel.kind == "bars" else made.range()


def _unit_of(panel: Panel, query: Query) -> list[Property]:
    """A unit of its own; in graphs on an axis of its own."""
    unit = [Property(id_val="unit", value=query.unit)]
    if panel.kind in {"graph", "stacked"}:
        right = common_models.AxisPlacement.RIGHT
        unit.append(Property(id_val="custom.axisPlacement", value=right))
    return unit


def _as_table(panel: Panel, made: PanelBuilder) -> PanelBuilder:
    """One row for each set of labels, one column for each query."""
    columns = [_column(letter, len(panel.queries)) for letter in _LETTERS[: len(panel.queries)]]
    renamed = dict(zip(columns, [query.named for query in panel.queries], strict=True))
    organised = {
        "excludeByName": dict.fromkeys(_NEVER_SHOWN, True),
        "renameByName": {**panel.headings, **renamed},
    }
    made = made.data_links([build_link(one) for one in panel.row_links])
    made = made.with_transformation(models.DataTransformerConfig(id_val="merge", options={}))
    made = made.with_transformation(
        models.DataTransformerConfig(id_val="organize", options=organised)
    )
    for query in panel.queries:
        if query.unit:
            made = made.override_by_name(query.named, [Property(id_val="unit", value=query.unit)])
    for label, words in panel.words.items():
        made = made.override_by_name(panel.headings.get(label, label), [_in_words(words)])
    return made


def _column(letter: str, queries: int) -> str:
    return f"Value #{letter}" if queries > 1 else "Value"


def _in_words(words: Mapping[str, str]) -> Property:
    options = {value: models.ValueMappingResult(text=text) for value, text in words.items()}
    return Property(id_val="mappings", value=[models.ValueMap(options=options)])
