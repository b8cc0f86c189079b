"""Calls to a language model over HTTP: one pool for shadow calls, assessments and the gateway."""

from guard.upstream.chat import HttpUpstream
from guard.upstream.client import Answer, Endpoint, HttpClient, Limits

__all__ = [
    "Answer",
    "Endpoint",
    "HttpClient",
    "HttpUpstream",
    "Limits",
]
