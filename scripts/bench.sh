#!/usr/bin/env bash
# Runs the benchmarks of scoring, one after the other, and fails if a promised bound was missed.
#   scripts/bench.sh PYTHON TORCH_PYTHON
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

status=0
"$1" tests/benchmarks/bench_cost.py --torch-python "$2" || status=1
"$1" tests/benchmarks/bench_throughput.py || status=1
"$1" tests/benchmarks/bench_latency.py || status=1
"$1" tests/benchmarks/bench_process.py || status=1
exit $status
