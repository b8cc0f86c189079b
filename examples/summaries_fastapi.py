"""Guard a field of the JSON that a FastAPI application answers; the application stays as it is.

Needs `fastapi`. Runs offline: `summarize` stands for a call to your model. As a server:
`uvicorn --app-dir examples --factory summaries_fastapi:make_app`.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import BaseModel
from scripted import answer

from guard import Guard
from guard.wrap.asgi import GuardASGI, Guarded


class Document(BaseModel):
    text: str


def make_app() -> FastAPI:
    """An application as it was before, with a guard around it."""
    guard = Guard.open()

    @asynccontextmanager
    async def closing(_: FastAPI) -> AsyncIterator[None]:
        with guard:
            yield

    app = FastAPI(lifespan=closing)

    @app.post("/summarize")
    async def summarize(document: Document) -> dict[str, str]:
        return {"summary": answer(document.text), "model": "scripted"}

    paths = {"/summarize": Guarded(field="summary", prompt="text")}
    app.add_middleware(GuardASGI, guard=guard, use_case="summaries", paths=paths)
    return app


def main() -> None:
    with TestClient(make_app()) as client:
        for text in ("The bridge over the river is closed ...", "A letter to a landlord ..."):
            reply = client.post("/summarize", json={"text": text})
            print(f"{text}\n  -> {reply.status_code} {reply.json()}")
            print(f"     x-guard-verdict: {reply.headers['x-guard-verdict']}")


if __name__ == "__main__":
    main()
