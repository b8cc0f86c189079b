"""The review page: cases in a browser, for people who sign in. Server-rendered, no network.

`open_review("guard.yaml")` serves it beside an application; `review_of(store, settings)` is the
ASGI application alone.
"""

from guard.reviewer.app import review_app
from guard.reviewer.opening import ReviewPage, open_review, review_of
from guard.reviewer.options import ReviewOptions
from guard.reviewer.server import ReviewServer, serve_review

__all__ = [
    "ReviewOptions",
    "ReviewPage",
    "ReviewServer",
    "open_review",
    "review_app",
    "review_of",
    "serve_review",
]
