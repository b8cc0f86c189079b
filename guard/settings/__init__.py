"""guard.yaml: read once, at the edge, and turned into records."""

from guard.settings.load import load_settings, parse_settings
from guard.settings.model import ModelSettings, Settings, UseCase

__all__ = ["ModelSettings", "Settings", "UseCase", "load_settings", "parse_settings"]
