#!/usr/bin/env bash
# Runs the benchmarks of the shadow path, one after the other, and fails if a promised bound was missed.
#   scripts/bench_shadow.sh PYTHON
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

status=0
"$1" tests/benchmarks/bench_spool.py || status=1
"$1" tests/benchmarks/bench_stores.py || status=1
"$1" tests/benchmarks/bench_scrape.py || status=1
"$1" tests/benchmarks/bench_shadow.py || status=1
exit $status
