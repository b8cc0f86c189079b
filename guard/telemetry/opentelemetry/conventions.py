"""Every name that spans and events use, once.

Those that begin with `gen_ai.` are of the OpenTelemetry semantic conventions for GenAI in the
version below, whose status is "development": a later version may change them. `server.*`,
`http.*` and `error.type` are stable. What begins with `guard.` is ours.
Source: https://github.com/open-telemetry/semantic-conventions-genai.
"""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
STATUS: Final = "development"
SCOPE: Final = "evenguard"
"""The instrumentation scope of all spans and events."""
SCOPE_ATTRIBUTES: Final = {
    "guard.conventions.version": VERSION,
    "guard.conventions.status": STATUS,
}

OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
REQUEST_STREAM: Final = "gen_ai.request.stream"
CHOICE_COUNT: Final = "gen_ai.request.choice.count"
CONVERSATION: Final = "gen_ai.conversation.id"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
SERVER_ADDRESS: Final = "server.address"
SERVER_PORT: Final = "server.port"
HTTP_METHOD: Final = "http.request.method"
HTTP_ROUTE: Final = "http.route"
HTTP_STATUS: Final = "http.response.status_code"
ERROR_TYPE: Final = "error.type"

EVALUATION_EVENT: Final = "gen_ai.evaluation.result"
EVALUATION_NAME: Final = "gen_ai.evaluation.name"
EVALUATION_VALUE: Final = "gen_ai.evaluation.score.value"
EVALUATION_LABEL: Final = "gen_ai.evaluation.score.label"
EVALUATION_EXPLANATION: Final = "gen_ai.evaluation.explanation"
DETAILS_EVENT: Final = "gen_ai.client.inference.operation.details"

CAPTURE_VARIABLE: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

CALL_ID: Final = "guard.call.id"
USE_CASE: Final = "guard.use_case"
VERDICT: Final = "guard.verdict"
ACTION: Final = "guard.action"
OBSERVED_ONLY: Final = "guard.observed_only"
FIRED: Final = "guard.fired"
COVERAGE: Final = "guard.coverage"
"""all, part or none of the reply has scores."""
UNSCORED: Final = "guard.unscored"
UNREAD: Final = "guard.unread"
ADDED_SECONDS: Final = "guard.added_seconds"
ATTEMPTS: Final = "guard.attempts"
SECOND_LOOK: Final = "guard.second_look"
TEXT_KIND: Final = "guard.text_kind"
EVALUATOR: Final = "guard.evaluator"
EVALUATOR_VERSION: Final = "guard.evaluator.version"
THRESHOLD: Final = "guard.threshold"
SHADOW: Final = "guard.shadow"
SHADOW_ENDING: Final = "guard.shadow.ending"
PAIR_NAME: Final = "counterfactual_pair"
PAIR_ATTRIBUTE: Final = "guard.pair.attribute"
PAIR_GROUPS: Final = "guard.pair.groups"
PAIR_SOURCE: Final = "guard.pair.source"
PAIR_FLAGS: Final = "guard.pair.flags"
PAIR_DIFFERENCE: Final = "guard.pair.difference."
"""Begins the name of a difference; the live metric follows."""

BELOW: Final = "pass"
REACHED: Final = "fail"
"""Labels of an evaluation: whether its score reaches the threshold."""
UNKNOWN_PROVIDER: Final = "unknown"
OPENAI: Final = "openai"
PROVIDERS: Final = {
    "api.anthropic.com": "anthropic",
    "api.cohere.ai": "cohere",
    "api.cohere.com": "cohere",
    "api.deepseek.com": "deepseek",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral_ai",
    "api.moonshot.ai": "moonshot_ai",
    "api.openai.com": OPENAI,
    "api.perplexity.ai": "perplexity",
    "api.x.ai": "x_ai",
    "generativelanguage.googleapis.com": "gcp.gemini",
}
"""By the address of a server, as the conventions name who runs it."""
PROVIDERS_BY_ENDING: Final = {
    ".aiplatform.googleapis.com": "gcp.vertex_ai",
    "-aiplatform.googleapis.com": "gcp.vertex_ai",
    ".amazonaws.com": "aws.bedrock",
    ".ml.cloud.ibm.com": "ibm.watsonx.ai",
    ".openai.azure.com": "azure.ai.openai",
    ".services.ai.azure.com": "azure.ai.inference",
}
