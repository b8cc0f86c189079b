"""An alarm as it is told to other programs: one flat JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from urllib.parse import urlencode

from guard.fairness import Published
from guard.fairness.group_tests import omnibus_of
from guard.fairness.tally import Measured
from guard.shadow.monitor import AlarmCheck, TestKey

VERSION = 1


def alarm_message(
    check: AlarmCheck, alarm: TestKey, *, findings_url: str = ""
) -> dict[str, object]:
    """The message about one of the alarms of a check; JSON values only.

    number: how many alarms of this test there were with this one: a message that comes again has
    the same.
    group: "" for all groups together. The estimate is that of the group, or of the one with the
    strongest evidence, which `strongest_group` names. findings_url: the page of that name; empty
    where it has no public address.
    """
    use_case, test = alarm
    measured, found = Measured.parse(test), check.published[alarm]
    strongest = _strongest(check, alarm)
    query = urlencode({"use_case": use_case})
    return {
        "version": VERSION,
        "event": "alarm",
        "use_case": use_case,
        "attribute": measured.attribute,
        "metric": measured.metric,
        "group": measured.groups,
        "strongest_group": Measured.parse(strongest.test).groups,
        "estimate": _plain(strongest),
        "material": found.material,
        "log10_e": found.log10_e,
        "epoch": found.epoch.number,
        "number": check.epochs[alarm].alarms,
        "deployment": found.epoch.deployment,
        "findings": f"{findings_url}?{query}" if findings_url else "",
    }


def alarm_of(message: Mapping[str, object]) -> tuple[TestKey, int]:
    """The alarm that a message is about, and its number."""
    measured = Measured(
        metric=str(message["metric"]),
        attribute=str(message["attribute"]),
        groups=str(message["group"]),
    )
    return (str(message["use_case"]), measured.name), int(str(message["number"]))


def _strongest(check: AlarmCheck, alarm: TestKey) -> Published:
    """The test itself where it is of one group, else that of the group with most evidence."""
    use_case, test = alarm
    own = check.published[alarm]
    if own.estimate is not None:
        return own
    groups = [
        one
        for (of, name), one in check.published.items()
        if of == use_case and one.estimate is not None and omnibus_of(name) == test
    ]
    return max(groups, key=lambda one: one.counted_log10_e, default=own)


def _plain(found: Published) -> Mapping[str, float] | None:
    """Value, low, high and n."""
    return None if found.estimate is None else asdict(found.estimate)
