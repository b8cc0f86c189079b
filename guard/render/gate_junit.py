"""The outcome of a gate as JUnit XML, which every system for continuous integration reads."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree.ElementTree import Element, SubElement, tostring

from guard.assessment.gate import GateResult, RuleVerdict

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def gate_junit(result: GateResult, use_case: str) -> str:
    """One test case for each rule: broken ones fail, undecided ones are skipped with the reason."""
    count = Counter(one.verdict for one in result.rules)
    suite = Element(
        "testsuite",
        name=_allowed(f"guard assess gate: {use_case}"),
        tests=str(len(result.rules)),
        failures=str(count[RuleVerdict.BROKEN]),
        skipped=str(count[RuleVerdict.UNDECIDED]),
        errors="0",
    )
    for one in result.rules:
        case = SubElement(
            suite, "testcase", classname=_allowed(use_case), name=_allowed(one.rule.name)
        )
        if one.verdict is RuleVerdict.BROKEN:
            SubElement(case, "failure", message=_allowed(one.reason))
        elif one.verdict is RuleVerdict.UNDECIDED:
            SubElement(case, "skipped", message=_allowed(f"too little data: {one.reason}"))
    text: str = tostring(suite, encoding="unicode", xml_declaration=True)
    return text + "\n"


def _allowed(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)
