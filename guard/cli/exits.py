"""How a command ends: errors as one line and an exit code, signals and broken pipes silently."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, Any, Final, NoReturn

import click

from guard.errors import GuardError, SettingsError

EXIT_FAILED: Final = 1
EXIT_SETTINGS: Final = 2
EXIT_INTERRUPTED: Final = 128 + signal.SIGINT
EXIT_PIPE: Final = 128 + signal.SIGPIPE
EXIT_TERMINATED: Final = 128 + signal.SIGTERM


class Failure(click.ClickException):
    """Ends a command with one line on stderr."""

    exit_code = EXIT_FAILED

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"guard: {self.format_message()}", file=file, err=file is None)


class SettingsFailure(Failure):
    """The same for a wrong setting, with an exit code of its own."""

    exit_code = EXIT_SETTINGS


@contextmanager
def exit_codes() -> Iterator[None]:
    """Turn exceptions into exit codes; SIGTERM unwinds like Ctrl-C does."""
    try:
        with _terminable():
            yield
    except GuardError as error:
        failure = SettingsFailure if isinstance(error, SettingsError) else Failure
        raise failure(str(error)) from error
    except BrokenPipeError:
        discard_output()
        raise click.exceptions.Exit(EXIT_PIPE) from None
    except OSError as error:
        discard_output()
        raise Failure(str(error)) from error
    except UnicodeEncodeError as error:
        text = error.object[error.start : error.end]
        raise Failure(f"{text!r} cannot be written as {error.encoding}: {error.reason}") from error
    except KeyboardInterrupt:
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None


def discard_output() -> None:
    """Discard what is still buffered for standard output, instead of failing at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def _terminable() -> Iterator[None]:
    try:
        before = signal.signal(signal.SIGTERM, _terminate)
    except ValueError:  # not the main thread: signals belong to somebody else
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(EXIT_TERMINATED)  # no Exception, which whatever runs might take for its own
