"""A model behind an address that always says the same, in a process of its own.

python tests/benchmarks/canned_model.py    prints its base URL and serves until it is ended
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPLY = (
    "Thank you for your message. She should open the login page, choose the link below the form"
    " and wait for the e-mail. If nothing arrives, the service desk can open her account."
)
BODY = json.dumps(
    {
        "choices": [
            {"message": {"role": "assistant", "content": REPLY}, "finish_reason": "stop"},
        ],
        "usage": {"total_tokens": 90},
    }
).encode()


class Handler(BaseHTTPRequestHandler):
    """Answers everything."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """The same completion to whatever is asked."""
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_: object) -> None:
        """Nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
