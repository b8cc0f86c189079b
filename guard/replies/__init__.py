"""The formats of replies: bytes and values in, text with its places in it out. Pure.

The only reader of what a model said. A way in (the gateway, `GuardASGI`, LangChain, the upstream)
is a table over it: where the text stands, and how a withheld reply is said.

strict_json   `JsonReader`: JSON that may be anything; `json_bytes`.
sse           `EventSplitter`, `FrameSplitter`: frames from bytes that are cut anywhere.
schema        The vocabulary of the APIs: `ReplyKind`, names, opaque bytes, media, parameters.
arguments     Arguments of tools as a lenient parser reads them, whole or growing.
fields        `extract`: every text of a value as a `TextField`; `fields_at`: configured ones.
assemble      `Assembly`: fields into the one text that is judged, and where each stands in it.
edit          A value like another one with other texts in it.

A value goes this way: `JsonReader.read` -> `extract` -> `Assembly.add` -> the text is judged ->
`Assembly.may_pass` says whether it may go out as it came, or `Assembly.redact` and
`edit.replace_texts` make another one of it.
"""
