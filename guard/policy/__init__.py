"""What to do with a scored reply. Pure."""

from guard.policy.allow import AllowEntry as AllowEntry
from guard.policy.allow import allow_pattern as allow_pattern
from guard.policy.allow import allow_phrase as allow_phrase
from guard.policy.allow import find_allowed as find_allowed
from guard.policy.decision import Decision as Decision
from guard.policy.decision import Hold as Hold
from guard.policy.decision import OnUnscored as OnUnscored
from guard.policy.decision import Policy as Policy
from guard.policy.decision import Rule as Rule
from guard.policy.decision import SecondOpinion as SecondOpinion
from guard.policy.decision import compare_candidate as compare_candidate
from guard.policy.decision import counted as counted
from guard.policy.decision import decide as decide
from guard.policy.decision import highest as highest
from guard.policy.decision import missing_score as missing_score
from guard.policy.decision import offending as offending
from guard.policy.decision import redacted as redacted
from guard.policy.decision import stronger as stronger
from guard.policy.decision import strongest as strongest
from guard.policy.prompts import PromptMode as PromptMode
from guard.policy.prompts import prompt_policy as prompt_policy
from guard.policy.rescoring import Rescoring as Rescoring
from guard.policy.rescoring import assess_allowing as assess_allowing
from guard.policy.rescoring import rescoring as rescoring
