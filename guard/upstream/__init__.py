"""Calls to a language model over HTTP: one pool for shadow calls, assessments and the gateway."""

from guard.upstream.chat import HttpUpstream as HttpUpstream
from guard.upstream.client import Answer as Answer
from guard.upstream.client import Endpoint as Endpoint
from guard.upstream.client import HttpClient as HttpClient
from guard.upstream.client import Limits as Limits
