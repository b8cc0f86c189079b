"""The review page: cases in a browser, for people who sign in. Server-rendered, no network."""

from guard.reviewer.app import review_app
from guard.reviewer.options import ReviewOptions
from guard.reviewer.server import ReviewServer, serve_review

__all__ = ["ReviewOptions", "ReviewServer", "review_app", "serve_review"]
