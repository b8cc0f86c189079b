"""LiteLLM's Generic Guardrail API: its proxy asks here what may become of a reply."""

from guard.gateway.litellm.judging import Guardrail as Guardrail
from guard.gateway.litellm.messages import GuardrailRequest as GuardrailRequest
from guard.gateway.litellm.messages import read_request as read_request
from guard.gateway.litellm.stream_records import StreamRecords as StreamRecords
