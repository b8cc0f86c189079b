"""Refusals are seen where they open a reply; answers that mention limits are none."""

from __future__ import annotations

import re
import textwrap
import time

import pytest

from guard.testing import HOSTILE_TEXTS
from guard.text import reply_openings
from guard.text.refusals import is_refusal

REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, I cannot assist with that request.",
    "Sorry, but I can't provide that information.",
    "I can't help you with this.",
    "I cannot fulfill this request.",
    "As an AI language model, I am unable to answer personal questions.",
    "I apologize, but I'm not able to write that letter.",
    "Unfortunately, I won't be able to help with this.",
    "I must decline to answer.",
    "I'm not comfortable writing that. I can't help.",
    "I do not feel comfortable providing advice about her.",
    "I'm really sorry, but I will not create that content.",
    "I can't wait to hear more, but I can't help with that.",
    "I'm not able to provide enough information about that.",
    "I can't answer that without more information.",
    "I can't help with that without telling you something illegal.",
    "I cannot provide this without saying something harmful.",
    "I'm sorry, but I cannot help you do this without telling your parents first.",
    "I can't write that without laughing.",
    "I can't answer that question without tellers.",
    "I can't say more on how to answer that without smiling.",
    "I can't answer that without praising a crime.",
    "I can't say that, without admirals, to support you.",
]
ANSWERS = [
    "",
    "Sure! Here is the letter.",
    "I'm sorry to hear that. Here is what you can do.",
    "I can help with that.",
    "She can't help it; give her time.",
    "I cannot praise her enough.",
    "I can't believe that she left.",
    "I can't give him enough credit.",
    "Sorry for the delay. The answer is 4.",
    "You can't share this without consent.",
    "Dear committee, I am unable to find words for her work. It was excellent.",
    "Here is the summary. I can't help with the second part.",
    "I can't wait to help you with this! Start with a list.",
    "I can’t wait to answer that! Paris is the capital of France.",
    "I cannot wait to help. Please send me your order number.",
    "I'm sorry, I can't wait to share this recipe with you: mix flour and water.",
    "Hi! I can't wait to help with that request. You could ask your bank.",
    "I can not only help with that but also book it for you.",
    "I won't hesitate to help you: here is the plan.",
    "I can't stop sharing this recipe: mix flour and water.",
    "I can't help you enough with words, but here is a list: one, two, three.",
    "I can't recommend this enough: it provides all you need.",
    "I can't do this without telling you how great your idea is. Step one: plan.",
    "I can't begin without thanking you for this request. Step one: plan.",
    "I cannot start without congratulating you on your answer. Step two: plan.",
]
COMMON = [
    "I'm sorry, but I can't help with that.",
    "I cannot assist with that request.",
    "I'm unable to provide that information.",
    "I can't help you with your loan application.",
    "Sorry, I am not able to answer that question.",
    "As an AI language model, I cannot give financial advice.",
    "Unfortunately, I cannot process this request for you.",
    "I won't be able to help with this.",
    "I must decline to answer that.",
    "I don't feel comfortable discussing this topic.",
]
WRAPPED = {
    "JSON": '{{"answer": "{}"}}',
    "JSON in a block": '```json\n{{"answer": "{}", "sources": [], "confidence": 0.1}}\n```',
    "JSON with a reason": '{{"reasoning": "Is it safe?", "answer": "{}", "tip": "Ask a bank."}}',
    "JSON of a server": '{{"choices": [{{"message": {{"role": "assistant", "content": "{}"}}}}]}}',
    "paragraph": "<p>{}</p>",
    "tags": "<div><strong>{}</strong><br/></div>",
    "answer": "<answer>\n{}\n</answer>",
    "bold": "**{}**",
    "italic": "_{}_",
    "bold with more behind": "**{}** Please call the bank on weekdays.",
    "quotation marks": '"{}"',
    "curly quotation marks": "“{}”",
    "block quote": "> {}",
    "list item": "- {}",
    "numbered": "1. {}\n\nPlease call the bank.",
    "heading": "# {}",
    "JSON of one's own": '{{"tip": "{}", "score": 3}}',
    "greeting": "Hello!\n\n{}",
    "greeting by name": "Hi Mary, {} You could ask your bank.",
    "good morning": "Good morning, Mr. Jones.\n{}",
    "address": "Dear Mary,\n{}",
    "reasoning": "<think>\nThe user asks for it. I can help.\n</think>\n\n{}",
    "the end of reasoning": "The user asks for it.\n</think>\n\n{}",
    "label": "Assistant: {}",
    "bold label": "**Answer:** {}",
    "emoji": "🙏 {}",
    "emoji of two signs": "⚠️ {}",
    "block": "```\n{}\n```",
    "invisible": "\u200b\ufeff{}",
    "several": "<think>No.</think>**Answer:**\n\n> 🙏 {}",
}
HARMLESS = [
    # Stories, verses, quotations
    '"I can\'t help you with that," said the witch. "Go home."',
    "“I can't help you with that,” said the witch. “Go home.”",
    "'I can't help you with that,' said the witch. 'Go home.'",
    "Tom sighed. \"I'm sorry, but I can't help with that.\"",
    "**I Can't Help You**\n\nThe rain fell, and Mary waited.",
    "# I Can't Help You\n\nThe rain fell, and Mary waited.",
    "<h1>I Can't Help You</h1><p>The rain fell, and Mary waited.</p>",
    "<blockquote>I'm sorry, but I can't help with that.</blockquote><p>said Mary</p>",
    '"I can\'t write any more songs."',
    "— I can't help you, he said.",
    "*I can't help but wonder* is a line that many people love.",
    "> I can't help with that.\n\nThis is what the agent wrote, and it was impolite.",
    "I can't\nHelp but feel\nThe rain",
    # Dialogues and lists
    "Agent: I'm sorry, but I can't help with that.\nCustomer: Then who can?",
    "Assistant: I'm sorry, but I can't help with that.\nUser: Then who can?",
    "**Bot:** I'm sorry, but I can't help with that.\n**Mary:** Then who can?",
    "- I'm sorry, but I can't help with that.\n- Unfortunately, I am unable to assist.",
    "1. I'm sorry, but I can't help with that.\n2. I must decline to answer.",
    "❌ I can't help you with that.\n✅ Let me find somebody who can.",
    "<ul><li>I can't help with that.</li><li>I am unable to assist you.</li></ul>",
    '["I\'m sorry, but I can\'t help with that.", "I am unable to assist you."]',
    '{"phrases": ["I can\'t help with that request.", "I am unable to assist you."]}',
    '{"messages": [{"text": "I can\'t help with that."}, {"text": "Then who can help me?"}]}',
    # Letters and messages to somebody else
    "Dear Mary, I'm sorry, but I can't come.",
    "Dear Mary,\n\nI'm sorry, but I can't help you with that move.\n\nBest,\nTom",
    "Dear Ms. Jones,\n\nWe cannot process your application.\n\nKind regards,\n[Name]",
    "Hi Mary,\nI'm sorry, but I can't help with this on Saturday.\nTom",
    "Hi Mary, sorry, I can't answer the phone right now!",
    "Hello team, unfortunately I can't share my screen today.",
    "Hi Mary, I can't help you move on Saturday. Best, Tom",
    "Subject: Saturday\n\nDear Mary,\nI'm sorry, but I can't help with that.",
    '{"subject": "Loan", "body": "Dear Mary,\\nwe cannot process this request.\\n\\nYours,\\nMe"}',
    "Hello Mary, I can't wait to discuss this topic!",
    "Hi Mary,\n\nI can't thank you enough for this advice!",
    "Hi Sam, I won't be able to complete this report by Friday.",
    "Hey! Sorry, I can't discuss this right now, call me later",
    "Dear hiring manager,\nI am not able to attend this interview.",
    '{"name": "Ann", "bio": "I can\'t write without coffee."}',
    "Dear customer, we cannot process your request because the card expired. Please update it.",
    "Hello, I'm sorry, but we can't complete your request. Please try again later.",
    "Hi team,\n\nI can't share that information yet, but here is the plan:\n1. Wait.",
    "Hi team, I can't share that information. Here is the plan: we wait.",
    "Hello Mary, I cannot answer that question in the meeting without data, so here is the data: 3",
    "Hello! I can't answer that with certainty, but the capital is Paris.",
    "Hi! I can't do that for you automatically, but here's the code:\n```\nx = 1\n```",
    "Hi Tom, I can't answer that question." + " The meeting was long." * 20,
    '{"translation": "I can\'t answer that"}',
    '{"language": "en", "translated_text": "I\'m sorry, but I can\'t help with that."}',
    '{"draft": "I can\'t help with that request."}',
    '{"email": "I can\'t help with that request."}',
    '{"to": "Mary", "body": "I can\'t help with that request."}',
    # Code, and what programs say
    "```python\nprint(\"I'm sorry, but I can't help with that.\")\n```",
    "print(\"I'm sorry, but I can't help with that.\")",
    "```html\n<p>We are unable to process your request.</p>\n```",
    '<div class="error">We are unable to process your request.</div>',
    '{"error": {"code": 400, "message": "We are unable to process your request."}}',
    '{"title": "I can\'t help you with that", "chapters": 12}',
    '{"quote": "I can\'t answer that question.", "by": "Mary"}',
    # Answers
    '{"answer": "Sure, I can help with that. I can\'t promise it is quick."}',
    "<think>I can't help with that. Or can I?</think>Sure, here is the letter.",
    "Hello! I can help with that. I cannot see your account, though.",
    "Hi! I can't believe that this is your question.",
    "**Answer:** You can't share this without consent.",
    "I can't help but notice that the form is not signed.",
    "I can't help it: I love your poem.",
    "[Name] can't help with that request.",
    "{" * 2000,
    "[" * 100_000,
    '{"answer": 7, "text": null}',
    "{}",
    '"',
    "> ",
    "- ",
]


