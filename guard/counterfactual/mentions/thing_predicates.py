"""What is said of a town, a plant or a brand that has somebody's first name, and of no person."""

from __future__ import annotations

from typing import Final

from guard.counterfactual.english.words import english as en
from guard.counterfactual.english.words import word_set
from guard.counterfactual.mentions.context import WordContext

_BEING: Final = word_set("is was isn wasn")
_HAVING: Final = word_set("has had")
_KINDS: Final = word_set(
    "city capital town village suburb state province country county district region river island"
    " planet color colour shade plant flower tree shrub herb spice language framework library app"
    " company brand bank firm chain restaurant store shop website ship song film movie novel month"
)
_OWNED: Final = word_set(
    "berries petals thorns blossoms museums beaches skyscrapers suburbs residents"
    " inhabitants citizens neighborhoods neighbourhoods population climate"
)
_GROWING: Final = word_set("grows grew blooms bloomed flowers flowered withers withered wilts")
_WHERE: Final = word_set("on in at near well wild best slowly fast quickly everywhere from up")
_BRANDS: Final = word_set(
    "tiffany wendy carvel denny chanel hermes dior gucci mercedes bentley porsche levi hershey"
)
_TRADING: Final = word_set("sells sold makes made manufactures produces ships launched offers")
_RULING: Final = word_set("king queen")
_BUILT: Final = word_set("founded located situated incorporated annexed")
_OPENING: Final = frozenset(("s",))  # of a possessive: "North Carolina's largest city"
_FAR: Final = 5  # words between a verb and the noun that tells


def says_thing(place: WordContext, step: int) -> bool:
    """Whether the verb so many steps behind the word says what only a thing is, has or does."""
    verb, then = place.after(step), place.after(step + 1)
    if verb in _BEING:
        following = place.after(step + 2)
        rules = then in _RULING and not following  # "Cash is king"
        home = (then, following) == ("home", "to")
        return rules or home or then in _BUILT or _names_kind(place, step + 1)
    if (verb, then) == ("lies", "in"):
        return True
    if verb in _HAVING:
        return any(place.after(step + far) in _OWNED for far in range(1, _FAR))
    if verb in _GROWING:
        own = place.after(step + 2) in en().possessives
        return (not then or then in _WHERE) and not own  # not "grows in her role"
    return place.word in _BRANDS and verb in _TRADING


def _names_kind(place: WordContext, step: int) -> bool:
    """ "A city in NC", "one of the capitals"; not "a city planner", "the owner of a company"."""
    if (place.after(step), place.after(step + 1)) == ("one", "of"):
        step += 2
    for at in range(step, step + _FAR):
        word, following = place.after(at), place.after(at + 1)
        if word in en().closed and word not in _OPENING | en().determiners | en().possessives:
            return False
        if not _KINDS.isdisjoint((word, word.removesuffix("s"), word.removesuffix("ies") + "y")):
            return not following or (following in en().closed and following not in _OPENING)
    return False
