"""The machine room: scoring, memory, the spool, the store and the shadow queue."""

from __future__ import annotations

from typing import Final

from exporters.grafana.source.boards import INSTANCE, JOB, USE_CASE, Board
from exporters.grafana.source.panels import Panel, Query, Row
from exporters.grafana.source.queries import (
    CALLS,
    PROCESS,
    STORE,
    STORE_ALONE,
    increase,
    of_store,
    or_zero,
    quantile,
    rate,
    total,
)
from exporters.grafana.source.shares import FAIRNESS, OWN_DASHBOARD, added_time

_OVERLOAD: Final = f'{CALLS},reason="overload"'


def _process(series: str, *by: str) -> str:
    return rate(series, *by, where=PROCESS)


def _gauge(series: str) -> str:
    """A gauge of a process, by process: the sum over processes would hide the one that is full."""
    return f"max by (instance) ({series}{{{PROCESS}}})"


def _times(title: str, says: str, histogram: str) -> Panel:
    return Panel(
        title=title,
        says=says,
        kind="graph",
        unit="s",
        queries=(
            *(
                Query(expr=quantile(share, histogram, where=PROCESS), named=name)
                for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
            ),
            Query(expr=_process(f"{histogram}_count"), named="n", unit="reqps"),
        ),
        links=(OWN_DASHBOARD,),
    )


