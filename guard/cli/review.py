"""`guard review`: accounts, cases, thresholds and erasure on the command line, and the page."""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from typing import IO, Any, Final

import click

from guard.bootstrap.clock_doubts import DAY_SECONDS, PatientPurge, all_would_go
from guard.bootstrap.review import (
    PURGE_ACTOR,
    open_accounts,
    open_retention,
    open_review_service,
    purge_periodically,
)
from guard.bootstrap.standard_error import never_wait_for_readers
from guard.bootstrap.tracing import PageSpan, command_outlets, page_spans
from guard.cli.exits import Failure
from guard.cli.options import F, FiniteRange, json_option, port_option, who, with_store
from guard.cli.suggest import suggest
from guard.errors import SettingsError
from guard.http.sockets import LOCALHOST, raise_file_limit
from guard.ports import Store
from guard.records import CaseFilter, CaseKind, CaseState, Reading, Undefined
from guard.review.accounts import Role
from guard.review.export import ExportFormat, export_audit, export_cases, export_note
from guard.review.retention import ErasureResult
from guard.review.thresholds import ThresholdProposal
from guard.review.views import CaseSummary
from guard.settings import Settings

REVIEW_PORT: Final = 9466
PRIVATE: Final = 0o600
A_MOMENT: Final = 60.0
"""Who erases what is older than that means everything, whatever the time is."""
NO_ACCOUNTS: Final = (
    "nobody can sign in yet: make an account with `guard review add-user NAME --role admin`"
)


@click.group()
def review() -> None:
    """Flagged cases: who judges them, and what came of it."""


role_option = click.option(
    "--role",
    type=click.Choice([str(one) for one in Role]),
    default=str(Role.REVIEWER),
    help="What the person may do; each includes those before it.",
)
password_option = click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input, one line."
)
use_case_option = click.option("--use-case", help="Only of this use case.")


def _days_ago(_: click.Context, __: click.Parameter, days: float | None) -> float | None:
    """The moment that was so many days ago, in Unix seconds."""
    return None if days is None else time.time() - days * DAY_SECONDS


def _kind(_: click.Context, __: click.Parameter, kind: str | None) -> CaseKind | None:
    return None if kind is None else CaseKind(kind)


def _state(_: click.Context, __: click.Parameter, state: str | None) -> CaseState | None:
    return None if state is None else CaseState(state)


def filters(command: F) -> F:
    """Options that choose cases, as the fields of a `CaseFilter`."""
    days = FiniteRange(min=0)
    options = (
        use_case_option,
        click.option("--kind", type=click.Choice([*map(str, CaseKind)]), callback=_kind),
        click.option("--state", type=click.Choice([*map(str, CaseState)]), callback=_state),
        click.option("--attribute", help="Only of pairs that differ in this."),
        click.option("--reason", help="Only what this flag raised."),
        click.option("--older-than-days", "opened_before", type=days, callback=_days_ago),
        click.option("--newer-than-days", "opened_after", type=days, callback=_days_ago),
    )
    for option in reversed(options):
        command = option(command)
    return command


@review.command("add-user")
@click.argument("name")
@role_option
@password_option
@with_store
def add_user(
    store: Store, _settings: Settings, name: str, *, role: str, password_stdin: bool
) -> None:
    """Let somebody sign in."""
    user = open_accounts(store).add(name, _password(from_stdin=password_stdin), Role(role))
    store.note(actor=who(), event="person_added", detail=f"{user.name} as {user.role}")
    click.echo(f"{user.name}: {user.role}")


@review.command()
@click.argument("name")
@password_option
@with_store
def passwd(store: Store, _settings: Settings, name: str, *, password_stdin: bool) -> None:
    """Give somebody a new password; the person is signed out everywhere."""
    open_accounts(store).set_password(name, _password(from_stdin=password_stdin))
    store.note(actor=who(), event="person_changed", detail=f"{name} password")
    click.echo(f"{name}: new password, signed out everywhere")


@review.command("remove-user")
@click.argument("name")
@with_store
def remove_user(store: Store, _settings: Settings, name: str) -> None:
    """Let somebody sign in no more. What the person decided stays."""
    open_accounts(store).remove(name)
    store.note(actor=who(), event="person_removed", detail=name)
    click.echo(f"{name}: removed")


@review.command()
@with_store
def users(store: Store, _settings: Settings) -> None:
    """List who may sign in."""
    for user in open_accounts(store).users():
        click.echo(f"{user.name}\t{user.role}{'  disabled' * user.disabled}")


