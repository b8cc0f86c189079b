"""Numbers as people read them: enough digits and no more."""

from __future__ import annotations

from datetime import UTC, datetime

from guard.records import Reading


def format_number(value: float) -> str:
    """Two or three digits that matter; whole numbers from 1,000 on."""
    size = abs(value)
    if size < 0.01:
        return f"{value:.2g}" if value else "0"
    if size < 1:
        return f"{value:.3f}"
    return f"{value:.3g}" if size < 1000 else f"{value:,.0f}"


def format_reading(reading: Reading) -> str:
    """The value with its interval and n."""
    low, high = format_number(reading.low), format_number(reading.high)
    return f"{format_number(reading.value)} ({low} to {high}), n = {reading.n:,}"


def format_p(p_value: float) -> str:
    """A p-value: `p = 0.012`, `p < 0.0001`."""
    return f"p = {p_value:.2g}" if p_value >= 1e-4 else "p < 0.0001"


def format_share(part: int, whole: int) -> str:
    """A share in percent; only none is 0 and only all 100. Empty where there is nothing."""
    if not whole:
        return ""
    if 0 < part < whole:
        return f"{min(max(100 * part / whole, 0.1), 99.9):.1f} %"
    return f"{100 * part // whole} %"


def format_time(seconds: float) -> str:
    """A Unix time, to the minute."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
