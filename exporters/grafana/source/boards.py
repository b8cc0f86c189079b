"""What a dashboard is: panels under headings, the variables they depend on, and annotations."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders import prometheus
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as models

from exporters.grafana.source.panels import (
    REVIEW,
    SOURCE,
    Link,
    Panel,
    Row,
    build_link,
    build_panel,
)

TAG: Final = "evenguard"
REVIEW_PAGE: Final = "http://127.0.0.1:9466/"
_ALL: Final = models.VariableOption(selected=True, text="All", value="$__all")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A choice above the panels. values: a query for them. one: to choose one of them only, and
    `begins` the one that is chosen at first."""

    name: str
    label: str
    values: str
    one: bool = False
    begins: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A mark over all graphs where an expression has a value. says: with `{{label}}` in it."""

    name: str
    expr: str
    title: str
    says: str
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A dashboard. says: what it is for. since: how far back it begins."""

    uid: str
    title: str
    says: str
    items: tuple[Panel | Row, ...]
    variables: tuple[Variable, ...]
    annotations: tuple[Annotation, ...] = ()
    since: str = "now-6h"


JOB: Final = Variable(
    name="job",
    label="Job",
    values='label_values({__name__=~"guard_calls_total|guard_store_up"}, job)',
)
INSTANCE: Final = Variable(
    name="instance",
    label="Instance",
    values='label_values(guard_spool_bytes{job=~"$job"}, instance)',
)
USE_CASE: Final = Variable(
    name="use_case",
    label="Use case",
    values='label_values(guard_calls_total{job=~"$job"}, use_case)',
)


def render(board: Board) -> str:
    """The file of a dashboard."""
    plain: Any = json.loads(JSONEncoder(sort_keys=True).encode(_build(board).build()))
    return json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _build(board: Board) -> builders.Dashboard:
    made = builders.Dashboard(f"Evenguard: {board.title}").uid(board.uid).description(board.says)
    made = made.tags([TAG]).readonly().time(board.since, "now").refresh("30s").timezone("browser")
    made = made.tooltip(models.DashboardCursorSync.CROSSHAIR).links(_build_links())
    made = made.with_variable(_build_datasource_variable())
    for variable in board.variables:
        made = made.with_variable(_build_query_variable(variable))
    made = made.with_variable(_build_review_variable())
    for annotation in board.annotations:
        made = made.annotation(_build_annotation(annotation))
    for number, item in enumerate(board.items, start=1):
        if isinstance(item, Row):
            made = made.with_row(builders.Row(item.title).id(number))
        else:
            made = made.with_panel(build_panel(item).id(number))
    return made


def _build_links() -> list[builders.DashboardLink]:
    """To the other dashboards, with what is chosen here, and to the review page."""
    others = builders.DashboardLink("Dashboards").type(models.DashboardLinkType.DASHBOARDS)
    others = (
        others.tags([TAG])
        .as_dropdown(as_dropdown=True)
        .include_vars(include_vars=True)
        .keep_time(keep_time=True)
    )
    return [others, build_link(Link(title="Review page", url=REVIEW))]


def _build_datasource_variable() -> builders.DatasourceVariable:
    return builders.DatasourceVariable("datasource").label("Data source").type("prometheus")


def _build_review_variable() -> builders.TextBoxVariable:
    made = builders.TextBoxVariable("review").label("Review page").default_value(REVIEW_PAGE)
    return made.description("The address of the review page, with a slash at its end.")


def _build_query_variable(variable: Variable) -> builders.QueryVariable:
    made = builders.QueryVariable(variable.name).label(variable.label).query(variable.values)
    made = made.datasource(SOURCE).refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
    made = made.sort(models.VariableSort.ALPHABETICAL_ASC)
    if variable.one:
        begins = models.VariableOption(selected=True, text=variable.begins, value=variable.begins)
        return made.current(begins) if variable.begins else made
    return made.multi(multi=True).include_all(include_all=True).all_value(".+").current(_ALL)


def _build_annotation(annotation: Annotation) -> builders.AnnotationQuery:
    query = prometheus.Dataquery().expr(annotation.expr).datasource(SOURCE).ref_id("A").range()
    made = builders.AnnotationQuery().name(annotation.name).datasource(SOURCE).target(query)
    made = made.enable(enable=True).icon_color(annotation.colour).expr(annotation.expr)
    return made.title_format(annotation.title).text_format(annotation.says)