@review.command("list")
@filters
@click.option("--limit", type=click.IntRange(min=1), default=50)
@json_option("JSON lines, not a table.")
@with_store
def list_(store: Store, settings: Settings, *, limit: int, json_: bool, **chosen: Any) -> None:
    """List cases, oldest first, and how many there are. Nothing that is said in them."""
    desk, where = open_review_service(store, settings), CaseFilter(**chosen)
    items, count = desk.queue(where, limit=limit).items, desk.count(where)
    for item in items:
        click.echo(json.dumps(asdict(item)) if json_ else _shown(item, time.time()))
    total = f"{'' if count.exact else 'more than '}{count.cases}"
    click.echo(f"{len(items)} of {total} cases", err=True)


review.add_command(suggest)


@review.command()
@filters
@click.option(
    "--format",
    "form",
    type=click.Choice([*map(str, ExportFormat), "audit"]),
    default=str(ExportFormat.JSONL),
    help="`audit` is everything that was ever done, whatever is chosen.",
)
@click.option("--no-texts", is_flag=True, help="Leave out texts of calls, reasons and notes.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, allow_dash=True),
    default="-",
    show_default=False,
    help="A file, which its owner alone may read.",
)
@with_store
def export(
    store: Store, _settings: Settings, *, form: str, no_texts: bool, out: str, **chosen: Any
) -> None:
    """Write cases and decisions: JSONL, CSV, or records for Argilla or Langfuse."""
    if form == "audit":
        lines = export_audit(store)
    else:
        lines = export_cases(store, CaseFilter(**chosen), ExportFormat(form), texts=not no_texts)
    with _private_file(out) as file:
        file.writelines(lines)
    store.note(actor=who(), event="exported", detail=export_note(form, texts=not no_texts))


@contextmanager
def _private_file(path: str) -> Iterator[IO[str]]:
    """A file that its owner alone may read, since prompts are in it; `-` is standard output."""
    if path == "-":
        with click.open_file(path, "w", encoding="utf-8") as out:
            yield out
        return
    try:
        file = open(path, "w", encoding="utf-8", opener=_open_private)  # noqa: SIM115 - Path.open takes no opener
    except OSError as error:
        raise click.FileError(path, error.strerror) from error
    with file:
        yield file


def _open_private(path: str, flags: int) -> int:
    handle = os.open(path, flags, PRIVATE)
    if stat.S_ISREG(os.fstat(handle).st_mode):  # and no pipe or terminal
        os.fchmod(handle, PRIVATE)
    return handle


@review.command()
@use_case_option
@click.option(
    "--precision",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    help="Which share of a flag's cases shall be right.",
)
@json_option("JSON lines, not sentences.")
@with_store
def thresholds(
    store: Store, settings: Settings, *, use_case: str | None, precision: float, json_: bool
) -> None:
    """Say which threshold each flag would need, by what people decided, and how sure that is."""
    found = open_review_service(store, settings).proposals(use_case, wanted=precision)
    for one in found:
        click.echo(json.dumps(_plain(one)) if json_ else "\n".join(_describe_proposal(one)))
    if not found:
        click.echo("no flag with a figure was decided on yet", err=True)
    elif not json_:
        click.echo("About figures weaker than those seen, verdicts say nothing.", err=True)


@review.command()
@click.option(
    "--older-than-days",
    "before",
    type=FiniteRange(min=0),
    callback=_days_ago,
    help="Instead of review.retention_days.",
)
@click.option(
    "--all-old",
    is_flag=True,
    help="Erase also where that leaves no newer record: the clock of this machine is right.",
)
@with_store
def purge(store: Store, settings: Settings, *, before: float | None, all_old: bool) -> None:
    """Erase old cases, decided or not, and jobs that failed for good.

    Where every record is old by the clock of this machine, which may be wrong, nothing is erased
    and the status is 1, unless --all-old is given.
    """
    retention, now = open_retention(store, settings), time.time()
    if before is None and retention.kept_seconds is None:
        raise SettingsError("review.retention_days is null: give --older-than-days")
    oldest = now - (retention.kept_seconds or 0.0) if before is None else before
    if not all_old and oldest < now - A_MOMENT and all_would_go(store, oldest, now):
        raise Failure(_doubts(oldest, now))
    _tell(retention.purge_before(oldest, by=who()))


