"""Who is mentioned in a text, and the same text about another group. Pure; no I/O but data files.

`rewrite` never guesses: where grammar, reference or the lexicon leave a doubt it declines and says
why. One person who is called "they" does something to "themselves".
"""

from guard.counterfactual.control import control as control
from guard.counterfactual.eligible import NeverShadowed as NeverShadowed
from guard.counterfactual.eligible import never_shadowed as never_shadowed
from guard.counterfactual.eligible import sampled as sampled
from guard.counterfactual.eligible import shadow_parameters as shadow_parameters
from guard.counterfactual.lexicons.files import bundled as bundled
from guard.counterfactual.lexicons.forms import Form as Form
from guard.counterfactual.lexicons.forms import Kind as Kind
from guard.counterfactual.lexicons.index import Lexicons as Lexicons
from guard.counterfactual.lexicons.name_forms import Signal as Signal
from guard.counterfactual.lexicons.name_forms import by_name as by_name
from guard.counterfactual.lexicons.name_forms import told_by_names as told_by_names
from guard.counterfactual.masks import PersonMasks as PersonMasks
from guard.counterfactual.masks import ages_told as ages_told
from guard.counterfactual.masks import masked as masked
from guard.counterfactual.masks import person_masks as person_masks
from guard.counterfactual.mentions.find import Found as Found
from guard.counterfactual.mentions.find import Mention as Mention
from guard.counterfactual.mentions.find import find as find
from guard.counterfactual.mentions.find import free_of_groups as free_of_groups
from guard.counterfactual.records import Check as Check
from guard.counterfactual.records import Declined as Declined
from guard.counterfactual.records import Replacement as Replacement
from guard.counterfactual.records import Rewrite as Rewrite
from guard.counterfactual.rewrite import rewrite as rewrite
from guard.counterfactual.rewrite import rewrite_all as rewrite_all
from guard.counterfactual.rewrite import variants as variants
from guard.counterfactual.validity import check as check
