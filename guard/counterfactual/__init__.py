"""Who is mentioned in a text, and the same text about another group. Pure; no I/O but data files.

`rewrite` never guesses: where grammar, reference or the lexicon leave a doubt it declines and says
why. One person who is called "they" does something to "themselves".
"""

from guard.counterfactual.control import control
from guard.counterfactual.edits import masked
from guard.counterfactual.eligible import NeverShadowed, never_shadowed, sampled, shadow_parameters
from guard.counterfactual.lexicons.files import bundled
from guard.counterfactual.lexicons.index import Form, Kind, Lexicons
from guard.counterfactual.mentions.find import Found, Mention, find, free_of_groups
from guard.counterfactual.records import Check, Declined, Replacement, Rewrite
from guard.counterfactual.rewrite import rewrite, rewrite_all, variants
from guard.counterfactual.validity import check

__all__ = [
    "Check",
    "Declined",
    "Form",
    "Found",
    "Kind",
    "Lexicons",
    "Mention",
    "NeverShadowed",
    "Replacement",
    "Rewrite",
    "bundled",
    "check",
    "control",
    "find",
    "free_of_groups",
    "masked",
    "never_shadowed",
    "rewrite",
    "rewrite_all",
    "sampled",
    "shadow_parameters",
    "variants",
]
