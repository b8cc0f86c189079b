"""The texts that different programs make of one: each is read, and the worst one decides."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import attrgetter, itemgetter

from guard.records import Span
from guard.text.bidi import RIGHT_TO_LEFT, in_visual_order, may_turn, without_marks
from guard.text.clean import clean
from guard.text.code_blocks import prose_alone
from guard.text.code_marks import without_code_marks
from guard.text.cut_words import cut_words
from guard.text.data_addresses import pages_in_addresses, words_of_page
from guard.text.disguise import hidden_letters, revealed_letters, without_hidden_letters
from guard.text.escapes import NOTHING, decoded, escapes_shown
from guard.text.halves import joined_halves
from guard.text.invisible import is_symbol, surplus
from guard.text.joined_strings import joined_fields, joined_strings
from guard.text.json_syntax import short_values, unquoted, values_alone
from guard.text.letter_markup import without_letter_markup
from guard.text.link_words import words_of_links
from guard.text.links import without_links
from guard.text.listings import put_listings_together
from guard.text.lookalikes import drawn_letters
from guard.text.markup import as_displayed
from guard.text.omissions import vanish
from guard.text.one_by_one import put_together
from guard.text.references import without_references
from guard.text.right_to_left import from_right_to_left
from guard.text.sentence_names import sentence_names
from guard.text.string_escapes import unescaped
from guard.text.unseen import without_unseen, without_unseen_of_wikis
from guard.text.upside_down import turned_upright
from guard.text.word_boundaries import put_blanks_right

# References so long that a cut could fall inside, written forms of the mark, and of spaces.
_WRITTEN = re.compile(r"&#[xX]?0{8}|&#0*+8238|(?:&#[xX]0*+|\\u\{?0{0,2})202[eE]")
_SPACE = re.compile(r"&(?:nbsp;?|(?:en|em|thin|hair)sp;|#0*(?:32|160);|#[xX]0*(?:20|[aA]0);)")
_MANY_SPACES = 3
_HEADING = re.compile(r"^[ \t]{0,8}#{1,6}(?=[ \t]\S)", re.MULTILINE)  # a comment as well
_NOTHINGS = re.compile(f"{NOTHING}+")
_MOST_LAYERS = 4
"""Of disguises of which each hides the next."""
_MOST_STRINGS = 2
"""JSON in JSON."""
_MOST_IN_STRING = 8
"""Readings of what a string says: each costs time."""
_STRIDE = 8
_RUN_SAMPLED = re.compile(r"([^\W_])\1{6}")
_RUN = re.compile(r"([^\W_])(\1{15})(\1{48,})")
# Where a line may end, or marks of direction: each could be read as a blank.
_UNSEEN = re.compile("(?<=[A-Za-z])[\u200b-\u200f\u2060\ufeff](?=[A-Za-z])")
# Displays show nothing of them, or a blank, as `clean` reads them.
_FILLER = re.compile("(?<=[A-Za-z])[\x85\u115f\u1160\u3164\uffa0](?=[A-Za-z])")
_SIGNS_BETWEEN = re.compile("(?<=[A-Za-z])[^\\w\\s -~]+(?=[A-Za-z])")
_SIGNS_BESIDE = re.compile(r"(?<=[A-Za-z])[^\w\s -~]+|(?<![^\w\s -~])[^\w\s -~]+(?=[A-Za-z])")
_IN_BASE64 = re.compile(r"(?<=;base64,)[A-Za-z0-9+/]{24,}={0,2}")
"""What an address holds (`data:image/png;base64,`): nobody reads it, and it takes long."""
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_end, _start = attrgetter("end"), attrgetter("start")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReading:
    """A text as one kind of reader reads it.

    turned: paragraphs of which the letters stand in another order than they are written in.
    shortened: places in `text` where signs that nobody sees are left out, in order, and how many
    of them up to there; blanks that are added count as less than none. Without any, `text` is as
    long as what it is read from. excerpt: it is some of the text, or the text put together, which
    others have as it stands: that it cannot be read says nothing of the text. within: the reading
    that it is read from, where that is not what is written; turned and shortened are places in
    that. pieces: of a long text, readings of its parts, which stand in `text` one behind the other,
    each with where it begins.
    """

    text: str
    turned: tuple[Span, ...] = ()
    shortened: tuple[tuple[int, int], ...] = ()
    excerpt: bool = False
    within: TextReading | None = None
    pieces: tuple[tuple[int, TextReading], ...] = ()

    def place(self, span: Span) -> Span:
        """Where in what is written a range of `text` is from: all of a paragraph that is turned."""
        place = self._place_in_pieces(span) if self.pieces else self._place(span)
        return self.within.place(place) if self.within else place

    def _place_in_pieces(self, span: Span) -> Span:
        """Of a range that reaches into several pieces, where most of it is from."""
        last = bisect_right(self.pieces, max(span.end - 1, 0), key=itemgetter(0)) - 1
        first = min(bisect_right(self.pieces, span.start, key=itemgetter(0)) - 1, last)
        inside = [_within(span, start, piece) for start, piece in self.pieces[first : last + 1]]
        part, piece = max(inside, key=lambda one: one[0].end - one[0].start)
        return piece.place(part)

    def _place(self, span: Span) -> Span:
        span = Span(start=self.written(span.start), end=self.written(span.end))
        first = bisect_right(self.turned, span.start, key=_end)
        touched = self.turned[first : bisect_left(self.turned, span.end, key=_start)]
        if not touched:
            return span
        start, end = min(span.start, touched[0].start), max(span.end, touched[-1].end)
        return Span(start=start, end=end)

    def written(self, at: int) -> int:
        """Where in what is written a place of `text` is."""
        cuts = bisect_right(self.shortened, at, key=itemgetter(0))
        return at + self.shortened[cuts - 1][1] if cuts else at


def _within(span: Span, start: int, piece: TextReading) -> tuple[Span, TextReading]:
    """What of a range lies in a piece that begins at `start`."""
    begin, end = (min(max(at - start, 0), len(piece.text)) for at in (span.start, span.end))
    return Span(start=begin, end=end), piece


def readings(text: str) -> tuple[TextReading, ...]:
    """What is to be read of `text`: itself alone, for nearly every text.

    Where a mark turns letters round, in the order of writing and as displays show it; where words
    have markup inside, and where there are tags, with it and as programs show it; where there are
    invisible letters, what can be seen, they, and both together. Fillers, and symbols between
    letters, are read as blanks and as nothing, and letters that are stretched, more than once in a
    text, also as one. JSON is read without its quotation marks; what values of formats say is read
    alone, and many short ones too. Letters and words that stand one by one are read as they stand
    and put together, words drawn of several alphabets also in plain letters, sentences also with
    blanks where they belong, names that are sentences alone, and lines without their addresses.
    Strings with escapes are read as whoever parses them does, prose without the blocks of code
    beside it and the marks of code, and lines of letters upside down from their end. Escapes and
    references, where there are several, are read as they are shown, and strings that are joined as
    one.
    The signs of a heading are left out; of a long run of one letter, or of signs that nobody sees,
    all but the first are. A text with one disguise under another is made plain.
    """
    return _made_plain(_all_readings(text))


def as_written(text: str) -> TextReading:
    """The first of `readings`: as it stands, and shown."""
    shown = next(_ordered(without_hidden_letters(unquoted(_source(text)))))
    return _laid_open(replace(shown, text=without_code_marks(shown.text)))


def _source(text: str) -> str:
    text = joined_halves(text)
    source = _without_runs(decoded(text) if _has_written_marks(text) else text)
    if "base64," in source:
        source = _IN_BASE64.sub(vanish, source)
    return _HEADING.sub(lambda marks: " " * len(marks[0]), source)


def _all_readings(text: str) -> Iterator[TextReading]:
    source = _source(text)
    yield from _of_source(source)
    yield from _in_strings(source, depth=0)
    yield from _with_escapes(source)
    yield from _in_addresses(text)


def _of_source(source: str) -> Iterator[TextReading]:
    """Without what strings and escapes say to those who decode them."""
    values = tuple(short_values(source))
    yield from _shown(source, values)
    yield from (replace(one, excerpt=True) for each in _drawn(source) for one in _ordered(each))
    alone = [*values_alone(source)]
    some = [*alone, *chain.from_iterable(map(cut_words, map(without_hidden_letters, alone)))]
    some += cut_words(without_hidden_letters(source))
    some += [*sentence_names(source), *without_links(source)]
    some += filter(None, (joined_strings(source), joined_fields(source), words_of_links(source)))
    some += [prose] if (prose := prose_alone(source)) != source and not prose.isspace() else []
    yield from (replace(one, excerpt=True) for each in some for one in _ordered(each))
    yield from _from_right_to_left(source)
    if (upright := turned_upright(source)) is not None:
        yield TextReading(text=upright[0], turned=upright[1], excerpt=True)


def _from_right_to_left(source: str) -> Iterator[TextReading]:
    """With paragraphs that go from right to left as they are shown, and so put together."""
    for shown, turned in from_right_to_left(source):
        one = TextReading(text=shown, turned=turned, excerpt=True)
        together = (replace(one, text=each) for each in _together(shown) if each != shown)
        yield from (_leave_out(each, _nothings(each.text)) for each in (one, *together))
        if (apart := _in_words(shown)) is not None:
            yield replace(apart, turned=turned)


def _shown(source: str, values: Sequence[str]) -> Iterator[TextReading]:
    """As it is written and displayed, and so put together. values: read so as well."""
    bare = unquoted(source)
    displayed = tuple(_displayed(bare))
    apart = dict.fromkeys((*displayed, *values))
    told = dict.fromkeys((*displayed, *_with_signs(bare), *values))
    yield from (one for each in told for one in _ordered(each))
    together = dict.fromkeys(chain.from_iterable(map(_together, apart)))
    some = (each for each in together if each not in told)
    yield from (replace(one, excerpt=True) for each in some for one in _ordered(each))
    yield from filter(None, map(_in_words, apart))


def _drawn(source: str) -> Iterator[str]:
    """With words that are drawn of several alphabets in plain letters, and its values so."""
    if (drawn := drawn_letters(source)) != source:
        yield drawn
        yield from values_alone(drawn)


def _made_plain(found: Iterable[TextReading]) -> tuple[TextReading, ...]:
    bare = (replace(one, text=without_code_marks(one.text)) for one in found)
    return tuple(dict.fromkeys(map(_laid_open, dict.fromkeys(bare))))


def _in_strings(source: str, *, depth: int) -> Iterator[TextReading]:
    """What strings say to those who parse them, where that is read otherwise than as it stands."""
    if depth == _MOST_STRINGS or "\\" not in source:
        return
    bare = unquoted(source)
    text = next(values_alone(source), bare if bare != source else "")
    if (found := unescaped(text)) is None:
        return
    whole = TextReading(text=found[0], shortened=found[1])
    known = (text, whole.text) if _letters(text) == _letters(whole.text) else ()
    inner = _source(whole.text)
    values = [*values_alone(inner)]
    cut = chain.from_iterable(map(cut_words, [*values, inner]))
    alone = (one for each in (*values, *cut) for one in _ordered(each))
    drawn = (one for each in _drawn(inner) for one in _ordered(each))
    some = islice(chain(alone, drawn, _shown(inner, ())), _MOST_IN_STRING)
    for one in _made_plain((*some, *_in_strings(inner, depth=depth + 1))):
        if one.text not in known:
            yield read_within(one, whole)


def _with_escapes(source: str) -> Iterator[TextReading]:
    """As browsers show it, and whoever parses it."""
    if (shown := escapes_shown(source)) is None:
        return
    whole = _leave_out(TextReading(text=shown), _nothings(shown))
    for one in _made_plain(islice(_of_source(whole.text), _MOST_IN_STRING)):
        yield read_within(one, whole)


def _in_addresses(text: str) -> Iterator[TextReading]:
    """What pages say that an address holds."""
    if (shown := pages_in_addresses(text)) is None:
        return
    whole = _leave_out(TextReading(text=shown), _nothings(shown))
    if not (page := words_of_page(whole.text)):
        return
    for one in _made_plain(islice(_of_source(_source(page)), _MOST_IN_STRING)):
        yield read_within(replace(one, excerpt=True), whole)


def _nothings(text: str) -> list[Span]:
    return [Span(start=run.start(), end=run.end()) for run in _NOTHINGS.finditer(text)]


def _letters(text: str) -> str:
    """What is read of it, without blanks."""
    return "".join(clean(text).replace(NOTHING, "").split())


def read_within(one: TextReading, whole: TextReading) -> TextReading:
    """`one`, a reading of what `whole` shows, as an excerpt of what is written."""
    inner = whole if one.within is None else read_within(one.within, whole)
    return replace(one, excerpt=True, within=inner)


def _in_words(text: str) -> TextReading | None:
    """With blanks where they belong; None where they are."""
    plain = clean(text)
    right, places = put_blanks_right(plain)
    if right == plain and not places:
        return None
    return replace(_with_blanks(right, places) or TextReading(text=right), excerpt=True)


def _together(text: str) -> Iterator[str]:
    """Put together as it is written, and as it is read where that shows more."""
    yield put_together(text)
    if (bare := without_letter_markup(text)) != text:
        yield put_together(bare)
    yield put_listings_together(text)
    plain = text if text.isascii() else clean(text)
    if plain != text and (found := put_together(plain)) != plain:
        yield found


def _displayed(text: str) -> Iterator[str]:
    """As it is written, and as displays show it: with all of its words, and without those that they
    do not show."""
    seen = without_hidden_letters(text)
    yield seen
    yield as_displayed(seen)
    plain = without_references(seen)
    if (shown := without_unseen(plain)) != seen:
        yield as_displayed(shown)
        yield as_displayed(without_unseen_of_wikis(plain))


def _with_signs(text: str) -> Iterator[str]:
    """With signs that stand between letters read as nothing and as blanks, and letters that nobody
    sees as letters."""
    seen = without_hidden_letters(text)
    yield _FILLER.sub(NOTHING, seen)
    if not seen.isascii() and any(map(_has_symbol, _SIGNS_BETWEEN.findall(seen))):
        yield _SIGNS_BESIDE.sub(_without_symbols, seen)
    if len(_STRETCHED.findall(seen)) > 1:  # once is how people write
        yield _STRETCHED.sub(lambda run: run[1] + NOTHING * (len(run[0]) - 1), seen)
    if len(_UNSEEN.findall(text)) >= _MANY_SPACES:
        yield without_hidden_letters(_UNSEEN.sub(" ", text))
    if seen != text:
        yield hidden_letters(text)
        yield revealed_letters(text)


def _has_symbol(signs: str) -> bool:
    return any(map(is_symbol, signs))


def _without_symbols(signs: re.Match[str]) -> str:
    return "".join(NOTHING if is_symbol(sign) else sign for sign in signs[0])


def _ordered(text: str) -> Iterator[TextReading]:
    if not may_turn(text):
        yield TextReading(text=text)
        return
    shown, turned = in_visual_order(text)
    if not turned and RIGHT_TO_LEFT not in text:
        yield TextReading(text=text)
        return
    yield TextReading(text=without_marks(text))
    yield TextReading(text=shown, turned=turned)


def _with_blanks(text: str, places: Sequence[int]) -> TextReading | None:
    """`text` with a blank before each of these places; None without any."""
    if not places:
        return None
    parts = (text[slice(*ends)] for ends in zip((0, *places), (*places, None), strict=True))
    added = ((place + count, -count) for count, place in enumerate(places, 1))
    return TextReading(text=" ".join(parts), shortened=tuple(added))


def _laid_open(reading: TextReading) -> TextReading:
    """Without the signs that would put the letters of one word too far apart for a tokenizer, and
    made plain as often as that lays another disguise open."""
    reading = _leave_out(reading, surplus(reading.text))
    for _ in range(_MOST_LAYERS):
        plain = clean(reading.text)
        if NOTHING not in plain:
            break
        bare = _leave_out(replace(reading, text=plain), _nothings(plain))
        if clean(bare.text) == bare.text:
            break
        reading = bare
    return reading


def _leave_out(reading: TextReading, runs: Sequence[Span]) -> TextReading:
    if not runs:
        return reading
    parts, ends, left_out = list[str](), [0], [0]
    for run in runs:
        parts.append(reading.text[ends[-1] : run.start])
        ends.append(run.end)
        left_out.append(left_out[-1] + run.end - run.start)
    parts.append(reading.text[ends[-1] :])
    places: dict[int, int] = {}
    for at in sorted({*ends[1:], *(place for place, _ in reading.shortened)}):
        before = bisect_right(ends, at) - 1
        if before < len(runs) and runs[before].start <= at < runs[before].end:
            continue
        place = at - left_out[before]
        places[max(place, 1)] = reading.written(at) - place  # the first one stands for all before
    return replace(reading, text="".join(parts), shortened=tuple(sorted(places.items())))


def _has_written_marks(text: str) -> bool:
    if "&" not in text and "\\" not in text:
        return False
    if may_turn(text) or _WRITTEN.search(text) is not None:
        return True
    return "&" in text and len(_SPACE.findall(text)) >= _MANY_SPACES


def _without_runs(text: str) -> str:
    """Each letter costs time to read, and thousands of one say no more than a few. A sample finds
    runs that are long."""
    if _RUN_SAMPLED.search(text[::_STRIDE]) is None:
        return text
    return _RUN.sub(lambda run: run[1] + run[2] + NOTHING * len(run[3]), text)
