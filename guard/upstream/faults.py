"""How a request can come to nothing after it may have reached the model."""

from __future__ import annotations

from guard.errors import UpstreamBusy, UpstreamError


class AllInUse(UpstreamBusy):
    """Nothing was sent: all connections that there may be are in use."""


class TimedOut(UpstreamError):  # noqa: N818 - named for what happened
    """It was sent, and the answer did not come in time."""


class Broken(UpstreamError):  # noqa: N818 - named for what happened
    """The connection broke, or what came was no HTTP."""


class TooLarge(UpstreamError):  # noqa: N818 - named for what happened
    """The answer is larger than allowed; the rest of it was not read."""
