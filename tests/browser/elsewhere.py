"""Pages of somebody else, on an origin of their own."""

from __future__ import annotations

import html
import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlencode


class Elsewhere:
    """A server with one page, which sends something to ours."""

    def __init__(self) -> None:
        self.page = ""
        told = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(told.page.encode())

            def log_message(self, *_: object) -> None:
                """Nobody wants to know."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def sends_a_form(self, action: str, fields: Mapping[str, str], *, kind: str) -> None:
        """From now on the page sends this form once its button is pressed. kind: its enctype."""
        hidden = "".join(
            f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
            for name, value in fields.items()
        )
        self.page = (
            f'<form method="post" enctype="{kind}" action="{action}">{hidden}'
            "<button>Send</button></form>"
        )

    def fetches(self, forms: Mapping[str, Mapping[str, str]], *, mode: str) -> None:
        """From now on the page sends such forms by script, with whatever cookies there are.

        forms: address to fields. What was read of each answer is then in the element `done`.
        """
        bodies = {address: urlencode(fields) for address, fields in forms.items()}
        self.page = f"""<p id="done"></p><script type="module">
            const read = [];
            for (const [address, body] of Object.entries({json.dumps(bodies)})) {{
              read.push(await fetch(address, {{method: "POST", mode: "{mode}",
                  credentials: "include", body: body,
                  headers: {{"content-type": "application/x-www-form-urlencoded"}}}})
                .then(answer => answer.text(), error => "refused"));
            }}
            document.getElementById("done").textContent = JSON.stringify(read);
            </script>"""

    def frames(self, address: str) -> None:
        """From now on the page shows ours in a frame."""
        self.page = f'<iframe src="{address}" width="800" height="600"></iframe>'
