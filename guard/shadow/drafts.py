"""What is kept of a call of which more may come, so that it outlives a process that is killed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from guard.errors import may_be_signal
from guard.records import Case, Draft, Job, Outcome, Posting, Stream, marks_of
from guard.shadow.recorder import CallRecorder

_log = logging.getLogger(__name__)


class DraftSpool(Protocol):
    """Keeps drafts. Nothing of it waits or raises."""

    def put_draft(self, draft: Draft) -> bool:
        """Have its records kept if this process dies before it is replaced or has its end."""

    def finish(self, draft_id: str, records: Sequence[Job | Posting | Case]) -> bool:
        """Have these records kept instead."""

    def replace_left(self, stream: Stream, texts: Sequence[str]) -> str:
        """The id of the draft of a dead process that goes on in `texts`; empty without one."""


class DraftRecorder:
    """An observer of calls, some of which had drafts before their end. Thread-safe.

    recorder: of those that had none. failed: told the class name where a draft could not be made,
    usually `Metrics.observer_error`.
    """

    def __init__(
        self, recorder: CallRecorder, spool: DraftSpool, failed: Callable[[str], None]
    ) -> None:
        self._recorder = recorder
        self._spool = spool
        self._failed = failed
        self._drafted: set[str] = set()

    def outcome(self, outcome: Outcome) -> None:
        """A guarded call ended."""
        call_id = outcome.call.id
        if call_id not in self._drafted:
            self._recorder.outcome(outcome)
            return
        self._drafted.discard(call_id)
        self._spool.finish(call_id, tuple(self._recorder.records(outcome)))

    def upstream_error(self, use_case: str) -> None:
        """There is no reply to keep anything of."""

    def draft(
        self, outcome: Outcome, stream: Stream, texts: Sequence[str], *, replaces: str = ""
    ) -> None:
        """Keep what is known of a call until more comes, or it ends.

        texts: all there is of the reply. replaces: id of the call that this one stands for.
        """
        self._drafted.discard(replaces)
        if self._put(outcome, stream, texts, replaces):
            self._drafted.add(outcome.call.id)
        elif replaces:
            self.drop(replaces)

    def drop(self, call_id: str) -> None:
        """Nothing is recorded of a call that had a draft: another one stands for it."""
        self._drafted.discard(call_id)
        self._spool.finish(call_id, ())

    def left(self, stream: Stream, texts: Sequence[str]) -> str:
        """The id of a call of a process that died which goes on in `texts`; empty without one."""
        return self._spool.replace_left(stream, texts)

    def _put(self, outcome: Outcome, stream: Stream, texts: Sequence[str], replaces: str) -> bool:
        try:
            draft = Draft(
                id=outcome.call.id,
                stream=stream,
                marks=marks_of(texts),
                replaces=replaces,
                records=tuple(self._recorder.records(outcome, final=False)),
            )
            return self._spool.put_draft(draft)
        except BaseException as error:
            if may_be_signal(error):
                raise
            self._failed(type(self).__name__)
            _log.exception("what is known of a call so far is not kept")
            return False
