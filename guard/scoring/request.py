"""One text on its way through the engine, and the pieces of it that wait for the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import chain

from guard.records import Assessment, Unscored
from guard.scoring.passages import as_windows, within
from guard.scoring.tally import Tally
from guard.scoring.tokens import Vocabulary, Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """Some windows of a text that are in a language the model knows.

    dry: there are no more after them. strange: others between them were in another language.
    """

    windows: Sequence[Window]
    dry: bool
    strange: bool


@dataclass(slots=True, kw_only=True, eq=False)
class Request:
    """A text and how far it has come. Changed only under the lock of its desk.

    weight: estimated tokens, for bounding the queue. tag: its next place in the order of
    service. covers: whether the model knows the language of a piece of it.
    source: its windows that are still to be made; `looking` once these are sentences
    of a second look. pending: pieces that wait for or are in the model. missed: a sentence
    could not be scored. keeper: kept alive until the answer.
    """

    text: str
    future: Future[Assessment]
    submitted_at: float
    due_at: float | None
    weight: int
    tally: Tally
    source: Iterator[Window]
    covers: Callable[[str], bool]
    keeper: object = None
    tag: float = 0.0
    pending: int = 0
    dry: bool = False
    looking: bool = False
    missed: bool = False
    done: bool = False
    begun_at: float | None = None
    reason: Unscored | None = None

    def answer(self, now: float) -> Assessment | None:
        """Answer the future; the assessment if nothing is missing in it, else None."""
        self.keeper = None
        if not self.future.set_running_or_notify_cancel():
            return None
        complete = self._is_complete()
        assessment = self._assessment(now, complete=complete)
        self.future.set_result(assessment)
        return assessment if complete else None

    def give_up(self) -> None:
        """Answer without a score, when `answer` failed."""
        if not self.future.done():
            self.future.set_result(self.tally.nothing(Unscored.ENGINE_ERROR, self.text))

    def end(self, reason: Unscored | None) -> None:
        """It changes no more. A second look that was cut short is no reason."""
        self.done = True
        if not self.looking:
            self.reason = self.reason or reason

    def settle(self, item: Item, values: Sequence[float] | None) -> None:
        """Note what the model said about a piece; None: nothing usable."""
        if self.done:
            return
        self.pending -= 1
        if values is None:
            self._miss(item)
        elif item.passage:
            self.tally.add_passage(item.window, values)
        else:
            self.tally.add_window(item.window, values)

    def more(self, tokens: int) -> Portion:
        """Its next windows, about `tokens` in all.

        Not under the lock: only the worker that was handed the request calls this.
        """
        made, strange = list[Window](), False
        for window in self.source:
            known = self.looking or self.covers(self.text[window.span.start : window.span.end])
            strange = strange or not known
            made += [window] if known else []
            tokens -= len(window.ids)
            if tokens <= 0:
                return Portion(windows=made, dry=False, strange=strange)
        return Portion(windows=made, dry=True, strange=strange)

    def receive(self, portion: Portion) -> None:
        """Note what its next windows are."""
        self.dry = portion.dry
        if portion.strange:
            self.reason = self.reason or Unscored.LANGUAGE

    @property
    def wants_second_look(self) -> bool:
        """Whether sentences are to be scored that are not yet being made."""
        return self.tally.concerns and not self.looking

    def look_again(self, vocabulary: Vocabulary) -> None:
        """Turn to the sentences of the windows that came near a threshold."""
        self.looking, self.dry = True, False
        self.source = _second_look(self.text, self.tally, vocabulary)

    def _miss(self, item: Item) -> None:
        if item.passage:
            self.missed = True
        else:
            self.reason = Unscored.ENGINE_ERROR

    def _is_complete(self) -> bool:
        through = self.dry and not self.pending and not self.wants_second_look
        return through and not self.missed and self.reason is None

    def _assessment(self, now: float, *, complete: bool) -> Assessment:
        begun = now if self.begun_at is None else self.begun_at
        times = (begun - self.submitted_at, now - begun)
        return self.tally.assessment(self.text, self.reason, complete=complete, times=times)


@dataclass(slots=True, kw_only=True, eq=False)
class Item:
    """A window of a request that is ready for the model.

    passage: it is a sentence. tag: its place in the order of service. length: its tokens,
    special ones left out. taken: the model has got it.
    """

    request: Request
    window: Window
    passage: bool
    tag: float
    length: int
    taken: bool = False


def _second_look(text: str, tally: Tally, vocabulary: Vocabulary) -> Iterator[Window]:
    near = tally.near()
    found = within(text, (window.span for window in near))
    first, second = next(found, None), next(found, None)
    if first and not second and tally.windows == 1:
        tally.reuse(first, near[0])
        return
    for sentence in chain(filter(None, (first, second)), found):
        yield from as_windows(text, sentence, vocabulary)
