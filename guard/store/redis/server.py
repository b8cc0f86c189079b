"""The connection to a Redis server: scripts, commands, and errors that say what to do."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from threading import Timer
from typing import Any

from redis import Redis, exceptions
from redis.backoff import NoBackoff
from redis.exceptions import NoPermissionError, NoScriptError, RedisError, ResponseError
from redis.retry import Retry

from guard.errors import SettingsError, StoreContentError, StoreError
from guard.ports import Clock
from guard.store.common import REMEMBERED_SECONDS, StoreBase, StoreOptions
from guard.store.log_lines import RepeatedLine
from guard.store.redis import Address
from guard.store.redis.scripts import LuaScript, read_script

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 5.0
IDLE_SECONDS = 15.0
WHOLE_ANSWER_SECONDS = 30.0
"""How long an answer may keep coming. `ANSWER_SECONDS` is how long nothing may come."""
MEMORY_SECONDS = 60.0
"""How often a server is asked whether it may drop keys."""
OLDEST_MAJOR_VERSION = 7
VERSION = 2
"""Of what the store keeps and how; see `lua/migrate.lua`."""
REMEMBERED_KEYS = 1_000_000
"""How many keys of ended jobs are remembered at most; the oldest go first."""

REMEDIES: tuple[tuple[type[Exception], str], ...] = (
    (exceptions.AuthenticationError, "refuses the user or password; correct store.url"),
    (exceptions.NoPermissionError, "does not allow this user what is needed; see store.url"),
    (exceptions.BusyLoadingError, "is still loading its data; it comes back by itself (store.url)"),
    (exceptions.ReadOnlyError, "is a read-only replica; name the primary in store.url"),
    (exceptions.OutOfMemoryError, "is out of memory; raise its maxmemory, or change store.url"),
    (exceptions.TimeoutError, "does not answer in time (store.url)"),
    (exceptions.ConnectionError, "cannot be reached; start it, or change store.url"),
)
AWAY = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
)
NO_LONGER_PRIMARY = (exceptions.ReadOnlyError, exceptions.MasterDownError)
WAITING = ("BUSY ", "NOREPLICAS ")
"""How other answers begin that come while servers change places, or run something long."""

OTHER_TYPE = "holds something of another type"
_IS_ABOUT_TLS = re.compile(r"\[SSL|certificate|SSL|TLS|No such file", re.IGNORECASE)

_log = logging.getLogger(__name__)


def describe_error(error: Exception) -> str:
    """What the server at `store.url` does, and the remedy."""
    if str(error).startswith("NOAUTH"):
        return REMEDIES[0][1]
    if _IS_ABOUT_TLS.search(str(error)):
        return f"cannot be reached over TLS; see ssl_ca_certs and others in store.url: {error}"
    for kind, words in REMEDIES:
        if isinstance(error, kind):
            return words
    if isinstance(error, RecursionError):
        return "answers what Redis does not: lists in lists without end; correct store.url"
    if is_away(error):
        return f"cannot answer at this moment; it comes back by itself (store.url): {error}"
    if "WRONGTYPE" in str(error):
        return f"holds what evenguard did not write: {error}; delete that, or change store.url"
    return f"refuses a command (store.url): {error}"


def is_away(error: BaseException | None) -> bool:
    """Whether waiting may help."""
    if isinstance(error, exceptions.AuthenticationError):
        return False
    return isinstance(error, AWAY) or str(error).startswith(WAITING)


class RedisClient:
    """Thread-safe. A command is sent once: what may not be repeated is not, and after a failure
    the next one connects anew.

    bucket_seconds: the width of the buckets in this store, which is kept there the first time.
    clock: seconds that only go forward. answer_seconds: within which a command, or some that belong
    together, have their whole answer.
    """

    def __init__(
        self,
        address: Address,
        bucket_seconds: float,
        clock: Clock = time.monotonic,
        answer_seconds: float = WHOLE_ANSWER_SECONDS,
    ) -> None:
        self._address = address
        self._bucket_seconds = bucket_seconds
        self._client = _client(address.url)
        self._scripts: dict[str, LuaScript] = {}
        self._clock = clock
        self._answer_seconds = answer_seconds
        self._memory_checked_at = -inf
        self._checked = False
        self._cut_off = 0
        self._is_shut = False

    def check_if_reachable(self) -> None:
        """Look whether this server can be used; one that is away is looked at when it is back.

        Raises SettingsError for another width of buckets, StoreError.
        """
        try:
            with self._reaching():
                pass
        except StoreError as error:
            if not is_away(error.__cause__):
                raise

    def run(self, name: str, /, **arguments: object) -> Any:
        """The answer of a script; arguments that are None are left out."""
        text = _json({key: value for key, value in arguments.items() if value is not None})
        script = self._script(name)
        with self._reaching() as client:
            try:
                return client.evalsha(script.sha, 1, self._address.root, text)
            except NoScriptError:  # the first time, and after a restart of the server
                return client.eval(script.text, 1, self._address.root, text)

    def ask(self, command: str, key: str, *arguments: str | int) -> Any:
        """The answer to one command that only reads."""
        with self._reaching() as client:
            try:
                return client.execute_command(  # type: ignore[no-untyped-call]
                    command, self.key(key), *arguments
                )
            except ResponseError as error:
                if _is_about_type(error):
                    raise self.wrong_key(key, OTHER_TYPE) from error
                raise

    def read_hashes(self, names: Iterable[str]) -> list[dict[str, str] | None]:
        """Whole hashes, asked for together; {} for one that is not there, None for what is no
        hash."""
        with self._reaching() as client, client.pipeline(transaction=False) as pipeline:
            for name in names:
                pipeline.hgetall(self.key(name))
            answers = pipeline.execute(raise_on_error=False)
            for answer in answers:
                if isinstance(answer, Exception) and not _is_about_type(answer):
                    raise answer
        return [None if isinstance(answer, Exception) else answer for answer in answers]

    def wrong_key(self, name: str, what: str) -> StoreContentError:
        """The error where the key of this name holds something else. what: after its name."""
        return StoreContentError(self.describe_wrong(f"the key {self.key(name)} {what}"))

    def describe_wrong(self, what: str) -> str:
        """What the server holds, and the remedy."""
        return (
            f"{self._address.shown} holds what evenguard did not write: {what}; delete that, or"
            " change store.url"
        )

    def rewrite_files(self) -> bool:
        """Begin to write the append-only file, and where there are snapshots one of those, anew.

        False when that is under way since before. Raises StoreError when it is not allowed.
        """
        with self._reaching() as client:
            try:
                _rewrite_files(client)
            except ResponseError as error:
                if "in progress" in str(error):
                    return False
                raise StoreError(
                    f"{self._address.shown}: the texts are deleted, but stay in the server's files"
                    f" until they are written anew (BGREWRITEAOF, BGSAVE): {error} (store.url)"
                ) from error
        return True

    @property
    def shown(self) -> str:
        """The address without its password."""
        return self._address.shown

    def key(self, name: str) -> str:
        """The whole key of a name."""
        return f"{self._address.root}:{name}"

    def shut(self) -> None:
        """Let go of all connections."""
        self._is_shut = True
        self._client.close()

    def _script(self, name: str) -> LuaScript:
        if name not in self._scripts:
            self._scripts[name] = read_script(name)
        return self._scripts[name]

    @contextmanager
    def _reaching(self) -> Iterator[Redis]:
        if self._is_shut:
            raise self._shut_error()
        cut_off_before = self._cut_off
        try:
            with self._limiting():
                self._check_if_due()
                yield self._client
        except Exception as error:
            if self._is_shut:  # a connection that is closed in the middle raises all sorts
                raise self._shut_error() from error
            if isinstance(error, NO_LONGER_PRIMARY):  # the address may lead to another one by now
                self._client.connection_pool.disconnect(inuse_connections=False)
            if self._cut_off > cut_off_before:
                raise StoreError(
                    f"{self._address.shown} is cut off: it was answering without an end, to this"
                    f" command or one beside it, for {self._answer_seconds:g} s (store.url)"
                ) from exceptions.TimeoutError()
            if isinstance(error, (RedisError, OSError, RecursionError)):
                kind = StoreContentError if "WRONGTYPE" in str(error) else StoreError
                raise kind(f"{self._address.shown} {describe_error(error)}") from error
            raise

    @contextmanager
    def _limiting(self) -> Iterator[None]:
        """Close the connections in use once the time is over, so that whoever reads stops. Where no
        thread can be had (a limit of the system, the end of the process), there is no limit."""
        timer = Timer(self._answer_seconds, self._cut)
        timer.daemon = True
        with suppress(RuntimeError):
            timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _cut(self) -> None:
        self._cut_off += 1
        self._client.connection_pool.disconnect(inuse_connections=True)

    def _check_if_due(self) -> None:
        try:
            if self._clock() - self._memory_checked_at >= MEMORY_SECONDS:
                self._check_memory()
            if not self._checked:
                self._check()
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise StoreError(
                f"{self._address.shown} answers what Redis does not: {error!r}; correct store.url"
            ) from error

    def _shut_error(self) -> StoreError:
        return StoreError(f"{self._address.shown} was shut; open another one (store.url)")

    def _check(self) -> None:
        with suppress(NoPermissionError):  # a user who may not ask for it can still be served
            self._check_server(self._client.info("server"))
        self._check_width(repr(float(self._bucket_seconds)))
        with suppress(NoPermissionError):  # who may only read finds what others have migrated
            self._migrate()
        self._checked = True

    def _migrate(self) -> None:
        """Bring what an older version has kept, also since the last time, to its present place."""
        settings = self.key("settings")
        version = self._client.hget(settings, "version")
        if int(version or 1) > VERSION:
            raise StoreError(
                f"{self._address.shown} holds a store of version {version!s}, made by a later"
                f" evenguard; this one knows versions up to {VERSION}: upgrade it, or name another"
                " store with ?prefix= (store.url)"
            )
        if version is None or self._client.hexists(self.key("facts"), "users"):
            self._client.hsetnx(settings, "version", "1")  # refused at once to who may only read
            self._client.eval(
                self._script("migrate").text, 1, self._address.root, _json({"version": VERSION})
            )

    def _check_width(self, width: str) -> None:
        settings = self.key("settings")
        kept = self._client.hget(settings, "bucket_seconds")
        if kept is None:
            self._client.hsetnx(settings, "bucket_seconds", width)
            kept = self._client.hget(settings, "bucket_seconds")
        if kept != width:
            raise SettingsError(
                f"store.bucket_seconds: {self._address.shown} has buckets of {kept!s} seconds, not"
                f" {width}; ?prefix= in store.url names another store"
            )

    def _check_server(self, server: dict[str, Any]) -> None:
        if server.get("redis_mode") == "sentinel":
            raise StoreError(
                f"{self._address.shown} is a Sentinel, which keeps nothing; name the primary, or"
                " an address that follows it, in store.url"
            )
        version = str(server["redis_version"])
        if int(version.partition(".")[0]) < OLDEST_MAJOR_VERSION:
            raise StoreError(
                f"{self._address.shown} is Redis {version}; store.url needs version"
                f" {OLDEST_MAJOR_VERSION} or newer"
            )

    def _check_memory(self) -> None:
        """Now and then: it may be set while the server runs."""
        memory: dict[str, Any] = {}
        with suppress(NoPermissionError):
            memory = self._client.info("memory")
        if int(memory.get("maxmemory", 0)) and memory["maxmemory_policy"].startswith("allkeys"):
            raise StoreError(
                f"{self._address.shown} drops keys when memory is short; set its"
                " maxmemory-policy to noeviction, or change store.url"
            )
        self._memory_checked_at = self._clock()


def _is_about_type(error: Exception) -> bool:
    return str(error).startswith("WRONGTYPE")


def _rewrite_files(client: Redis) -> None:
    if client.info("persistence")["aof_enabled"]:
        client.execute_command("BGREWRITEAOF")  # type: ignore[no-untyped-call]
    if client.config_get("save").get("save"):
        client.execute_command("BGSAVE", "SCHEDULE")  # type: ignore[no-untyped-call]


def _client(url: str) -> Redis:
    return Redis.from_url(
        url,
        decode_responses=True,
        encoding_errors="backslashreplace",  # who reads a value says that it is wrong
        protocol=2,
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=ANSWER_SECONDS,
        socket_keepalive=True,
        health_check_interval=IDLE_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


def _json(arguments: dict[str, object]) -> str:
    return json.dumps(arguments, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class RedisBase(StoreBase):
    """What all parts of a store in Redis share."""

    def __init__(self, server: RedisClient, options: StoreOptions) -> None:
        super().__init__(options)
        self._server = server
        self._left_out = RepeatedLine(_log, options.clock)

    def shut(self) -> None:
        self._server.shut()

    def _run(self, script: str, /, **arguments: object) -> Any:
        return self._server.run(script, now=self._options.clock(), **arguments)

    def _is_done(self, answer: object) -> bool:
        """Whether a script did what it was asked for; what it left out is logged and counted.

        Raises StoreError for what is no answer of a script: nothing is known to be kept then.
        """
        match answer:
            case [done, list(left_out)]:
                pass
            case _:
                raise StoreError(
                    f"{self._server.shown} answers what Redis does not: {str(answer)[:80]!r};"
                    " correct store.url"
                )
        for what in left_out:
            self._leave_out(what)
        return bool(done)

    def _leave_out(self, what: object) -> None:
        self.left_out += 1
        self._left_out.error("%s: a record is left out: %s", self._server.shown, what)

    def _run_on_jobs(self, script: str, /, **arguments: object) -> Any:
        kept = {"remember_seconds": REMEMBERED_SECONDS, "remember_keys": REMEMBERED_KEYS}
        return self._run(script, max_jobs=self._options.max_jobs, **kept, **arguments)
