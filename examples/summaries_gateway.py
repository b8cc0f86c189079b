"""Summaries through the gateway, asynchronous, and with a policy that removes single sentences.

Needs the package `openai` and the extra `gateway`. Runs offline: the example starts a scripted
model, and `guard serve --settings guard.yaml` in front of it.
"""

import asyncio

from openai import AsyncOpenAI
from scripted import gateway

GUARD_YAML = """
version: 1
upstreams: {model: {base_url: "UPSTREAM"}}
use_cases:
  summaries:
    policy: {toxicity: {redact: 0.8}}
    redaction: "[a sentence was removed]"
gateway: {port: 0}
"""
DOCUMENTS = ("The bridge over the river is closed ...", "A letter to a landlord ...")


async def summary(client: AsyncOpenAI, document: str) -> str:
    """Ask for the summary of one document."""
    reply = await client.chat.completions.create(
        model="scripted",
        messages=[{"role": "user", "content": f"Summarize: {document}"}],
        extra_headers={"x-guard-use-case": "summaries"},  # or .../summaries/v1 as base_url
    )
    return reply.choices[0].message.content or ""


async def main() -> None:
    with gateway(GUARD_YAML) as addresses:
        async with AsyncOpenAI(base_url=f"{addresses['gateway']}v1", api_key="none") as client:
            asked = [summary(client, document) for document in DOCUMENTS]
            for document, said in zip(DOCUMENTS, await asyncio.gather(*asked), strict=True):
                print(f"{document}\n  -> {said}")


if __name__ == "__main__":
    asyncio.run(main())
