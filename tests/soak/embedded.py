"""An application with a guard in it, as a process: one path behind `GuardASGI`, one in LangChain.

python -m tests.soak.embedded guard.yaml     prints the address once it listens
"""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Any

import uvicorn
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from guard import Guard
from guard.wrap.asgi import GuardASGI, Guarded
from guard.wrap.langchain import guard_model
from tests.servers import free_port
from tests.soak.texts import reply_to


class TellingModel(BaseChatModel):
    """Says what the prompt asks for."""

    @property
    def _llm_type(self) -> str:
        return "telling"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        said = AIMessage(content=reply_to(str(messages[-1].content)))
        return ChatResult(generations=[ChatGeneration(message=said)])


def application(guard: Guard) -> Any:
    """Both ways in."""
    model = guard_model(TellingModel(), guard, use_case="langchain")

    async def asgi(request: Request) -> JSONResponse:
        return JSONResponse({"text": reply_to((await request.json())["question"])})

    async def langchain(request: Request) -> JSONResponse:
        answer = await model.ainvoke((await request.json())["question"])
        return JSONResponse({"text": answer.content})

    app = Starlette(
        routes=[
            Route("/asgi", asgi, methods=["POST"]),
            Route("/langchain", langchain, methods=["POST"]),
        ]
    )
    guarded = Guarded(field="text", prompt="question")
    return GuardASGI(app, guard=guard, use_case="asgi", paths={"/asgi": guarded})


async def serve(settings: str) -> None:
    """Until SIGTERM, which uvicorn repeats when it has ended: here it means nothing more."""
    signal.signal(signal.SIGTERM, lambda *_: None)
    with Guard.open(settings) as guard:
        port = free_port()
        config = uvicorn.Config(application(guard), port=port, log_level="warning")
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.05)
        sys.stdout.write(f"http://127.0.0.1:{port}\n")
        sys.stdout.flush()
        await running


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
