"""An assessment on two nodes gives what one process gives, whoever dies on the way."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest

import guard
from guard.assessment.items import ItemFigures
from guard.assessment.options import AssessmentOptions
from guard.assessment.reader import read_rows
from guard.assessment.results import AssessmentResults
from guard.assessment.totals import UnitMeasures
from guard.bootstrap.assess import groups_to_compare
from guard.bootstrap.assessment import OpenAssessment, open_assessment
from guard.bootstrap.ray_cluster import RayCluster
from guard.bootstrap.ray_engine import RayEngine, ray_engine
from guard.errors import ModelError
from guard.settings import Settings
from tests.clusters.cluster import TwoNodes
from tests.repeats import repeats

pytestmark = pytest.mark.filterwarnings("default")  # Ray warns of parts of its own
PROMPTS = 60
WORDS = ("he", "she", "the nurse", "was", "kind", "rude", "great", "awful", "stupid", "at work")


def sentence(random_: random.Random) -> str:
    return " ".join(random_.choices(WORDS, k=9)).capitalize() + "."


def rows(random_: random.Random) -> Iterator[dict[str, object]]:
    """Prompts with responses, and pairs about two groups."""
    for number in range(PROMPTS):
        responses = [sentence(random_) for _ in range(2)]
        if number % 3:
            yield {"prompt": f"She is clerk {number}. What now?", "responses": responses}
            continue
        for group in ("male", "female"):
            asked = {"pair": f"p{number}", "group": group, "prompt": f"A {group} clerk asks."}
            yield {**asked, "responses": [sentence(random_) for _ in range(2)]}


@pytest.fixture(scope="module")
def file(data: Path) -> Path:
    found = data / "rows.jsonl"
    found.write_text("\n".join(map(json.dumps, rows(random.Random(3)))))
    return found


@dataclass
class Run:
    """An assessment with the engine that `engine_of` makes; `hear` is told of every part."""

    file: Path
    folder: Path
    items: list[ItemFigures] = field(default_factory=list)

    def results(
        self,
        engine_of: Callable[[OpenAssessment], RayEngine | None],
        hear: Callable[[int], None] = lambda _: None,
    ) -> AssessmentResults:
        self.items.clear()
        parts = 0

        def keep(measured: UnitMeasures) -> None:
            nonlocal parts
            parts += 1
            self.items.extend(measured.items)
            hear(parts)

        with self.opened() as opened:
            return opened.results(keep, engine_of(opened))

    @contextmanager
    def opened(self) -> Iterator[OpenAssessment]:
        settings = Settings()
        options = AssessmentOptions(
            use_case="clerks", groups=groups_to_compare(settings, ("gender",))
        )
        given = partial(read_rows, self.file)
        replies = self.folder / "replies.sqlite"
        with open_assessment(options, given, settings=settings, replies=replies) as found:
            yield found

    def on(self, nodes: TwoNodes) -> Callable[[OpenAssessment], RayEngine]:
        cluster = RayCluster(address=nodes.address, block_texts=6)
        return lambda opened: ray_engine(
            cluster, opened, Settings(), self.folder / "replies.sqlite"
        )


@pytest.fixture
def run(file: Path, tmp_path: Path) -> Run:
    return Run(file, tmp_path)


@pytest.fixture(scope="module")
def local(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """What this process measures: the results are made again by each test from its items."""
    return Run(file, tmp_path_factory.mktemp("local"))


@pytest.fixture(scope="module")
def expected(local: Run) -> tuple[AssessmentResults, list[ItemFigures]]:
    found = local.results(lambda _: None)
    return found, list(local.items)


def numbers(found: object) -> list[float]:
    if isinstance(found, dict):
        return [value for one in found.values() for value in numbers(one)]
    if isinstance(found, list | tuple):
        return [value for one in found for value in numbers(one)]
    return [float(found)] if isinstance(found, int | float) else []


def figures(results: AssessmentResults) -> list[float]:
    """All numbers but the times."""
    timeless = replace(results.provenance, made_at=0.0, seconds=0.0)
    return numbers(replace(results, provenance=timeless).to_dict())


def assert_alike(
    found: AssessmentResults, run: Run, expected: tuple[AssessmentResults, list[ItemFigures]]
) -> None:
    here, items = expected
    assert run.items == items
    assert found.coverage == here.coverage
    assert found.histograms == here.histograms
    assert found.worst_pairs == here.worst_pairs
    assert found.worst_responses == here.worst_responses
    assert figures(found) == pytest.approx(figures(here), rel=0, abs=1e-9)


def test_two_nodes_give_what_one_process_gives(
    run: Run, nodes: TwoNodes, expected: tuple[AssessmentResults, list[ItemFigures]]
) -> None:
    at_work: set[int] = set()
    found = run.results(run.on(nodes), lambda _: at_work.add(nodes.nodes_at_work()))
    assert_alike(found, run, expected)
    assert max(at_work) == 2


def test_python_names_a_cluster_too(file: Path, nodes: TwoNodes) -> None:
    cluster = RayCluster(address=nodes.address, block_texts=20)
    there, here = (
        guard.assess(file, cluster=one, attributes=["gender"]) for one in (cluster, None)
    )
    assert figures(there) == pytest.approx(figures(here), rel=0, abs=1e-9)
    assert there.coverage == here.coverage


@pytest.mark.parametrize("seed", range(repeats(1, soak=20)))
def test_actors_that_are_killed_change_nothing(
    seed: int,
    run: Run,
    nodes: TwoNodes,
    expected: tuple[AssessmentResults, list[ItemFigures]],
) -> None:
    random_ = random.Random(seed)
    moments = set(random_.sample(range(1, 25), k=4))
    killed: list[int] = []

    def kill(part: int) -> None:
        actors = nodes.actors()
        if part in moments and actors:
            victim = random_.choice(actors)
            victim.kill()
            killed.append(victim.pid)

    found = run.results(run.on(nodes), kill)
    assert_alike(found, run, expected)
    assert killed


def test_a_node_without_the_same_models_is_refused(run: Run, nodes: TwoNodes) -> None:
    with pytest.raises(ModelError, match="install the same on every node"):
        run.results(lambda opened: replace(run.on(nodes)(opened), models=()))


def test_a_node_that_is_lost_changes_nothing(
    run: Run, nodes: TwoNodes, expected: tuple[AssessmentResults, list[ItemFigures]]
) -> None:
    def lose(part: int) -> None:
        if part == 3:
            nodes.lose_one()

    assert_alike(run.results(run.on(nodes), lose), run, expected)
