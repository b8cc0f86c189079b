"""Names that count as something else, and would stay while what may be their pronouns change.

"My employee is Zara. She is late" must not become "... Zara. He is late". `homonym_cues` and
`thing_cues` say where a first name is rather a company, a place or a prize; where a pronoun of its
group follows it all the same, and no other person is there whom that can mean, nobody can tell.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.kept_names import MOVING, pronoun_comes
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.homonym_cues import OWNING, known_as
from guard.counterfactual.mentions.name_cues import all_capitals, is_place
from guard.counterfactual.mentions.protected import inside
from guard.counterfactual.mentions.surname_cues import is_surname
from guard.counterfactual.mentions.thing_cues import may_be_bearer
from guard.counterfactual.people import AnnotatedText
from guard.counterfactual.tokens import Tokens, tokens_of

_ENDS: Final = frozenset(".!?\n}")
_JOINING: Final = word_set("that because and but if when whether while so since")
_ASKING: Final = word_set("did does has had is was can could will would should do")
_SUBJECTS: Final = frozenset(("he", "she"))
_OWNED: Final = OWNING | {"s"}
_BEING: Final = word_set("is was s as became")
_WHERE: Final = word_set("in on via using through across within near into outside toward towards")
_TRUSTING: Final = word_set(
    "trust trusts trusted believe believes believed faith confidence confide confided interested"
    " disappointed rely relies relied depend depends depended count counted call called check"
    " checked"
)
_DEALINGS: Final = word_set(
    "bank banks banked banking account accounts loan loans card cards mortgage order orders ordered"
    " work works worked working job shop shops shopped shopping bought"
)
_DEALT_WITH: Final = word_set("with at from for by of")
_BEFORE_TONGUES: Final = word_set(
    "is was are were speak speaks spoke speaking learn learns learnt learned learning study studies"
    " studied teach teaches taught understand understands"
)
_SHORTEST_IN_CAPITALS: Final = 4


def names_in_doubt(
    pages: Sequence[AnnotatedText], lexicons: Lexicons, source: str
) -> tuple[str, ...]:
    """First names of the group that count as no person, but whose pronouns may change."""
    found: list[str] = []
    known = False  # whether somebody was spoken of before, whom a pronoun may stand for
    for page in pages:
        changing = any(one.form.group == source for one in page.people)
        if changing or (not known and pronoun_comes(pages, page, source)):
            names = _Names.read(page, lexicons, source, known=known)
            found += names.all() if not changing else names.followed()
        known |= changing
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class _Names:
    """The words of one text and the places, in characters, of the people in it.

    pronouns, changing: mentions of the group. others: whom a pronoun may mean as well as a name.
    sentences: where each begins.
    """

    tokens: Tokens
    places: tuple[WordContext, ...]
    pronouns: tuple[int, ...]
    changing: tuple[int, ...]
    others: tuple[int, ...]
    sentences: tuple[int, ...]
    known: bool

    @classmethod
    def read(cls, page: AnnotatedText, lexicons: Lexicons, source: str, *, known: bool) -> _Names:
        tokens = tokens_of(page.text)
        places = tuple(_places(page, tokens, lexicons, source))
        of_group = [one for one in page.people if one.form.group == source]
        nouns = person_nouns(tokens, lexicons) if places else ()
        mentions = [one for one in page.people if one.form.kind is Kind.NAME]
        mentions += [one for one in of_group if one.form.kind is not Kind.PRONOUN]
        return cls(
            tokens=tokens,
            places=places,
            pronouns=tuple(one.span.start for one in of_group if one.form.kind is Kind.PRONOUN),
            changing=tuple(one.span.start for one in of_group),
            others=tuple(sorted((*nouns, *(one.span.start for one in mentions)))),
            sentences=tuple(_sentences(tokens)) if places else (0,),
            known=known,
        )

    def all(self) -> Iterator[str]:
        """Every name, where only pronouns of a later text may be theirs."""
        return (one.surface for one in self.places)

    def followed(self) -> Iterator[str]:
        """The names that a pronoun follows which can mean nobody else."""
        for place in self.places:
            start = self.tokens.starts[place.first]
            pronoun = _next(self.pronouns, start)
            other = _next(self.others, start)
            if pronoun is None or (other is not None and other < pronoun):
                continue
            if not self._is_somebody_before(place, pronoun):
                yield place.surface

    def _is_somebody_before(self, place: WordContext, pronoun: int) -> bool:
        """Whether a person of the group was spoken of before whom the pronoun can mean.

        Behind a subject, "he" and "she" mean that one sooner than anybody of earlier sentences.
        """
        start = self.tokens.starts[place.first]
        number = bisect_right(self.changing, start) - 1
        word = self.tokens.word(bisect_right(self.tokens.starts, pronoun) - 1)
        if word not in _SUBJECTS or not _is_subject(place):
            return self.known or number >= 0
        sentence = self.sentences[bisect_right(self.sentences, start) - 1]
        return number >= 0 and self.changing[number] >= sentence


def _sentences(tokens: Tokens) -> Iterator[int]:
    return (
        start
        for at, start in enumerate(tokens.starts)
        if at == 0 or not _ENDS.isdisjoint(tokens.gap(at - 1))
    )


def _next(starts: Sequence[int], after: int) -> int | None:
    number = bisect_right(starts, after)
    return starts[number] if number < len(starts) else None


def _places(
    page: AnnotatedText, tokens: Tokens, lexicons: Lexicons, source: str
) -> Iterator[WordContext]:
    """Where first names of the group stand that count as no person, and yet may be one."""
    people = {one.span.start for one in page.people}
    untouchable = page.found.untouchable
    taken = [span.start for span in untouchable]
    for at, start in enumerate(tokens.starts):
        if not tokens.text[start].isupper() or start in people:
            continue
        record = lexicons.people.first.record(tokens.lower[at])
        if record is None or record.gender != source:
            continue
        place = WordContext(tokens, at, at, lexicons)
        stays = inside(untouchable, taken, start, tokens.ends[at])
        if not stays and _is_in_doubt(place):
            yield place


def _is_in_doubt(place: WordContext) -> bool:
    """Whether the name is known as something else, or the words around say so, without proof."""
    kind = known_as(place)
    if place.in_full_name() or _is_owned(place) or is_place(place) or _is_part(place):
        return False
    if not kind:
        return may_be_bearer(place)
    if all_capitals(place) and len(place.surface) < _SHORTEST_IN_CAPITALS:
        return False
    return not (_is_used(place, kind) or _is_common(place, kind))


def _is_owned(place: WordContext) -> bool:
    """ "A Mac", "the new Mercedes", "their Chase account"."""
    return place.before(place.past(1, place.cues.modifiers)) in _OWNED


def _is_part(place: WordContext) -> bool:
    """Of a compound ("German-speaking"), a version ("Mac 2") or a person's full name."""
    before, title = place.gap_before(), place.tokens.word(place.first - 1)
    joined = before.endswith(("-", "/", "@", "#")) or place.gap_after().startswith(("-", "/"))
    titled = title in place.cues.titles and before.strip() in ("", ".")
    surname = is_surname(place) and not place.is_person(place.before())
    return joined or titled or surname or place.after().isdigit()


