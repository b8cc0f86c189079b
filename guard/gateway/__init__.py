"""The OpenAI-compatible gateway: an ASGI application in front of language models."""
