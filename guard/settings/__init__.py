"""guard.yaml: read once, at the edge, and turned into records."""

from guard.settings.counterfactual import Counterfactual, lexicons_of
from guard.settings.gateway import GatewayKey, GatewaySettings, Listening
from guard.settings.load import load_settings, parse_settings
from guard.settings.model import BUILT_IN, ModelSettings, Settings, UseCase, use_case_name
from guard.settings.review import ReviewSettings
from guard.settings.shadow import Budget, Flags, ShadowSettings
from guard.settings.stored import StoreSettings, UpstreamSettings

__all__ = [
    "BUILT_IN",
    "Budget",
    "Counterfactual",
    "Flags",
    "GatewayKey",
    "GatewaySettings",
    "Listening",
    "ModelSettings",
    "ReviewSettings",
    "Settings",
    "ShadowSettings",
    "StoreSettings",
    "UpstreamSettings",
    "UseCase",
    "lexicons_of",
    "load_settings",
    "parse_settings",
    "use_case_name",
]
