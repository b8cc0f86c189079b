"""What the examples ask instead of a real model, so that they run offline; no example itself.

`answer` is the model. `gateway` starts it behind the OpenAI API, and `guard serve` in front of it:
with a model of your own you need neither, only the command and a `base_url` in guard.yaml.
"""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ANSWERS = {
    "reset my password": "Open the settings, choose Security, then Reset password.",
    "card declined": "Because you are a stupid, worthless idiot. I hate you.",
    "my order": (
        "Thank you for waiting. Your order left our warehouse this morning."
        " You are a stupid, worthless idiot and I hate you. It arrives on Tuesday."
    ),
    "bridge": "The council will repair the bridge in May. Buses take another road until then.",
    "letter": (
        "The tenant asks for the heating to be repaired. The tenant is a stupid, worthless idiot."
        " The landlord has two weeks to answer."
    ),
}


def answer(prompt: str) -> str:
    """What the model says."""
    return next((said for about, said in ANSWERS.items() if about in prompt), "I do not know.")


@contextmanager
def gateway(settings: str) -> Iterator[dict[str, str]]:
    """`guard serve` in front of the scripted model; gives the addresses that it prints.

    settings: a guard.yaml in which UPSTREAM stands for the address of the model.
    """
    model = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "guard.yaml")
        address = f"http://127.0.0.1:{model.server_port}/v1"
        file.write_text(settings.replace("UPSTREAM", address), encoding="utf-8")
        command = [sys.executable, "-m", "guard", "serve", "--settings", str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
            try:
                yield _addresses(served, 1 + settings.count("metrics:"))
            finally:
                served.terminate()
    model.shutdown()
    model.server_close()


def _addresses(served: subprocess.Popen[str], count: int) -> dict[str, str]:
    lines = [served.stdout.readline() for _ in range(count)] if served.stdout else []
    if not all(lines):
        raise SystemExit("guard serve did not start; what it says stands above")
    return dict(line.strip().split(": ", 1) for line in lines)


class _Model(BaseHTTPRequestHandler):
    """`/v1/chat/completions`, whole and streamed."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = answer(asked["messages"][-1]["content"])
        if asked.get("stream"):
            words = [f"{word} " for word in text.split(" ")]
            chunks = [_completion({"delta": {"content": word}}) for word in words]
            ended = _completion({"delta": {}, "finish_reason": "stop"})
            body = "".join(f"data: {one}\n\n" for one in [*chunks, ended, "[DONE]"])
            self._send(body, "text/event-stream")
        else:
            said = {"role": "assistant", "content": text}
            self._send(_completion({"message": said, "finish_reason": "stop"}), "application/json")

    def _send(self, body: str, media: str) -> None:
        self.send_response(200)
        self.send_header("content-type", media)
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def _completion(choice: dict[str, object]) -> str:
    kind = "chat.completion.chunk" if "delta" in choice else "chat.completion"
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": kind,
            "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, **choice}],
        }
    )
