"""Prompts measured on a Ray cluster: by actors that each hold one open classifier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from guard.assessment.blocks import BlockMeasures, in_order
from guard.assessment.engines import MeasuringWork
from guard.assessment.options import AssessmentOptions
from guard.assessment.results import UsedModel
from guard.assessment.totals import UnitMeasures
from guard.bootstrap.assessment import UNDER_TEST, OpenAssessment
from guard.bootstrap.block_worker import (
    BlockJob,
    BlockMeasurer,
    decode_measures,
    located_models,
    read_blocks,
)
from guard.bootstrap.ray_cluster import RayCluster, check_installed
from guard.errors import ClusterError, GuardError
from guard.settings import Settings

_STARTS: Final = 10
"""Actors that may die one after the other before they have begun."""
_COLUMN: Final = "bytes"
_Batch = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RayEngine:
    """Measures blocks on a cluster; implements `MeasuringEngine`.

    Blocks are read on this node and measured by actors everywhere; a block whose actor dies is
    measured by another. models: with which all nodes must measure. replies: the file of the
    model's replies.
    """

    cluster: RayCluster
    options: AssessmentOptions
    settings: Settings
    models: tuple[UsedModel, ...]
    replies: Path

    def measure(self, work: MeasuringWork) -> Iterator[UnitMeasures]:
        """See `MeasuringEngine.measure`. Raises ClusterError, SettingsError, ModelError."""
        with self.cluster.connected() as ray, _clear_errors(ray):
            yield from in_order(self._measured(ray, self.job(work)))

    def job(self, work: MeasuringWork) -> BlockJob:
        """What every process of the cluster is given."""
        scoring = located_models(self.settings.scoring)
        return BlockJob(
            work=work,
            options=self.options,
            settings=self.settings.model_copy(update={"scoring": scoring}),
            folder=Path.cwd(),
            replies=self.replies.resolve(),
            models=self.models,
            threads=self.cluster.cpus,
            block_texts=self.cluster.block_texts,
        )

    def _measured(self, ray: Any, job: BlockJob) -> Iterator[BlockMeasures]:
        here = ray.get_runtime_context().get_node_id()
        actors = ray.data.ActorPoolStrategy(size=self.cluster.room(ray))
        with ray.data.DataContext.current(_context(ray)):
            blocks = ray.data.from_items([0]).map_batches(
                _read, fn_args=(job,), num_cpus=0, label_selector={"ray.io/node-id": here}
            )
            measures = blocks.map_batches(
                BlockActor,
                fn_constructor_args=(job,),
                compute=actors,
                num_cpus=self.cluster.cpus,
                batch_size=1,
            )
        for batch in measures.iter_batches(batch_size=1, prefetch_batches=0):
            yield decode_measures(batch[_COLUMN][0])


def ray_engine(
    cluster: RayCluster, opened: OpenAssessment, settings: Settings, replies: Path
) -> RayEngine:
    """The engine for an open assessment. Raises SettingsError where Ray is missing."""
    check_installed()
    models = opened.provenance.models
    return RayEngine(
        cluster=cluster,
        options=opened.assessment.options,
        settings=settings,
        models=tuple(one for one in models if one.role != UNDER_TEST),
        replies=replies,
    )


class BlockActor:
    """A `BlockMeasurer` as Ray Data calls it."""

    def __init__(self, job: BlockJob) -> None:
        self._measurer = BlockMeasurer(job)

    def __call__(self, batch: _Batch) -> _Batch:
        return {_COLUMN: [self._measurer.measure(block) for block in batch[_COLUMN]]}


def _read(batch: _Batch, job: BlockJob) -> Iterator[_Batch]:
    """All blocks, one at a time. batch: the one that makes Ray call this once."""
    del batch
    return ({_COLUMN: [block]} for block in read_blocks(job))


def _context(ray: Any) -> Any:
    """How Ray Data works: each block on its own, as soon as it is read."""
    context = ray.data.DataContext.get_current().copy()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.target_max_block_size = 1
    context.target_min_block_size = 0
    context.max_consecutive_actor_init_deaths = _STARTS
    context.raise_original_map_exception = True
    return context


@contextmanager
def _clear_errors(ray: Any) -> Iterator[None]:
    """What an actor raised is raised here; anything else that breaks is a ClusterError."""
    try:
        yield
    except GuardError as error:
        raise getattr(error, "cause", error) from None
    except ray.exceptions.RayError as error:
        raise ClusterError(f"the cluster gave up: {error}; assess again") from error
