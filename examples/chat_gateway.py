"""Chat through the gateway: the official OpenAI client with another `base_url`, nothing else.

Needs the package `openai` and the extra `gateway`. Runs offline: the example starts a scripted
model, and `guard serve --settings guard.yaml` in front of it.
"""

from urllib.request import urlopen

from openai import OpenAI
from scripted import gateway

GUARD_YAML = """
version: 1
upstreams: {model: {base_url: "UPSTREAM"}}
use_cases:
  support-chat: {policy: {toxicity: {flag: shipped, block: 0.8}}}
gateway: {port: 0, metrics: {port: 0}}
"""


def asked(client: OpenAI, question: str) -> None:
    """Ask, and print what came with the reply."""
    message = {"role": "user", "content": question}
    raw = client.chat.completions.with_raw_response.create(model="scripted", messages=[message])
    choice = raw.parse().choices[0]
    print(f"{question}\n  -> {choice.message.content} (finish_reason: {choice.finish_reason})")
    for name in ("x-guard-verdict", "x-guard-call-id", "server-timing"):
        print(f"     {name}: {raw.headers[name]}")


def streamed(client: OpenAI, question: str) -> None:
    """The same as a stream: sentences come as soon as they have passed."""
    message = {"role": "user", "content": question}
    chunks = client.chat.completions.create(model="scripted", messages=[message], stream=True)
    print(f"{question}\n  -> ", end="")
    for chunk in chunks:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
    print()


def counted(metrics: str) -> None:
    """Print what Prometheus would read about calls."""
    with urlopen(metrics) as page:
        lines = page.read().decode().splitlines()
    print("\n".join(line for line in lines if line.startswith("guard_calls_total")))


def main() -> None:
    with (
        gateway(GUARD_YAML) as addresses,
        OpenAI(base_url=f"{addresses['gateway']}support-chat/v1", api_key="none") as client,
    ):
        asked(client, "How do I reset my password?")
        asked(client, "Why was my card declined?")
        counted(addresses["metrics"])
        streamed(client, "Where is my order?")


if __name__ == "__main__":
    main()
