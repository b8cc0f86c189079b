"""LangChain (1.x): agents and chat models whose replies are judged before anybody sees them.

`GuardMiddleware` is for `create_agent`, `guard_model` for chains. Extra: `evenguard[langchain]`.
"""

from __future__ import annotations

try:
    from guard.wrap.langchain.model import GuardedChatModel
    from guard.wrap.langchain.wrappers import GuardMiddleware, guard_model
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in {"langchain", "langchain_core", "langgraph"}:
        raise
    raise ModuleNotFoundError(
        "guard.wrap.langchain: LangChain is not installed; pip install 'evenguard[langchain]'",
        name=error.name,
    ) from error

__all__ = ["GuardMiddleware", "GuardedChatModel", "guard_model"]
