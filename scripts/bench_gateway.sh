#!/usr/bin/env bash
# Runs the benchmarks of the gateway and of tracing, one after the other, and fails if a promised bound was missed.
#   scripts/bench_gateway.sh PYTHON PYTHON_WITH_LITELLM
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

status=0
"$1" tests/benchmarks/bench_gateway.py "$2" || status=1
"$1" tests/benchmarks/bench_litellm.py "$2" || status=1
"$1" tests/benchmarks/flood_gateway.py || status=1
"$1" tests/benchmarks/bench_tracing.py || status=1
exit $status
