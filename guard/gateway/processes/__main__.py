"""The entry point of a worker: `python -m guard.gateway.processes MESSAGES LISTENER...`.

All are numbers of inherited file descriptors: a socket to the supervisor, and those that clients
connect to.
"""

from __future__ import annotations

import sys
from importlib import import_module

from guard.gateway.processes.orphans import continue_when_orphaned

if __name__ == "__main__":
    continue_when_orphaned()  # before the imports: they take a second in which it may be stopped
    worker = import_module("guard.gateway.processes.worker")
    worker.main(int(sys.argv[1]), [int(number) for number in sys.argv[2:]])
