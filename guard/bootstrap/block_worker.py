"""What processes elsewhere do for an assessment: one reads blocks, the others measure them.

Here is nothing of what distributes the work: blocks and measures come and go as bytes.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import ExitStack, chdir, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from guard import __version__
from guard.assessment.blocks import (
    BLOCK_TEXTS,
    BlockMeasures,
    PromptBlock,
    measure_block,
    split_blocks,
)
from guard.assessment.engines import MeasuringWork
from guard.assessment.options import AssessmentOptions
from guard.assessment.results import UsedModel
from guard.bootstrap.assessment import NoScores, open_measures
from guard.errors import ModelError, SettingsError
from guard.settings import ModelSettings, Settings, lexicons_of
from guard.shadow.comparison import Instruments
from guard.store.reply_cache import ReplyCache


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockJob:
    """What is to be done, in little: it goes to every process. Models are in it by name or path.

    folder: of relative paths. replies: the file of the model's replies, read with the rows.
    models: by which the results are said to be made. threads: of each process that measures.
    """

    work: MeasuringWork
    options: AssessmentOptions
    settings: Settings
    folder: Path
    replies: Path
    models: tuple[UsedModel, ...]
    threads: int = 1
    block_texts: int = BLOCK_TEXTS
    version: str = __version__


def located_models(settings: ModelSettings) -> ModelSettings:
    """The settings with whole paths of the models that are folders; the others go by name."""
    heads = {family: _located(name) for family, name in settings.heads.items()}
    return settings.model_copy(update={"model": _located(settings.model), "heads": heads})


def _located(name: str) -> str:
    folder = Path(name)
    return str(folder.resolve()) if (folder / "manifest.json").is_file() else name


def read_blocks(job: BlockJob) -> Iterator[bytes]:
    """Every block, for `BlockMeasurer`; the same ones each time. Runs where the files are."""
    with ExitStack() as stack:
        stack.enter_context(chdir(job.folder))
        kept = stack.enter_context(closing(ReplyCache(job.replies)))
        tools = Instruments(
            lexicons=lexicons_of(job.settings.counterfactual),
            scorer=NoScores(),
            options=job.options.pairing(0),
            catalogue=job.options.catalogue,
        )
        measure = job.work.measure(tools=tools, kept=kept)
        for block in split_blocks(job.work.groups(), measure, job.block_texts):
            yield pickle.dumps(block, protocol=pickle.HIGHEST_PROTOCOL)


class BlockMeasurer:
    """Measures blocks, one after the other, with one open classifier."""

    def __init__(self, job: BlockJob) -> None:
        self._job = job
        self._open = ExitStack()

    def measure(self, block: bytes) -> bytes:
        """What a block adds; see `decode_measures`. Raises ModelError, SettingsError."""
        found: PromptBlock = pickle.loads(block)  # noqa: S301 - of our own run
        measures = measure_block(found, self._job.work.measure, self._tools)
        return pickle.dumps(measures, protocol=pickle.HIGHEST_PROTOCOL)

    def close(self) -> None:
        """Let go of the classifier."""
        self._open.close()

    @cached_property
    def _tools(self) -> Instruments:
        job = self._job
        if job.version != __version__:
            raise SettingsError(
                f"evenguard {__version__} is installed here, and {job.version} where the"
                " assessment was started; install the same on every node"
            )
        scoring = job.settings.scoring.model_copy(update={"workers": job.threads})
        settings = job.settings.model_copy(update={"scoring": scoring})
        measures = open_measures(settings, self._open)
        if measures.models != job.models:
            raise ModelError(
                "the models here are not those where the assessment was started"
                f" ({_told(measures.models)} and {_told(job.models)}); install the same on every"
                " node"
            )
        return measures.instruments(job.options)


def decode_measures(measures: bytes) -> BlockMeasures:
    """What `BlockMeasurer` made."""
    found: BlockMeasures = pickle.loads(measures)  # noqa: S301 - of our own run
    return found


def _told(models: tuple[UsedModel, ...]) -> str:
    return ", ".join(f"{one.name} {one.version}" for one in models)