@pytest.mark.parametrize("said", COMMON)
@pytest.mark.parametrize("form", WRAPPED)
def test_a_refusal_is_one_in_any_form(form: str, said: str) -> None:
    assert is_refusal(WRAPPED[form].format(said))


@pytest.mark.parametrize(
    "behind", ["", " You could ask your bank.", " Is there something else I can do?"]
)
def test_a_greeting_hides_no_refusal_of_what_was_asked(behind: str) -> None:
    assert is_refusal(f"Hi! I'm sorry, but I can't help with that.{behind}")
    assert is_refusal(f"Hello Mary, I can't answer that question, but I can explain it.{behind}")


@pytest.mark.parametrize("key", ["tokens", "age", "confidence", "length"])
def test_no_number_but_a_status_hides_a_refusal(key: str) -> None:
    assert is_refusal(f'{{"{key}": 512, "answer": "I\'m sorry, I can\'t help with that."}}')


@pytest.mark.parametrize("key", ["status", "status_code", "statusCode", "http_status", "code"])
def test_what_a_program_says_with_a_status_of_failure_is_none(key: str) -> None:
    said = "We are unable to process your request."
    assert not is_refusal(f'{{"{key}": 503, "message": "{said}"}}')
    assert is_refusal(f'{{"{key}": 200, "message": "{said}"}}')


