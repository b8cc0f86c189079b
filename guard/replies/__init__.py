"""The formats of model replies: from bytes and JSON values to texts and their places. Pure.

The only parser of model replies. The integrations (gateway, `GuardASGI`, LangChain, upstream) are
tables over it: where the texts are, and how a withheld reply is written.

json_text     `JsonReader`: JSON that may be anything; `json_bytes`; arguments of tools, whole or
              growing, as a lenient parser reads them.
sse           `EventSplitter`, `FrameSplitter`: frames from bytes that are cut anywhere.
schema        The vocabulary of the APIs: `ReplyKind`, names, opaque bytes, media, parameters.
tokens        What repeats a text as tokens.
fields        `extract`: every text of a value as a `TextField`; `fields_at`: configured ones.
sources       Arguments of tools, and sources of JSON within them.
assemble      `Assembly`: fields into the one text that is judged, and where each stands in it.
edit          A value like another one with other texts in it.

A value goes this way: `JsonReader.read` -> `extract` -> `Assembly.add` -> the text is judged ->
`Assembly.may_pass` says whether it may go out as it came, or `Assembly.redact` and
`edit.replace_texts` make another one of it.
"""
