"""What becomes of a worker whose supervisor was killed while the worker stood still."""

from __future__ import annotations

import ctypes
import logging
import signal
import sys
from contextlib import suppress
from typing import Final

_log = logging.getLogger(__name__)

_PR_SET_PDEATHSIG: Final = 1  # <linux/prctl.h>


def continue_when_orphaned() -> None:
    """Have Linux continue this process when its parent ends, if it is stopped (SIGSTOP) by then.

    It could not notice that its supervisor has ended, and would keep its memory, its connections
    and the lock of a spool whose records nobody else ships. Only Linux can do so.
    """
    if sys.platform != "linux":
        return
    with suppress(AttributeError, OSError):  # a C library without it
        if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGCONT, 0, 0, 0):
            _log.warning("a stopped worker would outlive the gateway: prctl failed")
