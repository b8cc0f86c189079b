"""Calls to a language model over HTTP: one pool for shadow calls, assessments and the gateway."""

from guard.errors import AllInUse, Broken, TimedOut, TooLarge
from guard.upstream.chat import HttpUpstream
from guard.upstream.client import Answer, HttpClient
from guard.upstream.endpoint import Endpoint, Limits

__all__ = [
    "AllInUse",
    "Answer",
    "Broken",
    "Endpoint",
    "HttpClient",
    "HttpUpstream",
    "Limits",
    "TimedOut",
    "TooLarge",
]
