"""Journals change hands: those of dead processes are adopted, and one's own are left to others."""

from __future__ import annotations

import logging
from pathlib import Path

from guard.store.spool.journal import Journal

_log = logging.getLogger(__name__)


def adopt_all(folder: Path) -> list[Journal]:
    """What dead processes have left, the oldest first."""
    try:
        candidates = [path for path in folder.iterdir() if path.name[0] != "." and path.is_dir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        _log.error("the spool %r cannot be read: %s", str(folder), error)
        return []
    return [journal for path in sorted(candidates, key=_age) if (journal := _adopt(path))]


def _adopt(path: Path) -> Journal | None:
    try:
        return Journal.adopt(path)
    except (OSError, ValueError) as error:
        _log.error("the spool %r cannot be adopted: %s", str(path), error)
        return None


def leave(journal: Journal) -> None:
    """Let go of one whose records wait for the next process."""
    try:
        journal.sync()
    except OSError as error:
        _log.error("the spool %s may not outlive a loss of power: %s", journal.id, error)
    finally:
        journal.close()


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
