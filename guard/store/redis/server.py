"""The connection to a Redis server: scripts, commands, and errors that say what to do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.exceptions import NoPermissionError, NoScriptError, RedisError, ResponseError
from redis.retry import Retry

from guard.errors import SettingsError, StoreError
from guard.store.redis.address import Address
from guard.store.redis.failures import is_away, wording
from guard.store.redis.scripts import Script, read_script

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 5.0
IDLE_SECONDS = 15.0
OLDEST_MAJOR_VERSION = 7
VERSION = 2
"""Of what the store keeps and how; see `lua/migrate.lua`."""


class Server:
    """Thread-safe. A command is sent once: what may not be repeated is not, and after a failure
    the next one connects anew.

    bucket_seconds: the width of the buckets in this store, which is kept there the first time.
    """

    def __init__(self, address: Address, bucket_seconds: float) -> None:
        self._address = address
        self._bucket_seconds = bucket_seconds
        self._client = _client(address.url)
        self._scripts: dict[str, Script] = {}
        self._greeted = False
        self._is_shut = False

    def greet_if_there(self) -> None:
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
            return client.execute_command(  # type: ignore[no-untyped-call]
                command, self.key(key), *arguments
            )

    def ask_all(self, asking: Callable[[Pipeline], object]) -> Sequence[Any]:
        """The answers to what `asking` puts into a pipeline, sent together."""
        with self._reaching() as client, client.pipeline(transaction=False) as pipeline:
            asking(pipeline)
            return pipeline.execute()

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

    def key(self, name: str) -> str:
        """The whole key of a name."""
        return f"{self._address.root}:{name}"

    def shut(self) -> None:
        """Let go of all connections."""
        self._is_shut = True
        self._client.close()

    def _script(self, name: str) -> Script:
        if name not in self._scripts:
            self._scripts[name] = read_script(name)
        return self._scripts[name]

    @contextmanager
    def _reaching(self) -> Iterator[Redis]:
        if self._is_shut:
            raise StoreError(f"{self._address.shown} was shut; open another one (store.url)")
        try:
            if not self._greeted:
                self._greet()
            yield self._client
        except RedisError as error:
            raise StoreError(f"{self._address.shown} {wording(error)}") from error

    def _greet(self) -> None:
        with suppress(NoPermissionError):  # a user who may not ask for it can still be served
            self._check_server(self._client.info("server"), self._client.info("memory"))
        self._check_width(repr(float(self._bucket_seconds)))
        with suppress(NoPermissionError):  # who may only read finds what others have migrated
            self._migrate()
        self._greeted = True

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

    def _check_server(self, server: dict[str, Any], memory: dict[str, Any]) -> None:
        version = str(server["redis_version"])
        if int(version.partition(".")[0]) < OLDEST_MAJOR_VERSION:
            raise StoreError(
                f"{self._address.shown} is Redis {version}; store.url needs version"
                f" {OLDEST_MAJOR_VERSION} or newer"
            )
        if int(memory.get("maxmemory", 0)) and memory["maxmemory_policy"].startswith("allkeys"):
            raise StoreError(
                f"{self._address.shown} drops keys when memory is short; set its"
                " maxmemory-policy to noeviction, or change store.url"
            )


def _rewrite_files(client: Redis) -> None:
    if client.info("persistence")["aof_enabled"]:
        client.execute_command("BGREWRITEAOF")  # type: ignore[no-untyped-call]
    if client.config_get("save").get("save"):
        client.execute_command("BGSAVE", "SCHEDULE")  # type: ignore[no-untyped-call]


def _client(url: str) -> Redis:
    return Redis.from_url(
        url,
        decode_responses=True,
        protocol=2,
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=ANSWER_SECONDS,
        socket_keepalive=True,
        health_check_interval=IDLE_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


def _json(arguments: dict[str, object]) -> str:
    return json.dumps(arguments, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
