"""Guard the model of a LangChain chain that summarizes: the sentence that offends is removed.

Runs offline: `FakeListChatModel` stands for your chat model. Needs `evenguard[langchain]`.
"""

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate

from guard import Guard
from guard.settings import parse_settings
from guard.wrap.langchain import guard_model

GUARD_YAML = """
version: 1
use_cases:
  summaries:
    policy: {toxicity: {redact: 0.8}}
    redaction: "[a sentence was removed]"
"""
SUMMARIES = {
    "The bridge over the river is closed ...": (
        "The council will repair the bridge in May. Buses take another road until then."
    ),
    "A letter to a landlord ...": (
        "The tenant asks for the heating to be repaired. The tenant is a stupid, worthless idiot."
        " The landlord has two weeks to answer."
    ),
}
PROMPT = ChatPromptTemplate.from_messages([("system", "Summarize."), ("user", "{document}")])


def main() -> None:
    model = FakeListChatModel(responses=list(SUMMARIES.values()))
    with Guard.open(parse_settings(GUARD_YAML)) as guard:  # or Guard.open("guard.yaml")
        chain = PROMPT | guard_model(model, guard, use_case="summaries") | StrOutputParser()
        for document in SUMMARIES:
            print(f"{document}\n  -> {chain.invoke({'document': document})}")


if __name__ == "__main__":
    main()
