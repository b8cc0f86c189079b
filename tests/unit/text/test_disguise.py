"""Spelling tricks are undone one character for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.disguise import undisguise

TAG_A = "\U000e0061"
TRICKS = {
    "\\u0073\\u0074upi\\u0064": "stupid",
    "you\\nare\\tone": "you are one",
    "st\\u200bupid": "stupid",
    "\\x73tupid": "stupid",
    "\\u{73}t\\u{000075}pi\\u{64}": "stupid",
    "\\163\\164\\165\\160\\151\\144": "stupid",
    "\\u{110000} \\u{1F600} \\199 \\177": "\\u{110000} \U0001f600 \\199 \\177",
    "a\\ud83d\\ude00b": "a\U0001f600b",
    f"s{TAG_A}t{TAG_A}u{TAG_A}p{TAG_A}i{TAG_A}d{TAG_A}": "stupid",
    "a &#x202e;diputs": "a stupid",
    "st<kbd>u</kbd>p<bdi>i</bdi>d": "stupid",
    "\x1b[1mst\x1b[0;31mupid\x1b[0m": "stupid",
    "s\x9b0mt\x1b[2Kupi\x1b[38:2::1md": "stupid",
    "an id\x9bmiot": "an idiot",
    "an id\x9biot, an id\x9b31;1miot": "an idiot, an idiot",
    f"you {TAG_A}are{TAG_A} {TAG_A}a": "you are a",
    "&#0000000115;&#x0000000074;u": "stu",
    f"&#{'0' * 5000}115;": "s",
    "&#x;&#;&#0;": "&#x;&#;&#0;",
    "st&#xfe0f;u&#x34f;pid": "st\ufe0fu\u034fpid",
    "s&#822;t&tdot;&#x301;upid": "s\u0336t\u20db\u0301upid",
    "a &quot;b&quot; &#40;c&#41; &#42; &#36;5": "a &quot;b&quot; &#40;c&#41; * $5",
    "st\x1b]8;;http://a.example\x1b\\upi\x1b]8;;\x07d": "stupid",
    "st\x1b(Bupi\x1b>d": "stupid",
    "s\x1bFt\x1b%Gu\x1bHp\x1b Fi\x1bcd": "stupid",
    "s\\E[31mt\\u{1b}[31mu\\N{ESC}[0mp\\x{1b}[Ki\\U0000001b[1Cd\\033[38:5:1m": "stupid",
    "you%20are%20%64%75%6C%6c": "you are dull",
    "you%0Aare%0D%0Adull, 5%0A, 100%0D": "you are  dull, 5%0A, 100%0D",
    "you\\x0aare\\xa0dull\\Nand\\x09so on": "you are\u00a0dull and so on",
    "you\\e[31mare\\033[0m \\fBdull\\fR": "youare dull",
    "=64=75=6C=6C": "dull",
    'A["#115;#111;#32;dull"], #12; C#4;': 'A["so dull"], #12; C#4;',
    "\\64 \\75 \\6c \\6C ": "dull",
    "so\\000020\\000064\\000075 ll": "so dull",
    "\\144\\165\\040\\154": "du l",
    "&amp;#115;&amp;amp;#x74;u": "stu",
    "\\U00000064\\U00000075ll": "dull",
    "sτυριd, εηd, ωοrd": "stupid, end, word",
    "st*u*pid": "stupid",
    "`s`tupid, *s*tupi*d*": "stupid, stupid",
    "s<span style='color: red'>t</span>upi<wbr/>d": "stupid",
    "s t u p i d": "stupid",
    "s.t.u.p.i.d": "stupid",
    "s_ t_ u_ p_ i_ d": "stupid",
    "s _ t _ u _ p _ i _ d": "stupid",
    "y _o _u a _r _e d _u _l _l": "you are dull",
    "s  __ t  __ u  __ p": "stup",
    "y»o»u»»»a»r»e»»»d»u»l»l": "you are dull",
    "y-o-u--a-r-e--d-u-l-l": "you are dull",
    "i-d-i-o-t!": "idiot!",
    "i_d_i_o_t": "idiot",
    "y o u  s u c k": "y o u  suck",
    "ѕtuріd": "stupid",
    "fοοl": "fool",
    "1d10t": "idiot",
    "sh1t": "shit",
    "sh!t!!": "shit!!",
    "a$$hole": "asshole",
    "w0rthl3ss": "worthless",
    "5tup1d": "stupid",
    "s,t,u,p,i,d": "stupid",
    "s, t, u, p, i, d": "stupid",
    "s|t|u|p|i|d": "stupid",
    "s–t–u–p–i–d": "stupid",
    "s+t+u+p+i+d": "stupid",
    "s~t~u~p~i~d": "stupid",
    "s--t--u--p--i--d": "stupid",
    "s\nt\nu\np\ni\nd": "stupid",
    "&#115;&#x74;&#0117;p&ifr;d": "stupid",
    "s&shy;t&#8203;upid": "stupid",
    "a&#32;b": "a b",
    "ꜱᴛᴜᴘɪᴅ": "stupid",
    "ⓢⓣⓤⓟⓘⓓ": "stupid",
    "🅂🅃🅄🄿🄸🄳": "STUPID",
    "🆂🆃🆄🅿🅸🅳": "STUPID",
    "🇸🇹🇺🇵🇮🇩": "stupid",
    "s⃝t⃝u⃝p⃝i⃝d⃝": "stupid",
    "sŧᵾᵽɨđ": "stupid",
    "ʂʈʊpɪɗ": "stupid",
    "ˢᵗᵘᵖⁱᵈ": "stupid",
    "ˢᵗᶸᵖᶦᵈ ᶫᶤᵃʳ ᶳʰᵃᶰᵉ": "stupid liar shane",
    "ꓢꓔꓴꓑꓲꓓ": "STUPID",
    "ѕоѕ": "sos",
    "a \u202ediputs\u202c one": "a stupid one",
    "\u202eeno\u202e diputs\nno": "stupid one\nno",
    "stu~~pid~~": "stupid~~",
    "~~s~~~~t~~~~u~~~~p~~~~i~~~~d~~": "~~stupid~~",
    "s**tup**id": "stupid",
    "_s__t__u__p__i__d_": "_stupid_",
    "st||up||id": "stupid",
    "stu·pid": "stupid",
    "s<b>t</b>u<span class='x'>p</span>i<!-- -->d": "stupid",
    's"t"u"p"i"d': "stupid",
    "s.t-u_p*i,d": "stupid",
    "y/o/u a/r/e s/t/u/p/i/d t/o b/e": "you are stupid to be",
    "y\u02bco\u02bcu a\u02bcr\u02bce s\u02bct\u02bcu\u02bcp\u02bci\u02bcd": "you are stupid",
    "no" + '"' * 9000: "no" + '"' * 16,
    "no" + ". '" * 900: "no" + ". '" * 8 + " " * 892,
    "".join(chr(0xE0000 + ord(each)) for each in "stupid"): "stupid",
}
PLAIN = [
    "",
    "so<i you worthless idiot>ok, so<!-- you idiot -->ok",
    "*you* are 2*x*y, a*b*2, `ls` and *.py or 5 * 3 * 2",
    "U.S.A. and the U.K.",
    "a b c",
    "covid19 mp3 utf8 python3 sha256 b2b h2o 10th 1990s 4x4",
    "mail me at john0smith@example.org or see http://a1b.example/c0de",
    "Привет, мир",
    "Ελλάδα и Россия",
    "It costs $40, or 3 for $100!",
    "Hello! Is it 5 o'clock?",
    "x = a[0] + b1",
    "rock 'n' roll",
    "The options are A, B, C, D and E.",
    "a + b + c + d",
    "| a | b |\n|---|---|\n",
    "what" + "!" * 16,
    "one<br>two, a<b, b>c, __init__, my_name and x**2",
    "a.b-c/d*e+f",
    "I/O and w/o, a/b/c, x/y",
    "['a', 'k', 'l', 'u']",
    "Tom &amp; Jerry: x &lt; y &quot;quoted&quot;",
    "Flags: 🇩🇪 🇫🇷 and 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f, 1️⃣ ℹ️",
    "xᵢ and aⁿ, an α of 5 %, 2º and Straße",
    "Я не знаю, кто это. Оно там.",
    "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
    "50% of 20%, 100%25, a=41, =3D= and C:\\64 bit",
    "Tom &amp;amp; Jerry",
    "η Ελλάδα και το νερό, ω",
]


@pytest.mark.parametrize(("raw", "plain"), TRICKS.items())
def test_tricks_are_undone(raw: str, plain: str) -> None:
    found = undisguise(raw)
    assert found.replace("\u200b", "") == plain
    assert len(found) == len(raw)


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_trick_stays(text: str) -> None:
    assert undisguise(text) == text


@given(st.text(alphabet="ab1!0@ .-,сѕŧⁱꓢ🇸&#;x\U000e0061\u20dd\u200b\n😀", max_size=200))
def test_the_length_stays(text: str) -> None:
    assert len(undisguise(text)) == len(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "a ",
        "a.",
        "1a",
        "a1!",
        "@",
        "сa",
        "a-",
        "a",
        "&#",
        "&a",
        "a,-",
        "ꓢ",
        "ɨ",
        '"',
        ". ",
        "~~",
        "a~~",
        "<b>",
        "a<b ",
        "a<!--",
        "\u202e",
        "a·",
        "_a_",
        "a*",
        "*a*b",
        "a`b`",
        "a<i x=",
        "a<i x='y:",
        "\x1b[1;",
        "&#00000000",
        TAG_A,
        "\x9b1",
    ],
)
def test_much_bait_is_no_trap(piece: str) -> None:
    text = piece * (200_000 // len(piece)) + "\u00e9"
    assert len(undisguise(text)) == len(text)


def test_letters_are_not_joined_to_a_word_that_no_tokenizer_takes() -> None:
    words = undisguise("-".join("kills" * 60)).replace("\u200b", "").split("-")
    assert max(map(len, words)) <= 40


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("you&nbspare&nbspnice", "you are nice"),
        ("ni&shyce", "nice"),
        ("caf&eacute", "café"),
        ("?a=1&nbspx=2", "?a=1&nbspx=2"),
        ("lo&eth0 and &ordmap", "lo&eth0 and &ordmap"),
    ],
)
def test_references_without_a_semicolon(text: str, read: str) -> None:
    assert undisguise(text).replace("\u200b", "") == read
