"""Words with markup inside as programs show them, one character for one."""

from __future__ import annotations

import re

from guard.text.escapes import NOTHING
from guard.text.formulas import shown_formulas
from guard.text.omissions import group_alone, vanish
from guard.text.tags import BLOCKS, PARTING, QUOTED

_LETTER = r"[^\W_]"
# Without the bracket that opens them. Bounded where another try could begin inside.
_COMMENT = r"!--(?:[^>]{0,400}+>){1,24}?(?<=-->)"
_TAG = rf"(?!/?(?i:{PARTING})\b)(?:(?:[^<>\"']++|{QUOTED}){{0,16}}+>|[^<>]*+>)"
_HIDDEN = rf"(?>{_COMMENT}|{_TAG})"
_TAGS_INSIDE = re.compile(rf"<(?<={_LETTER}<){_HIDDEN}(?:<{_HIDDEN})*+(?={_LETTER})")
_DIRECTION = re.compile(
    rf"<(?i:bdo\b(?:[^<>\"']|{QUOTED}){{0,400}}?\bdir\s{{0,8}}=\s{{0,8}}[\"']?(?:(rtl)|ltr)\b"
    rf"(?:[^<>\"']++|{QUOTED}|[\"']){{0,16}}+>|/bdo\s{{0,8}}>)"
)
_BOARD_CODES = re.compile(  # [b], [/b], [color=red]
    rf"\[(?<={_LETTER}\[)/?[A-Za-z]{{1,10}}(?:=[^\[\]\n]{{0,40}})?\](?:\[/?[A-Za-z]{{1,10}}\])*+(?={_LETTER})"
)
# Small signs above a word: how it is said.
_RUBY = re.compile(r"<(?i:(r[tp]))\b[^<>]{0,100}+>[^<]{0,200}+(?:</(?i:\1)\s{0,8}>)?")
_SHOWN = r"!?\[([^\[\]\n]{0,200}+)\]"
_LINK = re.compile(
    rf"{_SHOWN}\((?:[^()]|\((?:[^()]|\([^()]{{0,100}}+\)){{0,200}}+\)){{0,2000}}+\)"
    r"|\[()\]\[[^\[\]\n]{0,60}+\]"
)
_PICTURE_LINK = re.compile(
    rf"\[(?<={_LETTER}\[)!\[[^\[\]\n]{{0,100}}+\]\([^()\s]{{0,400}}+\)\]\([^()\s]{{0,400}}+\)(?={_LETTER})"
)
_LABEL = re.compile(r"^ {0,3}\[([^\[\]\n]{1,60}+)\]:", re.MULTILINE)
_SPLIT_LINK = re.compile(
    r"\[(?!(?:[biusq]|url|img|code|quote|size|font|color)[\]=])([^\W\d_][^\[\]\n]{0,60}+)\]\[[^\[\]\n]{0,60}+\](?=[^\W_])"
)
_CHAT_LINK = re.compile(r"<(?:[a-z]{2,8}:|[#@])[^<>|\s]{0,200}+\|([^<>|\n]{1,200}+)>")
_WIKI_LINK = re.compile(r"\[\[[^\[\]|\n]{1,80}+\|([^\[\]|\n]{1,200}+)\]\]")
_RAW_PART = re.compile(r"<!\[CDATA\[([^\]]{0,400}+)\]\]>")
_REFERENCE = re.compile(rf"{_SHOWN}(?:\[([^\[\]\n]{{0,60}}+)\]|(?!:))")
# Of commands of which the last argument is shown, those before it.
_SETTING = re.compile(
    r"\\(?:(?:text|math)?colou?r(?:box)?(?:\[[A-Za-z]{2,6}\])?|fcolorbox|(?:scale|raise|rotate|resize)box|href|html[A-Z][a-z]{1,8}"
    r"|class|style|cssId|(?:over|under)set|stackrel)(?:\{[^{}\n]{0,400}+\}){1,2}(?=\{)"
    r"|\\[A-Za-z]{2,20}\[[^\[\]\n]{0,40}+\](?=\{)"
)
# Of LaTeX and RTF, what changes all that follows in the same braces.
_COLOUR = r"\\(?:math)?colou?r(?:\[[A-Za-z]{2,6}\])?\{[^{}\n]{1,40}+\}"
_DECLARATION = (
    rf"(?:{_COLOUR}|\\(?:bf|it|rm|sf|tt|sc|sl|em|boldmath|(?:bf|md)series|(?:it|sl|sc|up)shape"
    r"|(?:rm|sf|tt)family|tiny|(?:script|footnote|normal)size|small|large|Large|LARGE|[hH]uge"
    r"|cf\d{1,2}|fs\d{1,3}|ul|[bi])(?![A-Za-z]) ?)"
)
_DECLARED = re.compile(rf"\{{{_DECLARATION}{{1,4}}+([^{{}}\n]{{0,200}}+)\}}")
_COLOURED = re.compile(rf"{_COLOUR}(?!\{{)")
_COMMAND = re.compile(r"\\[A-Za-z]{1,20}\{([^{}\n]{0,200}+)\}|\{()\}")
_SHORTCODE = re.compile(r"(?<!:):[a-z+-][a-z0-9_+-]{0,30}:(?!:)")
"""An emoji, by its name."""
_SHORTCODES = 2
_RAISED = re.compile(r"\^\(([^()\s]{1,30}+)\)|\^\(()\)")
_UNPRINTED = "kern|hskip|relax|null|protect|allowbreak|nobreak|unskip|ignorespaces|strut"
_NO_WIDTH = re.compile(  # commands of LaTeX that print nothing, and line ends that are none
    rf"\\(?<={_LETTER}\\)"
    rf"(?:[-/!,]|\r?\n|(?:{_UNPRINTED})(?:-?[\d.]{{1,4}}[a-z]{{2}})?[ \n](?!\d|plus|minus))"
    rf"(?={_LETTER})"
)
_FOOTNOTE = re.compile(rf"(?<={_LETTER})\[\^\w{{1,8}}\](?={_LETTER})")
_PAIRED = re.compile(rf"(?<={_LETTER})(==|\+\+|'')({_LETTER}{{1,30}})\1")
_EMPHASIS = re.compile(r"(?:([*_]{1,3})[^\W_]{1,30}\1){2,}")
_EMPHASIS_MARK = re.compile("[*_]")
_CONTROL_STRING = re.compile(
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,400}+(?:[\x07\x9c]|\x1b\\)"
)
# Where a terminal goes back and writes over what stands there.
_GOES_BACK = re.compile(
    "|".join(rf"[^\x1b\n]{{{count}}}\x1b\[{count}D" for count in range(2, 10))
    + "".join(rf"|[^\x08\n]{{{count}}}\x08{{{count}}}" for count in range(9, 1, -1))
    + r"|[^\x1b\n]\x1b\[1?D|\x1b(?:\[s|7)[^\x1b\n]{0,80}+\x1b(?:\[u|8)"
)
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`]{1,80})\1(?!`)")
_PADDING = frozenset(" \n")
_OVERSTRIKE = re.compile(r"[^\b\n]\x08")
_INLINE = (
    "a|abbr|b|bd[io]|big|cite|code|del|dfn|em|font|i|img|ins|kbd|label|mark|q|s|samp|small|span"
    "|strike|strong|su[bp]|tt|u|var"
)
_AROUND_WORDS = re.compile(
    rf"<!--|<(?i:{_INLINE})\b[^<>]*+>|\[[A-Za-z]{{1,10}}=[^\[\]\n]{{0,40}}+\]|\]\([^()\s]"
    rf"|</[A-Za-z]|<(?i:{BLOCKS})\b|\[/[A-Za-z]{{1,10}}\]"
)
_MUCH = 3
_LONG_MARKUP = 100
"""Characters of one tag or link, about; longer ones are taken for less."""
_ENDS, _BEGINS = frozenset(")]}"), frozenset("[\\{!")
_BLOCK_TAG = re.compile(rf"</?(?i:{BLOCKS})\b(?:[^<>\"']++|{QUOTED}){{0,16}}+>")
_ANY_MARKUP = re.compile(
    rf"<{_COMMENT}|<(?=[A-Za-z/?!>])(?:(?:[^<>\"']++|{QUOTED}){{0,16}}+>|[^<>]*+>)"
    r"|\[/[A-Za-z]{1,10}\]|\[[A-Za-z]{1,10}=[^\[\]\n]{0,40}\]"
    r"|\[(?=([A-Za-z]{1,10})\](?:[^\[\n]|\[(?!/)){0,200}\[/\1\])\1\]"
    r"|\\[A-Za-z]{2,20}(?=\{)|[{}]"
)


