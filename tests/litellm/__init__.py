"""The real proxy of LiteLLM in front of a scripted model, with our guardrail: `make test-litellm`.

The proxy runs in an environment of its own, `.venv-litellm`, which `scripts/environment.sh litellm`
makes.
"""
