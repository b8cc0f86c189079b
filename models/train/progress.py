"""What a run says about itself: losses, pace, and how long it will still take."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

log = logging.getLogger(__name__)

MEMORY = 0.98
"""How much of a smoothed loss stays from one step to the next; less in the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step did. parts: the loss family by family, and the price on differing copies."""

    number: int
    of: int
    rows: int
    loss: float
    parts: Mapping[str, float] = field(default_factory=dict, compare=False)


class Progress:
    """Follows the steps of one process, and logs every few of them."""

    def __init__(self, log_steps: int) -> None:
        self._log_steps = log_steps
        self._began = self._logged = time.monotonic()
        self._rows = self._rows_logged = self._steps = 0
        self._losses: dict[str, float] = {}

    def follow(self, step: Step) -> None:
        self._rows += step.rows
        self._steps += 1
        memory = min(MEMORY, self._steps / (self._steps + 1))
        for name, loss in {"loss": step.loss, **step.parts}.items():
            self._losses[name] = memory * self._losses.get(name, loss) + (1 - memory) * loss
        if step.number % self._log_steps == 0:
            self._log(step)

    def _log(self, step: Step) -> None:
        now = time.monotonic()
        losses = " ".join(f"{name} {loss:.4f}" for name, loss in self._losses.items())
        recent = (self._rows - self._rows_logged) / (now - self._logged)
        pace = self._rows / (now - self._began)
        left = (step.of - step.number) * (now - self._began) / self._steps / 3600
        log.info(
            "step %d/%d %s rows/s %.1f (%.1f of late), %.1f h left at this pace",
            *(step.number, step.of, losses, pace, recent, left),
        )
        self._logged, self._rows_logged = now, self._rows

    def close(self) -> None:
        log.info("trained on %d rows in %.0f seconds", self._rows, time.monotonic() - self._began)
