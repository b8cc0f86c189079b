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
short_strings Words that stand one by one in arguments.
arrival       What the usual loop prints: texts in the order of arrival, whatever their channel.
layout        `Layout`: where each text stands in the one text that is judged.
assemble      `Assembly`: fields into that text, and which values may leave.
placed        `Placed`: a text of a value and its place there.
redactions    Texts with a marker in place of what is withheld.
tables        One for each API: `choices` (chat completions, completions), `responses`, `anthropic`,
              `gemini`; `reply_format` is what they have in common, `known` tells them apart.
finish        Why a model stopped, in the words of each.
requests      What a request asks, and how its reply is to be read; `refused` is the reply to one
              that no model was asked.
large         Large replies beside the event loop.
answer_headers Which headers of a model's server are handed on.
edit          A value like another one with other texts in it.

A value goes this way: `JsonReader.read` -> `extract` -> `Assembly.add` -> the text is judged ->
`Assembly.may_pass` says whether it may go out as it came, or `Assembly.redact` and
`edit.replace_texts` make another one of it.
"""
