"""What a command that keeps what it has done says when it is interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click


@contextmanager
def kept_when_interrupted(replies: Path) -> Iterator[None]:
    """Ctrl-C says in one line that nothing is asked twice. replies: the file that keeps them."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(
            f"guard: interrupted; replies are kept in {replies}: run the same command again to"
            " continue",
            err=True,
        )
        raise