def as_shown(text: str) -> str:
    """`text` as programs show it that take its markup for markup; same length.

    Tags and comments inside of words vanish, links and commands of LaTeX that cut a word are what
    they show of it, what a tag turns round stands between the marks that do so, and terminals write
    one character over another.
    """
    if "<" in text:
        text = _RAW_PART.sub(_shown_part, _CHAT_LINK.sub(_shown_part, text))
        text = _DIRECTION.sub(_turn, _RUBY.sub(vanish, text))
        text = _TAGS_INSIDE.sub(vanish, text)
    if "[[" in text:
        text = _WIKI_LINK.sub(_shown_alone, text)
    if "](" in text or "[][" in text:
        text = _PICTURE_LINK.sub(vanish, text)
        text = _LINK.sub(_shown_part, text)
    if "]" in text:
        text = _FOOTNOTE.sub(vanish, text)
        text = _BOARD_CODES.sub(vanish, _SPLIT_LINK.sub(_shown_part, text))
    if "\\" in text:
        text = _COLOURED.sub(vanish, _DECLARED.sub(_shown_part, _NO_WIDTH.sub(vanish, text)))
    if "==" in text or "++" in text or "''" in text:
        text = _PAIRED.sub(_without_pair, text)
    if "]:" in text:
        text = _with_references(text)
    if "*" in text or "_" in text or "`" in text or "^" in text:
        text = _RAISED.sub(_shown_part, text)
        text = _CODE.sub(_shown_code, _EMPHASIS.sub(_take_off, text))
    text = _without_shortcodes(_shown_commands(text))
    if any(mark in text for mark in "\x1b\b\x90\x98\x9d\x9e\x9f"):
        text = _GOES_BACK.sub(vanish, _CONTROL_STRING.sub(vanish, text))
        text = _OVERSTRIKE.sub(vanish, text)
    return text


