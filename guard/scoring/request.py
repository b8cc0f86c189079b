"""One text on its way through the engine: its windows, then sentences, then those in context."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import chain

from guard.records import Assessment, Span, Unscored
from guard.scoring.assessment import AssessmentBuilder
from guard.scoring.vocabulary import TokenWindow, Vocabulary
from guard.text import sentences, settled_end, with_neighbours

_CHUNK_CHARACTERS = 4096
_SHOWS_NOTHING = re.compile(r"[\s!-/:-@\[-`{-~]*")
"""A sentence of punctuation alone: a thousand of them would take as long to read as a page."""
_CONTEXT_CHARACTERS_PER_TOKEN = 3  # dense text as well fits one window then


class ReadStage(IntEnum):
    """What is read of a text, in order: each says where the next one has to look."""

    WINDOWS = 0
    SENTENCES = 1
    CONTEXT = 2


@dataclass(slots=True, kw_only=True, eq=False)
class Request:
    """A text that was submitted and how far it has come. Changed only under the lock of its queue.

    submitted_at, due_at: seconds on the engine's clock; None is never. weight: estimated tokens,
    for bounding the queue.
    source: its windows of this stage that are still to be made.
    exhausted: there are no more after them. tag: its next place in the order of service.
    pending: windows that wait for or are in the model; ready_tokens: tokens of those that wait.
    begun_at: when the model first got one. done: it has ended and changes no more; complete: then
    nothing is missing. owner: kept alive until then.
    """

    text: str
    future: Future[Assessment]
    submitted_at: float
    due_at: float | None
    weight: int
    builder: AssessmentBuilder
    vocabulary: Vocabulary
    source: Iterator[TokenWindow]
    owner: object = None
    tag: float = 0.0
    pending: int = 0
    ready_tokens: int = 0
    begun_at: float | None = None
    exhausted: bool = False
    stage: ReadStage = ReadStage.WINDOWS
    done: bool = False
    complete: bool = False

    @property
    def is_through(self) -> bool:
        """Whether all its windows were made and have been through the model."""
        return self.exhausted and not self.pending and not self.done

    def next_windows(self, tokens: int) -> tuple[list[TokenWindow], bool]:
        """Its next windows, about `tokens` in all, and whether there are no more after them.

        Not under the lock: only the worker that was handed the request calls this.
        """
        made = list[TokenWindow]()
        for window in self.source:
            made.append(window)
            tokens -= len(window.ids)
            if tokens <= 0:
                return made, False
        return made, True

    def receive(self, windows: Sequence[TokenWindow], *, exhausted: bool) -> list[TokenWindow]:
        """Note what its next windows are; those of them that are for the model."""
        self.exhausted = exhausted
        unread = next(filter(None, (window.unread for window in windows)), None)
        self.builder.reason = self.builder.reason or unread
        return [window for window in windows if window.ids]

    def settle(self, window: ReadyWindow, values: Sequence[float] | None) -> None:
        """Note what the model said about a window; None: nothing usable."""
        if self.done:
            return
        self.pending -= 1
        add = (self.builder.add_window, self.builder.add_sentence, self.builder.add_context)
        add[window.stage](window.window, values)

    def next_stage(self) -> bool:
        """Turn to the sentences of the windows that came near a threshold, then to those of them
        that came near alone, in context; whether there is anything left to read."""
        if not self._has_next_stage():
            return False
        self.stage, self.exhausted = ReadStage(self.stage + 1), False
        read = _sentence_windows if self.stage is ReadStage.SENTENCES else _context_windows
        self.source = read(self.text, self.builder, self.vocabulary)
        return True

    def end(self, reason: Unscored | None) -> None:
        """It changes no more. Windows of which the sentences were not read are not judged: one of
        those can be what a rule is about. A sentence without its context counts as it is alone."""
        builder = self.builder
        if self.stage is ReadStage.WINDOWS or (self._reads_passages and not self.is_through):
            builder.reason = builder.reason or reason
        through = self.is_through and not self._has_next_stage()
        read = builder.reason in {None, Unscored.LANGUAGE, Unscored.UNREADABLE}
        self.complete = through and not builder.missed and read
        self.done, self.owner = True, None

    @property
    def _reads_passages(self) -> bool:
        return self.stage is ReadStage.SENTENCES and not self.builder.only_scores

    def _has_next_stage(self) -> bool:
        if self.stage is ReadStage.WINDOWS:
            return self.builder.wants_sentences
        return self.stage is ReadStage.SENTENCES and self.builder.wants_context

    def answer(self, now: float) -> Assessment | None:
        """Answer the future; the assessment if nothing is missing in it, else None."""
        if not self.future.set_running_or_notify_cancel():
            return None
        begun = now if self.begun_at is None else self.begun_at
        times = (begun - self.submitted_at, now - begun)
        assessment = self.builder.assessment(self.text, complete=self.complete, times=times)
        self.future.set_result(assessment)
        return assessment if self.complete else None

    def give_up(self) -> None:
        """Answer without a score, when `answer` failed."""
        if not self.future.done():
            self.future.set_result(self.builder.heads.unscored(Unscored.ENGINE_ERROR, self.text))


@dataclass(slots=True, kw_only=True, eq=False)
class ReadyWindow:
    """A window of a request that is ready for the model.

    stage: what it is read for. length: its tokens, special ones left out. taken: the model has got
    it.
    """

    request: Request
    window: TokenWindow
    stage: ReadStage
    length: int
    taken: bool = False


def _sentence_windows(
    text: str, builder: AssessmentBuilder, vocabulary: Vocabulary
) -> Iterator[TokenWindow]:
    """Each sentence of the windows that concern: one window, or several for a long one."""
    concerning = builder.concerning()
    found = _touching(text, (window.span for window in concerning))
    first, second = next(found, None), next(found, None)
    if first and not second and builder.windows == 1:
        builder.reuse(first, concerning[0])
        return
    for sentence in chain(filter(None, (first, second)), found):
        if _SHOWS_NOTHING.fullmatch(text, sentence.start, sentence.end):
            continue
        for window in vocabulary.windows(text[sentence.start : sentence.end]):
            yield window.moved(sentence.start)


def _context_windows(
    text: str, builder: AssessmentBuilder, vocabulary: Vocabulary
) -> Iterator[TokenWindow]:
    """The sentences that came near a threshold alone, each with what stands around it.

    Their range is that of the sentence, for which they are read.
    """
    most = _CONTEXT_CHARACTERS_PER_TOKEN * vocabulary.size
    for sentence in builder.doubtful():
        around = with_neighbours(text, sentence, most=most)
        if not builder.reuse_window(sentence, around):
            for window in vocabulary.windows(text[around.start : around.end]):
                yield replace(window, span=sentence)


def _touching(text: str, ranges: Iterable[Span]) -> Iterator[Span]:
    """The sentences of `text` that touch one of the ranges, which come in order of the text."""
    waiting = deque(ranges)
    for sentence in _sentences(text):
        while waiting and waiting[0].end <= sentence.start:
            waiting.popleft()
        if not waiting:
            return
        if waiting[0].start < sentence.end:
            yield sentence


def _sentences(text: str) -> Iterator[Span]:
    """The sentences of `text`, found piece by piece: a long text never holds up other threads."""
    start, size = 0, _CHUNK_CHARACTERS
    while start + size < len(text):
        chunk = text[start : start + size]
        end = settled_end(chunk, 0)
        yield from (span.moved(start) for span in sentences(chunk) if span.end <= end)
        size = _CHUNK_CHARACTERS if end else 2 * size
        start += end
    yield from (span.moved(start) for span in sentences(text[start:]))
