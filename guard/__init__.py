"""evenguard: a guard around live LLM calls that measures fairness while it guards."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guard.bootstrap.assess import assess as assess
    from guard.errors import Blocked as Blocked
    from guard.errors import GuardError as GuardError
    from guard.errors import ModelError as ModelError
    from guard.errors import SettingsError as SettingsError
    from guard.errors import UnknownUseCase as UnknownUseCase
    from guard.records import Assessment as Assessment
    from guard.records import Outcome as Outcome
    from guard.wrap.facade import Guard as Guard

__version__ = "0.1.0"

_HOMES = {
    "Assessment": "guard.records",
    "Blocked": "guard.errors",
    "Guard": "guard.wrap.facade",
    "GuardError": "guard.errors",
    "ModelError": "guard.errors",
    "Outcome": "guard.records",
    "SettingsError": "guard.errors",
    "UnknownUseCase": "guard.errors",
    "assess": "guard.bootstrap.assess",
}

__all__ = [
    "Assessment",
    "Blocked",
    "Guard",
    "GuardError",
    "ModelError",
    "Outcome",
    "SettingsError",
    "UnknownUseCase",
    "__version__",
    "assess",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'guard' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
