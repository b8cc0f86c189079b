"""What is shown of the store at one moment: readings, evidence, the state of its queues.

Standard library only. What has no value is not in here; nothing is NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from guard.records.response import Reading
from guard.records.stored import CaseState, InboxCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a number is about. groups: those compared or counted, "" for everybody."""

    use_case: str
    metric: str
    attribute: str = ""
    groups: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The present value of a metric over the last while. window: 5m, 1h or 24h."""

    about: About
    window: str
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimate over an epoch with its confidence sequence, valid whenever it is looked at.

    n: observations in the epoch.
    """

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a test says by now.

    about.groups: the group that is compared with all others, "" for a test of all groups together.
    log10_e: 0 is none at all, 2 is a hundred to one against "no difference". epoch: its number.
    alarms: raised so far, over all epochs; alarm_log10_e: the evidence that raised the last one;
    alarmed: that one stands, nobody has acknowledged it. estimate: None before the first
    observation, and of all groups together. material: the size from which on a difference raises
    an alarm, None before the first observation; is_material: the estimate, or that of one of the
    groups, is as large. needed: about how many more comparisons with the group would show a
    difference worth speaking of; 0 where there is an answer, None where that cannot be told.
    """

    about: About
    log10_e: float
    epoch: int
    alarms: int
    alarmed: bool = False
    alarm_log10_e: float = 0.0
    estimate: Estimate | None = None
    material: float | None = None
    is_material: bool = False
    needed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadowed:
    """What came of shadowing calls of a use case, and how often, ever since: calls left alone,
    pairs compared, replies that are no answers."""

    use_case: str
    attribute: str
    result: str
    calls: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmPosts:
    """Alarms of a use case that were posted to `alarm_webhook.url`, ever since: those that arrived,
    and those that were given up."""

    use_case: str
    sent: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What people's verdicts say. what: `precision` of the flag `of`, the share of its cases that
    were confirmed, or `agreement` (Krippendorff's alpha) on cases of the kind `of`."""

    use_case: str
    what: str
    of: str
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteTimes:
    """Verdicts that people gave on the cases of a use case, ever since, and the seconds they took
    together, each from opening the case."""

    use_case: str
    votes: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All of it, read in one pass.

    lag_seconds: age of the oldest job that waits or is worked on; 0 without one.
    oldest_case_seconds: age of the oldest case that is not closed; 0 without one.
    alarm_lines: by use case, log10 e from which on one of its tests of all groups together, alone,
    raises an alarm. left_out: by use case and what they are of (`omnibus` tests, tests of `groups`,
    `readings`), how many series were above the limit.
    use_cases_left_out: how many use cases were. unreadable: keys of the store that this process has
    ever left out of readings, since they hold something else.
    """

    readings: tuple[Shown, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    shadowed: tuple[Shadowed, ...] = ()
    alarm_posts: tuple[AlarmPosts, ...] = ()
    jobs: InboxCounts = field(default_factory=InboxCounts)
    lag_seconds: float = 0.0
    cases: Mapping[tuple[str, CaseState], int] = field(default_factory=dict)
    oldest_case_seconds: float = 0.0
    judged: tuple[Judged, ...] = ()
    vote_times: tuple[VoteTimes, ...] = ()
    alarm_lines: Mapping[str, float] = field(default_factory=dict)
    left_out: Mapping[tuple[str, str], int] = field(default_factory=dict)
    use_cases_left_out: int = 0
    unreadable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolCounts:
    """The durable queue of one process on its own disk.

    bytes: not yet handed to the store. accepted: records it took, ever since it began. dropped:
    records it could not keep, its bound reached or its disk at fault.
    """

    bytes: int
    accepted: int
    dropped: int
