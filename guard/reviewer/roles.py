"""Who may go where."""

from __future__ import annotations

from guard.review.people import Role, User


def may(person: User | None, role: Role | None) -> bool:
    """Whether this person has that role, or one that includes it. None: everybody may."""
    return role is None or (person is not None and person.role.may(role))
