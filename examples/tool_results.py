"""Judge what a tool brings in before the model or a person sees it.

Runs offline: `search_tickets` stands for a tool of yours, or for one of an MCP server.
"""

from collections.abc import Callable

from guard import Guard

TICKETS = {
    "password": "Open the settings, choose Security, then Reset password.",
    "card": "Customer wrote: you are all stupid, worthless idiots and I hate you.",
}


def search_tickets(query: str) -> str:
    """Find what others asked."""
    return TICKETS[query]


def judged(tool: Callable[[str], str], guard: Guard) -> Callable[[str], str]:
    """`tool` with what the policy of the use case releases of its results."""

    def call(query: str) -> str:
        found = tool(query)
        return guard.check(found, use_case="support-chat", kind="tool_result").text

    return call


def main() -> None:
    with Guard.open() as guard:
        search = judged(search_tickets, guard)
        for query in TICKETS:
            print(f"{query}\n  -> {search(query)}")


if __name__ == "__main__":
    main()
