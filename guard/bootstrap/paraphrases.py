"""Wordings of prompts asked of a model, as replies of an assessment are."""

from __future__ import annotations

from guard.assessment.generation import (
    AskingCounts,
    AskingLimits,
    AskingProgress,
    Interview,
)
from guard.assessment.paraphrases import TRIES, Paraphrasing
from guard.bootstrap.assessment import ModelToAsk, run_here_or_beside


def ask_paraphrases(
    wanted: Paraphrasing,
    model: ModelToAsk,
    limits: AskingLimits,
    progress: AskingProgress | None = None,
) -> AskingCounts:
    """Ask for every wording, and again for those that did not keep to what was asked, within one
    budget. Raises SettingsError, StoreError, UpstreamError, UpstreamBusy."""
    return run_here_or_beside(_ask(wanted, model, limits, progress))


async def _ask(
    wanted: Paraphrasing, model: ModelToAsk, limits: AskingLimits, progress: AskingProgress | None
) -> AskingCounts:
    total = AskingCounts()
    async with model.connected(limits.concurrency) as upstream:
        for attempt in range(TRIES):
            interview = Interview(upstream, wanted.kept, limits.after(total), progress=progress)
            made = await interview.ask_all(list(wanted.enquiries(attempt)))
            total += made
            if made.left:
                break
    return total
