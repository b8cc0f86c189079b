"""Small records by name: facts, accounts and cursors. A store only has to read and swap texts."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from enum import StrEnum

from guard.errors import StoreError
from guard.records import Account, ReviewCursor
from guard.store.common import MOST_ATTEMPTS


class RecordTable(StrEnum):
    """Which records: the name of their table or hash."""

    FACTS = "facts"
    ACCOUNTS = "accounts"
    CURSORS = "cursors"


class NamedRecords(ABC):
    """The methods of `ports.FactStore`, `ports.Accounts` and `ports.Cursors`."""

    @abstractmethod
    def _texts(self, place: RecordTable) -> Mapping[str, str]:
        """All texts of a place by name."""

    @abstractmethod
    def _text(self, place: RecordTable, name: str) -> str | None:
        """One text; None where there is none."""

    @abstractmethod
    def _swap(self, place: RecordTable, name: str, expected: str | None, new: str | None) -> bool:
        """Keep `new` if `expected` is what is there now; whether it was. None: no text."""

    def fact(self, name: str) -> str | None:
        return self._text(RecordTable.FACTS, name)

    def update_fact(self, name: str, change: Callable[[str | None], str]) -> str:
        return self._update(RecordTable.FACTS, name, change) or ""

    def accounts(self) -> Sequence[Account]:
        found = self._texts(RecordTable.ACCOUNTS)
        return [_account(name, found[name]) for name in sorted(found)]

    def account(self, name: str) -> Account | None:
        known = self._text(RecordTable.ACCOUNTS, name)
        return None if known is None else _account(name, known)

    def add_account(self, account: Account) -> bool:
        account.name.encode()
        return self._swap(RecordTable.ACCOUNTS, account.name, None, _to_text(account))

    def update_account(self, name: str, change: Callable[[Account], Account]) -> Account | None:
        def changed(known: str | None) -> str | None:
            return None if known is None else _to_text(change(_account(name, known)))

        text = self._update(RecordTable.ACCOUNTS, name, changed)
        return None if text is None else _account(name, text)

    def remove_account(self, name: str) -> bool:
        there = False

        def removed(known: str | None) -> None:
            nonlocal there
            there = known is not None

        self._update(RecordTable.ACCOUNTS, name, removed)
        return there

    def cursor(self, reviewer: str) -> ReviewCursor:
        return _cursor(reviewer, self._text(RecordTable.CURSORS, reviewer))

    def update_cursor(
        self, reviewer: str, change: Callable[[ReviewCursor], ReviewCursor]
    ) -> ReviewCursor:
        text = self._update(
            RecordTable.CURSORS, reviewer, lambda known: _to_text(change(_cursor(reviewer, known)))
        )
        return _cursor(reviewer, text)

    def _update(
        self, place: RecordTable, name: str, change: Callable[[str | None], str | None]
    ) -> str | None:
        for _ in range(MOST_ATTEMPTS):
            known = self._text(place, name)
            new = change(known)
            (name + (new or "")).encode()  # a lone surrogate can be kept nowhere
            if new == known or self._swap(place, name, known, new):
                return new
        raise StoreError(
            f"{place}: {name!r:.80} was changed by others {MOST_ATTEMPTS} times while it was to be"
            " changed here; try again (setting store.url)"
        )


def _account(name: str, text: str) -> Account:
    return Account(name=name, **json.loads(text))


def _cursor(reviewer: str, text: str | None) -> ReviewCursor:
    """Lists come back as tuples; what a later version may have added is left out."""
    found = json.loads(text or "{}")
    known = {each.name: found[each.name] for each in fields(ReviewCursor) if each.name in found}
    lists = {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
    return ReviewCursor(**{**known, **lists, "reviewer": reviewer})


def _to_text(record: Account | ReviewCursor) -> str:
    """All but the name, which stands beside it."""
    name, *_ = values = asdict(record)
    del values[name]
    return json.dumps(values, sort_keys=True)
