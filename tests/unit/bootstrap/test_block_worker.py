"""What processes of a cluster do, without one: blocks are read, sent as bytes and measured."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest

from guard.assessment.blocks import in_order
from guard.assessment.engines import MeasuringWork
from guard.assessment.options import AssessmentOptions
from guard.assessment.reader import read_rows
from guard.assessment.totals import UnitMeasures
from guard.bootstrap.assessment import OpenAssessment, open_assessment
from guard.bootstrap.block_worker import (
    BlockJob,
    BlockMeasurer,
    decode_measures,
    located_models,
    read_blocks,
)
from guard.bootstrap.ray_cluster import RayCluster
from guard.bootstrap.ray_engine import RayEngine
from guard.errors import ClusterError, GuardError, ModelError, SettingsError
from guard.fairness import ModelTask
from guard.settings import ModelSettings, Settings

OPTIONS = AssessmentOptions(
    use_case="loans", task=ModelTask.CLASSIFICATION, representation_parity=True
)


@dataclass(frozen=True, kw_only=True)
class ChildEngine:
    """The job of a Ray engine, done here by a reader and one worker."""

    engine: RayEngine
    jobs: list[BlockJob] = field(default_factory=list)

    def measure(self, work: MeasuringWork) -> Iterator[UnitMeasures]:
        job = pickle.loads(pickle.dumps(self.engine.job(work)))
        self.jobs.append(job)
        worker = BlockMeasurer(job)
        yield from in_order(decode_measures(worker.measure(one)) for one in read_blocks(job))
        worker.close()


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAssessment]:
    monkeypatch.chdir(tmp_path)
    lines = (f'{{"prediction": {n % 2}, "group": "{"ab"[n % 3 % 2]}"}}' for n in range(40))
    Path("rows.jsonl").write_text("\n".join(lines))
    rows = partial(read_rows, Path("rows.jsonl"))
    with ExitStack() as stack:
        yield stack.enter_context(
            open_assessment(OPTIONS, rows, settings=Settings(), replies=Path("replies.sqlite"))
        )


def engine_of(opened: OpenAssessment) -> RayEngine:
    return RayEngine(
        cluster=RayCluster(block_texts=7, cpus=2),
        options=opened.assessment.options,
        settings=Settings(),
        models=opened.provenance.models,
        replies=Path("replies.sqlite"),
    )


def test_a_reader_and_a_worker_give_what_this_process_gives(
    opened: OpenAssessment, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = ChildEngine(engine=engine_of(opened))
    here, elsewhere = opened.results(), opened.results(engine=child)
    assert elsewhere.metrics == here.metrics
    assert elsewhere.comparisons == here.comparisons
    (job,) = child.jobs
    assert job.threads == 2
    blocks = list(read_blocks(job))
    assert len(blocks) == 6
    monkeypatch.chdir("/")
    assert list(read_blocks(job)) == blocks


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"version": "0.0.9"}, SettingsError, "and 0.0.9 where the assessment was started"),
        ({"models": ()}, ModelError, "install the same on every node"),
    ],
)
def test_a_node_with_other_software_refuses_to_measure(
    opened: OpenAssessment, change: dict[str, object], error: type[GuardError], match: str
) -> None:
    job = engine_of(opened).job(opened.assessment.work)
    (block, *_) = read_blocks(job)
    with pytest.raises(error, match=match):
        BlockMeasurer(replace(job, **change)).measure(block)  # type: ignore[arg-type]


def test_folders_of_models_go_by_their_whole_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("mine/manifest.json").touch()
    found = located_models(ModelSettings(heads={"toxicity": "mine"}))
    assert found.model == "bundled"
    assert found.heads == {"toxicity": str(tmp_path / "mine")}


class NoCores:
    """What is asked of the module `ray`."""

    @staticmethod
    def cluster_resources() -> dict[str, float]:
        return {"CPU": 3.0}


def test_actors_fill_the_cluster() -> None:
    assert RayCluster(cpus=2).room(NoCores) == 1
    assert RayCluster(cpus=2, actors=4).room(NoCores) == 4
    with pytest.raises(ClusterError, match="3 cores: too few for an actor of 4"):
        RayCluster(cpus=4).room(NoCores)


@pytest.mark.parametrize(
    ("given", "variable", "place"),
    [
        ("", "", "local"),
        ("", "10.0.0.1:6379", "10.0.0.1:6379"),
        ("auto", "10.0.0.1:6379", "auto"),
    ],
)
def test_where_the_cluster_is(
    given: str, variable: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", variable)
    assert RayCluster(address=given).place == place


def test_a_cluster_is_not_reached_from_outside() -> None:
    with pytest.raises(SettingsError, match="start the assessment on a node"):
        RayCluster(address="ray://head:10001").place  # noqa: B018
