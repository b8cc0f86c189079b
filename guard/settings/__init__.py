"""guard.yaml: read once, at the edge, and turned into records."""

from guard.settings.counterfactual import Counterfactual as Counterfactual
from guard.settings.counterfactual import lexicons_of as lexicons_of
from guard.settings.load import Settings as Settings
from guard.settings.load import errors_name as errors_name
from guard.settings.load import load_settings as load_settings
from guard.settings.load import parse_settings as parse_settings
from guard.settings.load import section_of as section_of
from guard.settings.sections import GatewayKey as GatewayKey
from guard.settings.sections import Listener as Listener
from guard.settings.sections import MetricsSettings as MetricsSettings
from guard.settings.sections import ModelSettings as ModelSettings
from guard.settings.sections import ReviewSettings as ReviewSettings
from guard.settings.sections import StoreSettings as StoreSettings
from guard.settings.sections import UpstreamSettings as UpstreamSettings
from guard.settings.use_cases import BUILT_IN as BUILT_IN
from guard.settings.use_cases import Rules as Rules
from guard.settings.use_cases import ShadowSettings as ShadowSettings
from guard.settings.use_cases import UseCase as UseCase
from guard.settings.use_cases import use_case_name as use_case_name
from guard.settings.variables import shown_variable as shown_variable
from guard.settings.variables import unset_variable as unset_variable
