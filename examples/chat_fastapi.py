"""Guard the events that a FastAPI application streams: what follows a bad sentence never leaves.

Needs `fastapi`. Runs offline: `words` stands for a streaming call to your model. As a server:
`uvicorn --app-dir examples --factory chat_fastapi:make_app`, then
`curl -N "http://127.0.0.1:8000/chat?question=Where+is+my+order"`.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from fastapi.testclient import TestClient
from scripted import answer

from guard import Guard
from guard.wrap.asgi import GuardASGI


async def words(question: str) -> AsyncIterator[str]:
    """Ask the model; yields the reply word by word, as events."""
    for word in answer(question).split(" "):
        await asyncio.sleep(0)
        yield f"data: {json.dumps({'delta': word + ' '})}\n\n"


def make_app() -> FastAPI:
    """An application as it was before, with a guard around it."""
    guard = Guard.open()

    @asynccontextmanager
    async def closing(_: FastAPI) -> AsyncIterator[None]:
        with guard:
            yield

    app = FastAPI(lifespan=closing)

    @app.get("/chat")
    async def chat(question: str) -> StreamingResponse:
        return StreamingResponse(words(question), media_type="text/event-stream")

    paths = {"/chat": "delta"}
    app.add_middleware(GuardASGI, guard=guard, use_case="support-chat", paths=paths)
    return app


def main() -> None:
    with TestClient(make_app()) as client:
        for question in ("How do I reset my password?", "Where is my order?"):
            events = client.get("/chat", params={"question": question}).text.split("\n\n")
            said = [json.loads(one[6:])["delta"] for one in events if one.startswith("data: ")]
            print(f"{question}\n  -> {''.join(said)}")
            print(f"     {events[-2]}")


if __name__ == "__main__":
    main()
