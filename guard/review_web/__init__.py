"""The review page: cases in a browser, for people who sign in. Rendered on the server.

`open_review("guard.yaml")` serves it beside an application; `review_of(store, settings)` is the
ASGI application alone.
"""

from guard.review_web.app import review_app
from guard.review_web.options import ReviewOptions
from guard.review_web.server import ReviewPage, open_review, review_of, serve_review

__all__ = [
    "ReviewOptions",
    "ReviewPage",
    "open_review",
    "review_app",
    "review_of",
    "serve_review",
]
