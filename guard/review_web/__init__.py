"""The review page: cases in a browser, for people who sign in. Rendered on the server.

`open_review("guard.yaml")` serves it beside an application; `review_of(store, settings)` is the
ASGI application alone.
"""

from guard.review_web.app import review_app as review_app
from guard.review_web.options import ReviewOptions as ReviewOptions
from guard.review_web.server import ReviewPage as ReviewPage
from guard.review_web.server import open_review as open_review
from guard.review_web.server import review_of as review_of
