"""Clients of the official `openai` package whose replies are judged before they are returned."""

from guard.wrap.openai_client.client import guarded_client as guarded_client
