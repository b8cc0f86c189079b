"""A gateway in front of an upstream of our own, which all tests share that ask for one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.gateway_cases import Pair, started
from tests.repeats import SOAK
from tests.servers_gateway import Gateway
from tests.servers_openai import Upstream

collect_ignore = [] if SOAK else ["test_demo_bias.py", "test_image_steps.py"]
"""What has a long form only: `make soak`."""


@pytest.fixture(scope="session")
def upstream() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture(scope="session")
def gateway(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with started(tmp_path_factory.mktemp("gateway"), upstream) as running:
        yield running


@pytest.fixture(scope="session")
def pair(upstream: Upstream, gateway: Gateway) -> Pair:
    return Pair(upstream=upstream, gateway=gateway)