def _is_used(place: WordContext, kind: str) -> bool:
    """ "In Perl", "banks with Chase", "moved to Reno", "speaks German"."""
    before, two = place.before(), place.before(2)
    if place.gap_after().startswith(("'", "’")):
        return False
    if (before in _WHERE and two not in _TRUSTING) or (before in _DEALT_WITH and two in _DEALINGS):
        return True
    if kind == "places":
        moving = any(place.before(steps) in MOVING for steps in range(2, 5))
        return before in place.cues.geographic or (before in ("to", "from") and moving)
    if kind != "tongues":
        return False
    introduced = before in ("is", "was") and two in place.cues.naming
    said = bool(two) and before in _BEFORE_TONGUES and not introduced
    return said or (before not in _ASKING and _before_noun(place))


def _is_common(place: WordContext, kind: str) -> bool:
    """A word whose capital the start of the sentence gives: "Long waits made him angry"."""
    if kind != "words" or not place.starts_sentence():
        return False
    verb = place.verb_at(1) or place.after() in place.cues.persons | place.cues.auxiliaries
    return place.gap_after() == " " and (place.verb_at(2) or (not verb and _before_noun(place)))


def _before_noun(place: WordContext) -> bool:
    """ "German cars", "long waits": a word in small letters that is neither verb nor particle."""
    word, cues = place.after(), place.cues
    if not word or place.gap_after() != " " or word.endswith(("ly", "ed")):
        return False
    apart = (cues.function, cues.persons, cues.auxiliaries, cues.dates)
    plain = not any(word in one for one in apart)
    return place.tokens.surface(place.last + 1).islower() and plain and not _acts(place)


def _acts(place: WordContext) -> bool:
    """Whether what follows is a verb with its object: "works as", "pays the rent"."""
    cues = place.cues
    object_follows = place.after(2) in cues.function | cues.determiners
    return place.verb_at(1) or (place.after().endswith("s") and object_follows)


def _is_subject(place: WordContext) -> bool:
    before = place.before()
    return not before or before in _JOINING | _ASKING or place.starts_sentence()


def person_nouns(tokens: Tokens, lexicons: Lexicons) -> Iterator[int]:
    """Nouns for somebody else: "the customer", "my boss"; not "is a nurse", "Zara, a nurse"."""
    cues = lexicons.cues
    owners = cues.determiners | OWNING
    for at, word in enumerate(tokens.lower):
        if not cues.is_person(word) or word in cues.firms:
            continue
        step = 1 if tokens.word(at - 1) in owners else 2
        beside = tokens.gap(at - step - 1) == ", "
        said = tokens.word(at - step - 1) in _BEING or beside
        if at >= step and tokens.word(at - step) in owners and not said:
            yield tokens.starts[at]
