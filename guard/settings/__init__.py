"""guard.yaml: read once, at the edge, and turned into records."""

from guard.settings.counterfactual import Counterfactual, lexicons_of
from guard.settings.load import Settings, errors_name, load_settings, parse_settings
from guard.settings.sections import (
    GatewayKey,
    Listener,
    ModelSettings,
    ReviewSettings,
    StoreSettings,
    UpstreamSettings,
)
from guard.settings.use_cases import (
    BUILT_IN,
    ShadowSettings,
    UseCase,
    use_case_name,
)

__all__ = [
    "BUILT_IN",
    "Counterfactual",
    "GatewayKey",
    "Listener",
    "ModelSettings",
    "ReviewSettings",
    "Settings",
    "ShadowSettings",
    "StoreSettings",
    "UpstreamSettings",
    "UseCase",
    "errors_name",
    "lexicons_of",
    "load_settings",
    "parse_settings",
    "use_case_name",
]
