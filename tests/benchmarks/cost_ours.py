"""Our side of bench_cost: `Guard.check`, all heads. Same protocol as the other side."""

from __future__ import annotations

import json
import sys
import time

from guard import Guard


def main() -> None:
    with Guard.open() as guard:
        for line in sys.stdin:
            start = time.process_time()
            outcomes = [guard.check(text, use_case="bench") for text in json.loads(line)]
            seconds = time.process_time() - start
            for outcome in outcomes:
                if outcome.assessment.reason or outcome.assessment.passages:
                    raise SystemExit(f"not one plain pass: {outcome}")
            print(seconds, flush=True)


if __name__ == "__main__":
    main()
