# Every command works from any folder: make -C path/to/evenguard test
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup servers demo observe docs check test lint types imports tests soak mutations audit release test-models test-litellm test-ray models-large bench bench-scoring bench-fairness bench-autoeval bench-shadow bench-gateway clean
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
# The tests start hundreds of processes, and each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
MANIFESTS := pyproject.toml models/pyproject.toml scripts/environment.sh
ARGS ?=
# The published encoder that the larger model is made from, and where that model lies.
BASE ?= build/all-mpnet-base-v2
LARGE := large/guard_models_large/toxicity-stereotype-mpnet
# Tests run in as many processes; a file's tests stay together, so that they share their servers.
# In the order of folders the many short files of unit tests come last, and all processes end
# together; xdist's own order keeps the files with few tests for the end, and those are the slow ones.
WORKERS ?= 4
# A process that dies is not replaced: pytest-xdist 3.8 would wait for its successor without end.
SPREAD := --dist loadfile --no-loadscope-reorder --max-worker-restart=0
PARALLEL := -n $(WORKERS) $(SPREAD)
# Tests that hardly ever wait: each more process than there are cores would only load them all again.
BUSY := -n 2 $(SPREAD)
# Lines are counted in the tests near the code alone: they must cover it by themselves, with a few
# short ones of what only a server or a command runs. Tracing makes others slower for nothing:
# browsers, simulations, and properties, which go through the same lines over and over.
SHORT := $(patsubst %,tests/integration/test_%.py,alarm_webhook chat_judge metrics_server review_server status_command suggest_command upstream wrap_openai)
MEASURED := tests/unit tests/contract tests/golden $(SHORT)
WHOLE := tests/integration tests/browser tests/simulation tests/property $(SHORT:%=--ignore=%)

LONG := -o faulthandler_timeout=0
# How long everything fails in `make soak`.
MINUTES ?= 60

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: .venv/.ready servers ## an environment with all that demo and tests need (.venv, no torch)

servers: # the programs the tests start; nothing to do when they are there
	@scripts/environment.sh servers

demo: .venv/.ready ## the guard on scripted traffic; options in ARGS: make demo ARGS="--seconds 10 --port 0"
	@$(BIN)/guard demo $(ARGS)

observe: .venv/.ready servers ## the demo with a Prometheus that watches it, and Grafana where there is one; options in ARGS
	@$(BIN)/python scripts/observe.py $(ARGS)

docs: .venv-docs/.ready ## the documentation as a site in build/site; every link is checked
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build
	@echo "make docs: $(CURDIR)/build/site/index.html"

check: lint types imports ## the fast gates: lint, types, imports, unit and property tests
	EVENGUARD_QUICK=1 $(BIN)/python -m pytest -q -n 2 --dist worksteal --max-worker-restart=0 -m "not slow" tests/unit tests/property $(ARGS)

test: lint types imports tests ## everything: the gates, every test with coverage, the wheels built and used
	@echo "make test: all passed"

soak: setup .venv-smollm2/.ready ## the long forms, two hours or three: many kills, many seeds, a flood, a million answers, an hour of faults
	EVENGUARD_SOAK=1 CI=true $(BIN)/python -m pytest $(LONG) -m "soak or not soak" tests/property tests/contract
	EVENGUARD_SOAK=1 CI=true $(BIN)/python -m pytest $(LONG) -m soak $(ARGS)
	$(BIN)/python -m tests.benchmarks.bench_growth
	$(BIN)/python -m tests.benchmarks.flood_gateway
	$(BIN)/python -m tests.benchmarks.fuzz_gateway
	$(BIN)/python -m tests.soak --minutes $(MINUTES) --plot build/soak.svg
	@echo "make soak: all passed"

mutations: setup ## twenty small faults put into the code: do the tests near each notice?
	$(BIN)/python -m tests.mutations $(ARGS)

audit: setup ## what is locked, and what we admit, against the known holes of libraries; needs no network
	$(BIN)/python -m scripts.audit

