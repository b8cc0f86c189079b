from tests.unit.cli.conftest import engine

__all__ = ["engine"]
