"""Guard a function that summarizes: the sentence that offends is removed, the others stay.

Runs offline: `summarize` stands for a call to your model.
"""

from guard import Guard
from guard.settings import parse_settings

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


def summarize(document: str) -> str:
    """Ask the model."""
    return SUMMARIES[document]


def main() -> None:
    with Guard.open(parse_settings(GUARD_YAML)) as guard:  # or Guard.open("guard.yaml")
        guarded = guard.wrap(summarize, use_case="summaries")
        for document in SUMMARIES:
            print(f"{document}\n  -> {guarded(document)}")
        lines = guard.metrics.expose()[0].decode().splitlines()
        print("\n".join(line for line in lines if line.startswith("guard_calls_total")))


if __name__ == "__main__":
    main()