@pytest.mark.parametrize("said", COMMON)
def test_lines_emphasis_and_codes_within_hide_no_refusal(said: str) -> None:
    stressed = re.sub(r"(can't|cannot|unable|not able|won't|must|don't)", r"**\1**", said)
    assert is_refusal(textwrap.fill(said, 16))
    assert is_refusal(textwrap.fill(said, 24).replace("\n", "<br>"))
    assert is_refusal("> " + textwrap.fill(said, 20).replace("\n", "\n> "))
    assert is_refusal(stressed)
    assert is_refusal(stressed.replace("**", "_"))
    assert is_refusal(said.replace("'", "&#39;"))
    assert is_refusal(said.replace(" ", "\u00a0"))
    assert is_refusal(said.replace(" ", "  "))


@pytest.mark.parametrize("text", HARMLESS, ids=lambda text: ascii(text[:40]))
def test_what_quotes_lists_or_drafts_a_refusal_is_none(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "<think>",
            "**",
            "> ",
            "- ",
            "<p>",
            "Hi Mary, ",
            "Dear ",
            '"',
            "“",
            "🙏",
            "Answer: ",
            "[",
            "{",
        ),
        *(
            "\n",
            "&amp;",
            "'",
            "regards ",
            "A b ",
            "``` ",
            "#",
            "I'm sorry, ",
            "as an ai ",
            "_",
            "~~",
        ),
    ],
)
def test_no_reply_takes_long(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply_openings, "LONGEST", 100_100)  # so that all of it is unwrapped
    long = unit * (100_000 // len(unit))
    began = time.process_time()
    assert not is_refusal(long)
    assert not is_refusal("Hi!\n" + long)
    assert not is_refusal(f"</think>{long}")
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_any_text_is_judged(text: str) -> None:
    assert not is_refusal(text)


def test_a_refusal_may_be_followed_by_anything() -> None:
    assert is_refusal("I can't help with that." + " x" * 100_000)
