from __future__ import annotations

import pytest

from tests.unit.review.made import pair, response
from tests.unit.review_web.visiting import Site, site_of


@pytest.fixture
def site() -> Site:
    """With a pair and a response to judge."""
    made = site_of()
    made.store.open(pair())
    made.store.open(response())
    return made
