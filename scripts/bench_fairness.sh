#!/usr/bin/env bash
# Runs the benchmarks against LangFair, one after the other, and fails if a goal was missed.
#   scripts/bench_fairness.sh PYTHON LANGFAIR_PYTHON
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

NLTK_DATA=$(echo "$PWD"/.venv-langfair/lib/python3*/site-packages/llama_index/core/_static/nltk_cache)
export NLTK_DATA
status=0
"$1" tests/benchmarks/bench_fairness.py --langfair-python "$2" || status=1
"$1" tests/benchmarks/bench_counterfactual.py --langfair-python "$2" || status=1
exit $status
