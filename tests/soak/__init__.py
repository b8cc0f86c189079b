"""An hour in which everything that can fail does, and what must hold nevertheless.

    python -m tests.soak --minutes 60

The gateway, an application behind `GuardASGI`, a guarded LangChain model and `guard shadow` work on
one Redis, asked by callers who read slowly and leave half-way, in front of a model that is slow and
hostile. Meanwhile processes are killed and stopped, Redis is killed and frozen, the disk of the
spools is full, and the clock is set. In the last part nothing is killed: memory and descriptors
must be flat. At the end the store is compared with what the callers saw (see `ledger`).
"""
