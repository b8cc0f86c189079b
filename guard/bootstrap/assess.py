"""`guard.assess`: the offline assessment from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from guard.assessment.engines import MeasuringEngine
from guard.assessment.generation import AskingLimits
from guard.assessment.joining import join_responses
from guard.assessment.options import AssessmentOptions
from guard.assessment.reader import Row, describe, read_rows
from guard.assessment.results import AssessmentResults, BadRow
from guard.assessment.rows import InputRow, row_of
from guard.assessment.units import row_attribute
from guard.bootstrap.assess_files import REPLIES, items_file, make_folder, write_results
from guard.bootstrap.assessment import ModelToAsk, OpenAssessment, open_assessment
from guard.bootstrap.ray_cluster import RayCluster
from guard.bootstrap.ray_engine import ray_engine
from guard.errors import SettingsError
from guard.fairness import ModelTask
from guard.settings import Settings, lexicons_of, load_settings
from guard.shadow.options import compared
from guard.text.json_lines import LineProblemError

Rows: TypeAlias = Iterable[str | Mapping[str, object]]
_NO_LIMITS = AskingLimits()


def assess(
    prompts: str | Path | Rows,
    *,
    responses: str | Path | None = None,
    call: Callable[[Any], Any] | None = None,
    model: ModelToAsk | None = None,
    settings: str | Path | Settings | None = None,
    out: str | Path | None = None,
    attributes: str | Iterable[str] = (),
    limits: AskingLimits = _NO_LIMITS,
    cluster: RayCluster | None = None,
    use_case: str = "assessment",
    **options: Any,
) -> AssessmentResults:
    """Assess a use case, as `guard assess` does.

    prompts: a file, or rows: texts, or mappings with the fields of `docs/assess.md`. responses: a
    file with the responses to a file of prompts. call: a function of one argument, asked for what
    is missing; model: a model behind an address instead. out: a folder in which its replies are
    kept, so that nothing is asked twice; left out: they are forgotten. settings: a guard.yaml.
    attributes: those compared, one or several; none named is all. cluster: a Ray cluster whose
    actors measure, as with `--engine ray`; None measures in this process. options: of
    `AssessmentOptions`.
    Raises AssessmentInputError, SettingsError, ModelError, UpstreamError, ClusterError.
    """
    made = _settings(settings)
    rows = _rows_of(prompts, responses)
    asked = ModelToAsk(name=function_name(call), fn=call) if call is not None else model
    chosen = _options(use_case, made, rows, attributes, options)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()) if out is None else out)
        make_folder(folder)
        opened = stack.enter_context(
            open_assessment(
                chosen,
                rows,
                settings=made,
                replies=folder / REPLIES,
                data=_files(prompts, responses),
                model=asked,
            )
        )
        opened.assessment.check()
        opened.ask(limits)
        engine = None if cluster is None else ray_engine(cluster, opened, made, folder / REPLIES)
        results = _measured(opened, folder, engine)
        if out is not None:
            write_results(results, folder, lexicons_of(made.counterfactual))
        return results


def _options(
    use_case: str,
    settings: Settings,
    rows: Callable[[], Iterator[Row]],
    attributes: str | Iterable[str],
    given: Mapping[str, Any],
) -> AssessmentOptions:
    named = (attributes,) if isinstance(attributes, str) else tuple(attributes)
    options = {"task": task_of(rows()), **given}
    options["material"] = {**material_of(settings, use_case), **given.get("material", {})}
    groups = groups_to_compare(settings, named, rows())
    return AssessmentOptions(use_case=use_case, groups=groups, attributes=named, **options)


def _measured(
    opened: OpenAssessment, folder: Path, engine: MeasuringEngine | None
) -> AssessmentResults:
    with items_file(folder) as keep:
        return opened.results(lambda one: [keep(item) for item in one.items], engine)


def material_of(settings: Settings, use_case: str) -> Mapping[str, float]:
    """By metric, from which size on a difference matters, as the live path has it."""
    return settings.use_cases.get(use_case, settings.defaults).shadow.material


def groups_to_compare(
    settings: Settings, attributes: Iterable[str], rows: Iterable[Row] = ()
) -> Mapping[str, tuple[str, ...]]:
    """The groups of these attributes that words tell; none named is all. rows: an attribute that
    they name needs no words. Raises SettingsError."""
    lexicons, named = lexicons_of(settings.counterfactual), set(attributes)
    if unknown := named - set(lexicons.attributes):
        unknown &= {row_attribute(row) for row in rows if isinstance(row, InputRow)}
    if named and named == unknown:
        return {}
    try:
        return compared(lexicons, named - unknown)
    except ValueError as error:
        raise SettingsError(str(error)) from error


def task_of(rows: Iterator[Row]) -> ModelTask:
    """The kind of use case, by the fields of the first good row."""
    first = next((row for row in rows if isinstance(row, InputRow)), None)
    if first is not None and first.items is not None:
        return ModelTask.RECOMMENDATION
    is_class = first is not None and first.prediction is not None
    return ModelTask.CLASSIFICATION if is_class else ModelTask.GENERATION


def function_name(fn: Callable[[Any], Any]) -> str:
    """Where a function is, for the key of its replies."""
    return f"{getattr(fn, '__module__', '')}:{getattr(fn, '__qualname__', type(fn).__qualname__)}"


def _settings(settings: str | Path | Settings | None) -> Settings:
    if isinstance(settings, Settings):
        return settings
    return Settings() if settings is None else load_settings(Path(settings))


def _rows_of(
    prompts: str | Path | Rows, responses: str | Path | None
) -> Callable[[], Iterator[Row]]:
    if not isinstance(prompts, str | Path):
        kept = list(prompts)
        return lambda: (_row(one, number) for number, one in enumerate(kept, start=1))
    file, answers = Path(prompts), None if responses is None else Path(responses)
    if answers is None:
        return lambda: read_rows(file)
    return lambda: join_responses(file, answers)


def _row(one: str | Mapping[str, object], number: int) -> Row:
    place = f"rows:{number}"
    try:
        return row_of({"prompt": one} if isinstance(one, str) else one, place)
    except LineProblemError as error:
        return BadRow(place=place, problem=str(error))


def _files(prompts: str | Path | Rows, responses: str | Path | None) -> Iterator[Any]:
    for one in (prompts, responses):
        if isinstance(one, str | Path):
            yield describe(Path(one), sum(1 for _ in read_rows(Path(one), plain="response")))
