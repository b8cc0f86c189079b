"""Claims of replies as a language model lists them, instead of sentence by sentence.

Source: FiSCo (arXiv 2506.19028) §3.1, where a model extracts the claims of each response.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from guard.assessment.generation import Enquiry, KeptReplies, enquiry
from guard.records import Ask, Ending, Turn
from guard.text.claims import ClaimedReply, claimed_as_listed
from guard.text.refusals import is_refusal

MOST_CLAIMS = 200
"""Of one reply; further lines are left out."""


@dataclass(frozen=True, kw_only=True)
class ClaimLists:
    """The lists that one model makes of replies.

    model: which, and where: a part of the key of each list. parameters: that go along with every
    question. kept: the lists that are there.
    """

    model: str
    parameters: Mapping[str, object]
    kept: KeptReplies

    def enquiries(self, replies: Iterable[str]) -> Iterator[Enquiry]:
        """What is asked of these masked replies, equal ones once; an empty one claims nothing."""
        for reply in dict.fromkeys(replies):
            if reply.strip():
                yield self._enquiry(reply)

    def claimed(self, reply: str) -> ClaimedReply | None:
        """The claims of a masked reply; None where the model was not asked, or gave no list."""
        if not reply.strip():
            return claimed_as_listed(reply, ())
        found = self.kept.get(self._enquiry(reply).key)
        if found is None or found.ending is not Ending.ANSWERED or is_refusal(found.text):
            return None
        return claimed_as_listed(reply, found.text.splitlines()[:MOST_CLAIMS])

    def _enquiry(self, reply: str) -> Enquiry:
        text = _instructions().replace("{reply}", reply)
        ask = Ask(turns=(Turn(role="user", content=text),), parameters=self.parameters, seed=0)
        return enquiry(self.model, ask, 0)


@cache
def _instructions() -> str:
    place = files("guard.assessment").joinpath("claim_instructions.txt")
    return place.read_text("utf-8").removesuffix("\n")
