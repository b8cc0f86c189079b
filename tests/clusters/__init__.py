"""`guard assess --engine ray` on clusters of this machine, in an environment of its own: Ray is
large, and no other test needs it. `make test-ray`."""
