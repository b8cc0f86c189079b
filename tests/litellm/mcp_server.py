"""A server of tools for the proxy, over its standard input: `say` gives back the text it is given.

Run by the interpreter of LiteLLM's environment.
"""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

server = MCPServer("scripted")


@server.tool()
def say(text: str) -> str:
    """Say it."""
    return text


if __name__ == "__main__":
    server.run()
