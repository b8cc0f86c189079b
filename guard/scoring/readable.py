"""Which sentences a model can be trusted about, by their language and their letters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise

from guard.records import Span, Unscored
from guard.scoring.vocabulary import TokenWindow, Vocabulary
from guard.text import (
    clean,
    decoded,
    function_words,
    has_other_script,
    is_in,
    plain_words,
    sentences,
    strange_runs,
)

_UNKNOWN_LETTERS = 4
_UNREADABLE_SHARE = 0.3
"""Of the letters of a sentence: from there on it is left without a score. Fewer are a name."""

_INTRODUCED = re.compile(r"(?<=[:：])\s+|(?<=：)")
_FEWEST_CLAUSE = 8
"""Words of another language behind a colon, from which on they are a sentence."""
_FEWEST_WORDS = 3
_WHOLE_SHARE = 0.8
"""Of the words of a sentence that are one token each, small words of other languages left out, from
which on it may be English: others come in pieces."""


def _between(places: Iterable[int], text: str) -> list[Span]:
    """What stands between these places, and up to the first and from the last of them."""
    found = (Span(start=start, end=end) for start, end in pairwise((0, *places, len(text))))
    return [span for span in found if span.start < span.end]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """What the model of `vocabulary` can read. languages: ISO 639-1; none means any."""

    vocabulary: Vocabulary
    languages: tuple[str, ...]

    def windows(self, text: str) -> Iterator[TokenWindow]:
        """The windows of `text`.

        Where one holds text in another language, or in letters that the model does not know, each
        sentence of it is read on its own, and those are marked. What may be English in such a
        sentence is read all the same, and marked as well: small words of another language among
        English ones, or after them, are no cover.
        """
        for window in self.vocabulary.windows(text):
            part = decoded(text[window.span.start : window.span.end])
            reasons = self._reasons(part, has_unknown=window.has_unknown)
            if not any(reasons.values()):
                yield window
                continue
            for sentence, reason in reasons.items():
                for own in self._windows_of(part, sentence, reason):
                    yield own.moved(window.span.start)

    def _windows_of(
        self, part: str, sentence: Span, reason: Unscored | None
    ) -> Iterator[TokenWindow]:
        spans = [sentence]
        if reason is not None:
            yield TokenWindow(span=sentence, ids=(), unread=reason)
            raw = part[sentence.start : sentence.end]
            spans = [span.moved(sentence.start) for span in self._perhaps_known(clean(raw))]
            if self._is_strange(raw):  # look-alikes may make enough of it plain
                spans.append(sentence)
        for span in spans:
            for window in self.vocabulary.windows(part[span.start : span.end]):
                yield replace(window.moved(span.start), unread=reason)

    def _reasons(self, part: str, *, has_unknown: bool) -> Mapping[Span, Unscored | None]:
        """Why the sentences of a window cannot be judged; nothing where all of it can be."""
        foreign = not self._is_known(part)
        others = not part.isascii() and self._holds_others(part, has_unknown=has_unknown)
        introduced = _INTRODUCED.search(part) is not None and any(
            map(self._is_foreign_clause, _INTRODUCED.split(part))
        )
        strange = bool(self._strange_runs(part))
        if not (foreign or others or introduced or strange):
            return {}
        spans = chain.from_iterable(self._clauses(part, span) for span in sentences(part))
        return {span: self._reason(part[span.start : span.end], foreign=foreign) for span in spans}

    def _clauses(self, part: str, sentence: Span) -> list[Span]:
        """What stands before and behind a colon, where the language is another there; and runs of
        words in strange letters, with what stands between them."""
        text = part[sentence.start : sentence.end]
        ends = [found.end() for found in _INTRODUCED.finditer(text)]
        found = _between(ends, text)
        if not any(self._is_foreign_clause(text[span.start : span.end]) for span in found):
            ends = []
        ends += [end for run in self._strange_runs(text) for end in (run.start, run.end)]
        return [span.moved(sentence.start) for span in _between(sorted(ends), text)]

    def _is_foreign_clause(self, text: str) -> bool:
        """Names and dishes are of many languages: a few words, or capital letters, are none."""
        if self._is_known(text):
            return False
        words = text.split()
        capital = sum(word[:1].isupper() for word in words)
        return has_other_script(text) or (len(words) >= _FEWEST_CLAUSE and 2 * capital < len(words))

    def _is_known(self, text: str, *, certain: bool = False) -> bool:
        return not self.languages or is_in(text, self.languages, certain=certain)

    def _holds_others(self, part: str, *, has_unknown: bool) -> bool:
        """Whether some letters of a window are of another script, or unknown to the model."""
        if self.languages and has_other_script(part):
            return True
        return has_unknown and self._is_unreadable(part, 0.0)

    def _reason(self, sentence: str, *, foreign: bool) -> Unscored | None:
        """foreign: what stands around it is, so that being undecided is not enough."""
        if not self._is_known(sentence, certain=foreign):
            return Unscored.LANGUAGE
        unreadable = self._is_unreadable(sentence, _UNREADABLE_SHARE) or self._is_strange(sentence)
        return Unscored.UNREADABLE if unreadable else None

    def _is_strange(self, sentence: str) -> bool:
        """Whether most of it is in strange letters, which tokens may know one by one."""
        strange = sum(run.end - run.start for run in self._strange_runs(sentence))
        return 2 * strange > len(sentence.strip())

    def _strange_runs(self, text: str) -> list[Span]:
        """Those that do not become English words as a tokenizer reads them."""
        if not self.languages:
            return []
        return [run for run in strange_runs(text) if not self._becomes_plain(text, run)]

    def _becomes_plain(self, text: str, run: Span) -> bool:
        read = clean(text[run.start : run.end])
        words = [read[span.start : span.end].lower() for span in plain_words(read) if span]
        return read.isascii() and self._are_whole(words)

    def _is_unreadable(self, part: str, share: float) -> bool:
        unknown = self.vocabulary.unknown_letters(part)
        return unknown >= max(_UNKNOWN_LETTERS, share * sum(map(str.isalpha, part)))

    def _perhaps_known(self, sentence: str) -> list[Span]:
        """From the first to the last of its words that may be English, and each run of these."""
        words = plain_words(sentence)
        runs = [[word for word in run if word] for plain, run in groupby(words, bool) if plain]
        every = list(chain.from_iterable(runs))
        candidates = [every, *(runs if len(runs) > 1 else ())]
        return [
            Span(start=run[0].start, end=run[-1].end)
            for run in candidates
            if self._may_be_known([sentence[word.start : word.end].lower() for word in run])
        ]

    def _may_be_known(self, words: Sequence[str]) -> bool:
        small = any(
            word in function_words().get(code, ()) for code in self.languages for word in words
        )
        enough = bool(words) and (small or len(words) >= _FEWEST_WORDS)
        return enough and self._are_whole(words)

    def _are_whole(self, words: Sequence[str]) -> bool:
        whole = sum(len(self.vocabulary.encode(word).ids) == 1 for word in words)
        return whole >= _WHOLE_SHARE * len(words)
