"""Guard an agent of LangChain: with one middleware every way of running it gives judged text only.

Runs offline: `FakeListChatModel` stands for your chat model. Needs `evenguard[langchain]`.
"""

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from guard import Guard
from guard.wrap.langchain import GuardMiddleware

ANSWERS = {
    "How do I reset my password?": "Open the settings, choose Security, then Reset password.",
    "Where is my order?": (
        "Thank you for waiting. Your order left our warehouse this morning."
        " You are a stupid, worthless idiot and I hate you. It arrives on Tuesday."
    ),
}


def main() -> None:
    model = FakeListChatModel(responses=list(ANSWERS.values()))
    with Guard.open() as guard:
        agent = create_agent(model, middleware=[GuardMiddleware(guard, use_case="support-chat")])
        for question in ANSWERS:
            print(question, end="\n  -> ")
            asked = {"messages": [("user", question)]}
            for chunk, _ in agent.stream(asked, stream_mode="messages"):
                print(chunk.text, end="", flush=True)
            print()


if __name__ == "__main__":
    main()
