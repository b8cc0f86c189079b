"""Guards the answers of an ASGI application: FastAPI, Starlette, or any other."""

from guard.wrap.asgi.middleware import GuardASGI
from guard.wrap.asgi.request import Guarded

__all__ = ["GuardASGI", "Guarded"]