_SCORING: Final = (
    _times(
        "Time in the queue",
        "How long replies waited for the classifier. When it grows while the time in the classifier"
        " does not, more arrives than is scored: more workers, or less traffic for each process. On"
        " the right, replies a second.",
        "guard_queue_seconds",
    ),
    _times(
        "Time in the classifier",
        "How long a scored reply spent in the classifier: it grows with the length of replies. On"
        " the right, replies a second.",
        "guard_scoring_seconds",
    ),
    Panel(
        title="Batches",
        says="Calls of the classifier a second, and tokens in each of them: small batches are"
        " normal while there is little to do.",
        kind="graph",
        unit="ops",
        queries=(
            Query(expr=_process("guard_engine_batches_total"), named="batches"),
            Query(
                expr=f"{_process('guard_engine_tokens_total')}"
                f" / {_process('guard_engine_batches_total')}",
                named="tokens in each",
                unit="short",
            ),
        ),
    ),
    Panel(
        title="Padding",
        says="Of n tokens a second in the classifier, the share that only fills up shorter texts in"
        " a batch: work for nothing.",
        kind="graph",
        unit="percentunit",
        queries=(
            Query(
                expr=f"{_process('guard_engine_padded_tokens_total')} / ("
                f"{_process('guard_engine_padded_tokens_total')}"
                f" + {_process('guard_engine_tokens_total')})",
                named="share",
            ),
            Query(expr=_process("guard_engine_tokens_total"), named="n", unit="ops"),
        ),
    ),
    Panel(
        title="Cache",
        says="Of n texts looked up a second, the share that was answered from the cache of recent"
        " texts.",
        kind="graph",
        unit="percentunit",
        queries=(
            Query(
                expr=f"{_process('guard_engine_cache_hits_total')} / ("
                f"{_process('guard_engine_cache_hits_total')}"
                f" + {_process('guard_engine_cache_misses_total')})",
                named="share",
            ),
            Query(
                expr=f"{_process('guard_engine_cache_hits_total')}"
                f" + {_process('guard_engine_cache_misses_total')}",
                named="n",
                unit="ops",
            ),
        ),
    ),
    Panel(
        title="Waiting now, by process",
        says="Texts that wait for the classifier or are in it, and requests of the gateway under"
        " way, in each process. Beyond scoring.max_open_tokens new texts are unscored for"
        " overload.",
        kind="graph",
        unit="short",
        queries=(
            Query(expr=_gauge("guard_engine_open_requests"), named="{{instance}} texts"),
            Query(expr=_gauge("guard_engine_open_tokens"), named="{{instance}} tokens"),
            Query(expr=or_zero(_gauge("guard_open_requests")), named="{{instance}} requests"),
        ),
    ),
    Panel(
        title="Overload, restarts, refusals",
        says="A second: replies left unscored for overload; texts nobody waited for any more;"
        " scoring threads and worker processes that died and were replaced; requests the"
        " gateway refused; failing observers. All of these are 0 on a good day.",
        kind="graph",
        unit="ops",
        queries=(
            Query(expr=or_zero(rate("guard_unscored_total", where=_OVERLOAD)), named="overload"),
            Query(expr=_process("guard_engine_cancelled_total"), named="cancelled"),
            Query(expr=_process("guard_engine_restarts_total"), named="scoring restarts"),
            Query(expr=or_zero(_process("guard_worker_restarts_total")), named="worker restarts"),
            Query(expr=or_zero(_process("guard_refused_total")), named="refused"),
            Query(expr=or_zero(_process("guard_observer_errors_total")), named="observer errors"),
        ),
    ),
    added_time(),
)
_MACHINE: Final = (
    Panel(
        title="Memory, by process",
        says="Memory each process holds, and how much of it is the cache of scores"
        " (scoring.cache_mb).",
        kind="graph",
        unit="bytes",
        queries=(
            Query(expr=_gauge("process_resident_memory_bytes"), named="{{instance}}"),
            Query(expr=_gauge("guard_engine_cache_bytes"), named="{{instance}} cache"),
        ),
    ),
    Panel(
        title="Processor, by process",
        says="Cores that each process keeps busy; scoring takes nearly all of it.",
        kind="graph",
        unit="short",
        queries=(
            Query(expr=_process("process_cpu_seconds_total", "instance"), named="{{instance}}"),
        ),
    ),
    Panel(
        title="Spool, by process",
        says="What each process has not handed to the store yet, on its own disk: it grows while"
        " the store is away, up to store.spool_mb.",
        kind="graph",
        unit="bytes",
        queries=(Query(expr=_gauge("guard_spool_bytes"), named="{{instance}}"),),
    ),
    Panel(
        title="Records spooled and dropped",
        says="Records a second put into spools, and dropped because a spool was full or its disk at"
        " fault. Dropped ones are missing from all sums.",
        kind="graph",
        unit="ops",
        queries=(
            Query(expr=_process("guard_spool_records_total"), named="spooled"),
            Query(expr=_process("guard_spool_dropped_total"), named="dropped"),
        ),
    ),
)
_STORE: Final = (
    Panel(
        title="Store",
        says="Is 1 while the store can be read for a scrape, in time. At 0 there are no readings:"
        " nothing is known then, which is not the same as nothing being there.",
        kind="stat",
        unit="short",
        queries=(Query(expr=f"min(guard_store_up{{{STORE_ALONE}}})", named="store"),),
        width=6,
    ),
    Panel(
        title="Series left out",
        says="Series that are not shown, above metrics.max_series, by what they are of: tests of"
        " all groups together (omnibus, should be 0), tests of single groups, readings. They"
        " stand under Findings.",
        kind="stat",
        unit="short",
        queries=(Query(expr=total("guard_readings_dropped", STORE, "what"), named="{{what}}"),),
        width=6,
        links=(FAIRNESS,),
    ),
    Panel(
        title="Scrapes without readings",
        says="In the time that is shown: the store was unreachable, unreadable or late, or a fault"
        " of our own. And use cases that are left out, above metrics.max_use_cases.",
        kind="stat",
        unit="short",
        queries=(
            Query(
                expr=increase("guard_readings_failed_total", "reason", where=STORE_ALONE),
                named="{{reason}}",
            ),
            Query(
                expr=of_store("guard_use_cases_dropped", STORE_ALONE), named="use cases left out"
            ),
        ),
    ),
    Panel(
        title="Shadow jobs",
        says="Jobs of shadow requests: ready, delayed (for another attempt), leased (being worked"
        " on), buried (failed for good: somebody has to look).",
        kind="graph",
        unit="short",
        queries=(Query(expr=total("guard_inbox_jobs", STORE_ALONE, "state"), named="{{state}}"),),
    ),
    Panel(
        title="Shadow lag",
        says="Age of the oldest shadow job that is not done: readings of compared calls run behind"
        " by so much. And jobs refused a second because the store had as many as it may.",
        kind="graph",
        unit="s",
        queries=(
            Query(expr=of_store("guard_shadow_lag_seconds", STORE_ALONE), named="lag"),
            Query(
                expr=rate("guard_inbox_dropped_total", where=STORE_ALONE),
                named="refused",
                unit="ops",
            ),
        ),
    ),
)

ENGINE: Final = Board(
    uid="evenguard-engine",
    title="Engine",
    says="Scoring, memory, the spool, the store and the shadow queue: whether the guard keeps up.",
    items=(
        Row(title="Scoring"),
        *_SCORING,
        Row(title="Processes"),
        *_MACHINE,
        Row(title="Store and shadow requests"),
        *_STORE,
    ),
    variables=(JOB, INSTANCE, USE_CASE),
)