def _doubts(oldest: float, now: float) -> str:
    shown = time.strftime("%Y-%m-%d %H:%M", time.gmtime(now))
    return (
        f"nothing is erased: by the clock of this machine ({shown} UTC) every record of the store"
        f" is older than {(now - oldest) / DAY_SECONDS:g} days. If the clock is right, give"
        " --all-old (setting review.retention_days)"
    )


@review.command()
@click.argument("call_id")
@with_store
def erase(store: Store, settings: Settings, call_id: str) -> None:
    """Erase everything about one call, and keep what comes in for it later out."""
    if not call_id:
        raise click.BadParameter("is empty; give the id of a call", param_hint="CALL_ID")
    gone = open_retention(store, settings).erase(call_id, by=who())
    _tell(gone)
    if not gone.records:
        click.echo(
            f"no case or job was about a call {call_id!r:.80}; what comes in for it is left out",
            err=True,
        )


@review.command()
@with_store
@click.option("--host", default=LOCALHOST, help="Where to listen.")
@port_option(REVIEW_PORT)
@click.option(
    "--url",
    "public",
    default="",
    show_default=False,
    help="The public address, if reviewers do not use this machine's own; https is for a proxy"
    " with TLS before this page.",
)
def serve(store: Store, settings: Settings, *, host: str, port: int, public: str) -> None:
    """Serve the review page until stopped.

    For this machine alone unless --host and --url say otherwise. Any number may run on one store.
    While it runs, cases older than review.retention_days are erased, the first time after an hour.
    """
    never_wait_for_readers()
    raise_file_limit()
    with (
        command_outlets(os.environ) as outlets,
        review_page(
            store, settings, host=host, port=port, public=public, span=page_spans(outlets)
        ) as address,
    ):
        click.echo(f"review: {address}")
        threading.Event().wait()


@contextmanager
def review_page(
    store: Store,
    settings: Settings,
    *,
    host: str,
    port: int,
    public: str = "",
    span: PageSpan | None = None,
) -> Iterator[str]:
    """The page and the purging of old cases; its URL. Raises SettingsError, StoreError."""
    try:
        from guard.review_web import ReviewOptions, open_review  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise SettingsError(f"{error.name} is missing: pip install 'evenguard[review]'") from error
    options = ReviewOptions(
        url=public,
        trusted_proxies=tuple(settings.review.trusted_proxies),
        span=span or page_spans(None),
    )
    page = open_review(settings, store=store, host=host, port=port, options=options)
    purge_old = PatientPurge(open_retention(store, settings), by=PURGE_ACTOR)
    with closing(page), purge_periodically(purge_old):
        if not open_accounts(store).users():
            click.echo(f"guard: {NO_ACCOUNTS}", err=True)
        yield options.url or page.url


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return typed


def _shown(item: CaseSummary, now: float) -> str:
    days = (now - item.opened_at) / DAY_SECONDS
    about = " ".join(filter(None, (item.kind, item.attribute)))
    votes = f"{item.votes}/{item.reviewers} votes"
    fields = (item.id, item.use_case, about, ",".join(item.reasons), f"{days:.1f} d", item.state)
    return "\t".join((*fields, item.verdict or votes))


def _plain(proposal: ThresholdProposal) -> dict[str, object]:
    plain = asdict(proposal)
    for name in ("seen", "precision"):
        value = getattr(proposal, name)
        plain[name] = value.reason if isinstance(value, Undefined) else asdict(value)
    return plain


def _describe_proposal(one: ThresholdProposal) -> Iterator[str]:
    yield f"{one.use_case} / {one.reason}: {_share(one.seen)} right from {one.seen_from:g} on"
    if one.threshold is None:
        yield f"  no threshold to propose: {_share(one.precision)}"
    else:
        end = "nowhere sure" if one.high is None else f"sure from {one.high:g} on"
        yield f"  {one.wanted:.0%} right: {one.threshold:g} ({_share(one.precision)}; {end})"
    if one.more_verdicts is None:
        yield "  more verdicts like these would not help"
    elif one.more_verdicts:
        yield f"  about {one.more_verdicts} more verdicts there would make it sure"


def _share(reading: Reading | Undefined) -> str:
    if isinstance(reading, Undefined):
        return reading.reason
    return f"{reading.value:.0%} [{reading.low:.0%}, {reading.high:.0%}] of {reading.n}"


def _tell(gone: ErasureResult) -> None:
    click.echo(f"erased: {gone.records} cases and jobs")
    if not gone.settled:
        click.echo("the server is still writing its files from before: run this again", err=True)