release: setup ## wheels, sdists, their digests and a bill of materials (CycloneDX) in dist
	$(BIN)/python -m scripts.release

test-models: .venv-models/.ready ## tests of training and export, in an environment of their own (torch)
	.venv-models/bin/python -m pytest -o addopts="--import-mode=importlib --strict-markers" tests/models
	@echo "make test-models: all passed"

test-litellm: setup .venv-litellm/.ready ## the guardrail of the real LiteLLM proxy, in an environment of its own
	$(BIN)/python -m pytest -o addopts="--import-mode=importlib --strict-markers -p no:langsmith_plugin" tests/litellm $(ARGS)
	@echo "make test-litellm: all passed"

test-ray: .venv-ray/.ready ## `guard assess --engine ray` on clusters of this machine, in an environment of its own
	.venv-ray/bin/python -m pytest -o addopts="--import-mode=importlib --strict-markers" tests/clusters $(ARGS)
	@echo "make test-ray: all passed"

models-large: .venv-models/.ready ## the wheel evenguard-models-large in dist; BASE=folder of all-mpnet-base-v2, or it is downloaded
	cd models && ../.venv-models/bin/python -m train.published $(abspath $(BASE))
	cd models && ../.venv-models/bin/python -m export large --weights teacher --base $(abspath $(BASE)) --out $(LARGE)
	cd models && ../.venv-models/bin/python -m export.wheel large ../dist

bench: ## every benchmark, as ratios measured in one run (torch, LangFair and LiteLLM, for the other sides)
	@status=0; for part in scoring fairness autoeval shadow gateway; do $(MAKE) --no-print-directory bench-$$part || status=1; done; exit $$status

bench-scoring: setup .venv-bench/.ready ## what a score costs, throughput, latency, memory
	@scripts/bench.sh $(BIN)/python .venv-bench/bin/python

bench-fairness: setup .venv-langfair/.ready ## what the fairness metrics and rewriting cost
	@scripts/bench_fairness.sh $(BIN)/python .venv-langfair/bin/python

bench-autoeval: setup .venv-autoeval/.ready ## what an assessment costs beside LangFair's AutoEval, and its share of inference
	@NLTK_DATA=$$(echo .venv-autoeval/lib/python3*/site-packages/llama_index/core/_static/nltk_cache) \
	  $(BIN)/python tests/benchmarks/bench_autoeval.py --autoeval-python .venv-autoeval/bin/python

bench-shadow: setup ## what shadowing costs callers, and what spool and stores cost
	@scripts/bench_shadow.sh $(BIN)/python

bench-gateway: setup .venv-litellm/.ready ## what the gateway costs, beside LiteLLM's, and how it bears a flood
	@scripts/bench_gateway.sh $(BIN)/python .venv-litellm/bin/python

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

tests: setup
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(BUSY) $(MEASURED) $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/python -m pytest $(PARALLEL) $(WHOLE) $(ARGS)

.venv/.ready: $(MANIFESTS)
	scripts/environment.sh main

.venv-models/.ready: $(MANIFESTS)
	scripts/environment.sh models

.venv-docs/.ready: pyproject.toml scripts/environment.sh
	scripts/environment.sh docs

.venv-bench/.ready: scripts/environment.sh
	scripts/environment.sh bench

.venv-langfair/.ready: scripts/environment.sh
	scripts/environment.sh langfair

.venv-autoeval/.ready: scripts/environment.sh
	scripts/environment.sh autoeval

.venv-litellm/.ready: scripts/environment.sh
	scripts/environment.sh litellm

.venv-ray/.ready: $(MANIFESTS)
	scripts/environment.sh ray

.venv-smollm2/.ready: scripts/environment.sh
	scripts/environment.sh smollm2

clean: ## remove the environments and everything built
	rm -rf .venv .venv-models .venv-docs .venv-bench .venv-langfair .venv-autoeval .venv-litellm .venv-ray .venv-smollm2 dist build models/dist .coverage .coverage.* htmlcov
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
