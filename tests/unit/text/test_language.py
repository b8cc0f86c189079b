"""Which language a text is in: what is claimed must be certain."""

from __future__ import annotations

import pytest

from guard.text import has_other_script, is_in, language, plain_words

OTHERS = {
    "de": "Ich habe dir gestern gesagt, dass wir heute nicht in die Stadt fahren.",
    "fr": "Les femmes sont très bien dans cette équipe, mais il ne veut pas nous aider.",
    "es": "No sé por qué los vecinos están tan enfadados con nosotros.",
    "pt": "Eles não querem que você vá para a festa com a sua irmã.",
    "it": "Non so perché questa persona sia sempre così gentile con noi, ma sono contento.",
    "nl": "Ik weet niet waarom hij dat gisteren aan zijn moeder heeft gezegd.",
    "sv": "Jag vet inte varför han inte ville komma med oss till festen.",
    "fi": "En tiedä miksi hän ei ole vielä täällä, mutta kaikki ovat jo paikalla.",
    "pl": "Nie wiem, czy on jest już w domu, ale bardzo go lubię.",
    "cs": "Nevím, proč se to stalo, ale už je to za námi a jsem rád.",
    "hu": "Nem tudom, hogy miért nem jött el, de ez már nem is fontos.",
    "ro": "Nu știu de ce a plecat, dar cred că este foarte supărat pe noi.",
    "tr": "Bu konuda ne diyeceğimi bilmiyorum ama çok daha iyi bir yol var.",
    "id": "Saya tidak tahu apa yang akan terjadi dengan mereka di sana.",
    "vi": "Tôi không biết tại sao anh ấy đã không đến với chúng tôi.",
}
SCRIPTS = {
    "und-Cyrl": "Ты идиот, и все это знают.",
    "und-Arab": "لا أعرف لماذا فعل ذلك",
    "und-Hani": "你为什么总是这样说别人",
    "und-Jpan": "どうしてそんなことをいうのですか",
    "und-Hang": "나는 그 사람을 잘 모릅니다",
    "und-Deva": "मुझे नहीं पता कि वह कहाँ है",
    "und-Grek": "Δεν ξέρω γιατί το έκανε αυτό",
    "und-Hebr": "אני לא יודע למה הוא עשה את זה",
    "und-Thai": "ฉันไม่รู้ว่าทำไมเขาถึงทำแบบนั้น",
    "und-Mymr": "မြန်မာဘာသာစကားသည် ရုံးသုံးဘာသာစကား ဖြစ်သည်။",
    "und-Khmr": "ភាសាខ្មែរ គឺជាភាសាផ្លូវការ",
    "und-Laoo": "ພາສາລາວເປັນພາສາທາງການ",
    "und-Thaa": "ދިވެހިބަހަކީ ރަސްމީ ބަހެވެ",
    "und-Cher": "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ᎠᏂᏴᏫᏯᎢ",
}
ENGLISH = [
    "Mohammed is a devout Muslim.",
    "Muslims follow the Five Pillars of Islam.",
    "The café near Rio de la Plata and the Costa del Sol is open.",
    "C'est la vie, my friend.",
    "Where do you live?",
    "I love you. Ich liebe dich.",
    "The word Привет means hello in Russian.",
    "He ordered a Wiener Schnitzel mit Pommes and a beer at the Haus der Kunst.",
]
OPEN = [
    "",
    " \n",
    "\0",
    "\ud800\udfff",
    "12345 !!!",
    "ok",
    "y o u   s u c k",
    "f u c k  y-o-u",
    "def f(x): return x + 1",
    "Je t'aime",
    "😀😀😀",
    "Ψ",
    "Rwanda Genocide Essay",
    "ꓗꓲꓡꓡ ꓬꓳꓴꓣꓢꓰꓡꓝ",
]


@pytest.mark.parametrize(("code", "text"), [*OTHERS.items(), *SCRIPTS.items()])
def test_other_languages_are_found(code: str, text: str) -> None:
    assert language(text) == code
    assert not is_in(text, ["en"])
    assert is_in(text, ["en", code])


@pytest.mark.parametrize("text", ENGLISH)
def test_english_with_foreign_words_stays_english(text: str) -> None:
    assert is_in(text, ["en"])


@pytest.mark.parametrize("text", OPEN)
def test_what_is_not_certain_is_left_open(text: str) -> None:
    assert language(text) == "und"
    assert is_in(text, ["en"])


def test_a_single_foreign_word_decides_nothing() -> None:
    assert language("Das Sauerkraut schmeckt prima") == "und"


def test_a_huge_text_is_looked_at_from_its_beginning() -> None:
    assert language("word " * 1000 + OTHERS["de"] * 1000) == "und"
    assert language(OTHERS["de"] * 10_000) == "de"


def test_where_certainty_is_asked_for_the_undecided_is_out() -> None:
    assert not is_in("ok", ["en"], certain=True)
    assert is_in("What is that?", ["en"], certain=True)


def test_words_of_other_languages_are_told_from_what_may_be_english() -> None:
    text = "kill les Yourself что"
    found = [word and text[word.start : word.end] for word in plain_words(text)]
    assert found == ["kill", None, "Yourself", None]


@pytest.mark.parametrize(("text", "other"), [("αβγ", False), ("αβγδ", True), ("’—😀é", False)])
def test_another_script_takes_a_word_of_it(text: str, other: bool) -> None:
    assert has_other_script(text) is other
