"""Which path means what, and that nothing else is reachable."""

from __future__ import annotations

import pytest

from guard.gateway.errors import RefusedRequest
from guard.gateway.request import Operation
from guard.gateway.routes import GatewayRoute, Router

READS = ("/models", "/models/{model}")


@pytest.fixture
def router() -> Router:
    return Router(READS)


def refused(router: Router, method: str, path: str) -> RefusedRequest:
    with pytest.raises(RefusedRequest) as raised:
        router.find(method, path)
    return raised.value


@pytest.mark.parametrize("operation", Operation)
def test_operations_are_found_with_and_without_a_use_case(
    router: Router, operation: Operation
) -> None:
    assert router.find("POST", f"/v1{operation}") == GatewayRoute(
        use_case=None, operation=operation
    )
    assert router.find("POST", f"/chat/v1{operation}") == GatewayRoute(
        use_case="chat", operation=operation
    )


def test_litellm_may_be_given_any_address_of_ours(router: Router) -> None:
    for path, use_case in (("", None), ("/chat", "chat"), ("/support%2Dchat", "support-chat")):
        found = router.find("POST", f"{path}/beta/litellm_basic_guardrail_api")
        assert found == GatewayRoute(use_case=use_case, operation=None, is_guardrail=True)


def test_a_use_case_may_be_written_encoded(router: Router) -> None:
    assert router.find("POST", "/support%2Dchat/v1/completions").use_case == "support-chat"


@pytest.mark.parametrize("path", ["/v1/models", "/chat/v1/models/gpt-4.1", "/v1/models/a%2Fb"])
def test_reads_are_found(router: Router, path: str) -> None:
    wanted = router.find("GET", path)
    assert wanted.operation is None
    assert path.endswith(wanted.path)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/chat/completions", 405, "method_not_allowed"),
        ("GET", "/beta/litellm_basic_guardrail_api", 405, "method_not_allowed"),
        ("POST", "/beta/litellm_basic_guardrail_api/", 404, "unknown_url"),
        ("POST", "/a/b/beta/litellm_basic_guardrail_api", 404, "unknown_url"),
        ("DELETE", "/v1/models/mine", 405, "method_not_allowed"),
        ("OPTIONS", "/v1/responses", 405, "method_not_allowed"),
        ("POST", "/v1/embeddings", 403, "not_passed_on"),
        ("GET", "/v1/responses/resp_1", 403, "not_passed_on"),
        ("GET", "/v1/chat/completions/chatcmpl-1", 403, "not_passed_on"),
        ("POST", "/v1/responses/resp_1/cancel", 403, "not_passed_on"),
        ("GET", "/v1/files/f/content", 403, "not_passed_on"),
        ("POST", "/chat/v1/threads", 403, "not_passed_on"),
        ("POST", "/v1/chat/completions/", 403, "not_passed_on"),
        ("POST", "/V1/chat/completions", 404, "unknown_url"),
        ("POST", "//v1/chat/completions", 404, "unknown_url"),
        ("POST", "/a/b/v1/chat/completions", 404, "unknown_url"),
        ("POST", "/chat/completions", 404, "unknown_url"),
        ("GET", "/", 404, "unknown_url"),
        ("GET", "/v1/", 404, "unknown_url"),
        ("GET", "/v1/admin", 404, "unknown_url"),
        ("GET", "/v1/models/..", 404, "unknown_url"),
        ("GET", "/v1/models/%2e%2e", 404, "unknown_url"),
        ("GET", "/v1/models/..%2Ffiles", 404, "unknown_url"),
        ("GET", "/v1/models/a%5C..%5Cfiles", 404, "unknown_url"),
        ("GET", "/v1/models/%0d%0ahost:evil", 404, "unknown_url"),
        ("GET", "/v1/models/a/permissions", 404, "unknown_url"),
        ("GET", "/v1/" + "a" * 2000, 404, "unknown_url"),
    ],
)
def test_everything_else_is_refused(
    router: Router, method: str, path: str, status: int, code: str
) -> None:
    refusal = refused(router, method, path)
    assert (refusal.status, refusal.code) == (status, code)
    assert ("allow" in dict(refusal.headers)) == (status == 405)


def test_what_would_be_read_differently_is_written_anew(router: Router) -> None:
    assert router.find("GET", "/v1/models/a%3fb%23").path == "/models/a%3Fb%23"
    assert router.find("GET", "/v1/models/ft:gpt").path == "/models/ft%3Agpt"


def test_without_reads_nothing_is_read() -> None:
    assert refused(Router(()), "GET", "/v1/models").status == 404
