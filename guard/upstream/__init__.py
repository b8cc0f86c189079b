"""Calls to a language model over HTTP: one pool for shadow calls, assessments and the gateway."""

from guard.upstream.chat import HttpUpstream
from guard.upstream.client import Answer, HttpClient
from guard.upstream.endpoint import Endpoint, Limits
from guard.upstream.faults import AllInUse, Broken, TimedOut, TooLarge

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