def as_displayed(text: str) -> str:
    """`text` without any markup, where words have it inside or around them, or where it is a third
    of the text.

    Same length. Beside a word it would say so much that the word is not heard.
    """
    shown = as_shown(text)
    if shown != text or ((">" in text or "]" in text) and _AROUND_WORDS.search(text)):
        return _without_markup(shown)
    if not _may_hold_much(text):
        return text
    bare = _without_markup(text)
    return bare if _MUCH * bare.count(NOTHING) > len(text) else text


def _may_hold_much(text: str) -> bool:
    """Whether there are so many beginnings of markup that it could be a good part of the text."""
    begun = text.count("<") + text.count("](") + text.count("[/") + text.count("{")
    return begun * _LONG_MARKUP > len(text)


def _without_markup(text: str) -> str:
    if "](" in text:
        text = _LINK.sub(_shown_alone, text)
    text = _BLOCK_TAG.sub(_break_line, text)
    return _ANY_MARKUP.sub(vanish, text)


def _break_line(tag: re.Match[str]) -> str:
    return "\n" + " " * (len(tag[0]) - 1)


def _shown_alone(match: re.Match[str]) -> str:
    return group_alone(match, 1 if match[1] is not None else 2)


def _with_references(text: str) -> str:
    labels = {label.casefold() for label in _LABEL.findall(text)}

    def shown(match: re.Match[str]) -> str:
        label = match[2] or match[1]
        return _shown_part(match) if label.casefold() in labels else match[0]

    return _REFERENCE.sub(shown, text) if labels else text


def _shown_commands(text: str) -> str:
    """Of what commands of TeX take, what they show."""
    text = shown_formulas(text)
    return _COMMAND.sub(_shown_part, _SETTING.sub(vanish, text)) if "{" in text else text


def _without_shortcodes(text: str) -> str:
    if text.count(":") < 2 * _SHORTCODES or len(_SHORTCODE.findall(text)) < _SHORTCODES:
        return text
    return _SHORTCODE.sub(vanish, text)


def _take_off(match: re.Match[str]) -> str:
    return _EMPHASIS_MARK.sub(NOTHING, match[0])


def _without_pair(match: re.Match[str]) -> str:
    marks = NOTHING * len(match[1])
    return marks + match[2] + marks


def _turn(match: re.Match[str]) -> str:
    opens = "\u202e" if match[1] else "\u202d"
    mark = "\u202c" if match[0].startswith("</") else opens
    return mark + NOTHING * (len(match[0]) - 1)


def _shown_part(match: re.Match[str]) -> str:
    """The part that is shown, where it is one word with what stands beside it."""
    group = 1 if match[1] is not None else 2
    shown, (start, end) = match[group], match.span(group)
    before, after = (
        match.string[match.start() - 1 : match.start()],
        match.string[match.end() : match.end() + 1],
    )
    if not _cuts_word(before, shown, after):
        return match[0]
    return NOTHING * (start - match.start()) + shown + NOTHING * (match.end() - end)


def _shown_code(match: re.Match[str]) -> str:
    """Displays take off one space on each side of code."""
    code, written = match[2], match.string
    beside = (
        written[max(match.start() - 1, 0) : match.start()] + written[match.end() : match.end() + 1]
    )
    is_padded = {code[0], code[-1]} <= _PADDING and bool(code.strip())
    if not is_padded or not any(map(str.isalnum, beside)):
        return match[0]
    marks = NOTHING * (len(match[1]) + 1)
    return marks + code[1:-1] + marks


def _cuts_word(before: str, shown: str, after: str) -> bool:
    joins_before = before.isalnum() or before in _ENDS
    joins_after = after.isalnum() or after in _BEGINS
    if not shown:
        return joins_before and joins_after
    return (joins_before and shown[0].isalnum()) or (joins_after and shown[-1].isalnum())
