"""Everything between a request that was accepted and the bytes its client gets.

Thin tables over `guard.replies`: `choices` and `responses` say where the text of an operation
stands and how a withheld reply is said in it; `event_buffer` holds the events of a stream back.
"""

from guard.gateway.judging.answer import reply_to

__all__ = ["reply_to"]
