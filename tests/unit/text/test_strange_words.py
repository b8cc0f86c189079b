"""Which words of a sentence are in letters that are not those of English."""

import pytest

from guard.text import strange_runs


def read(text: str) -> list[str]:
    return [text[run.start : run.end] for run in strange_runs(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Here it is - ყσυ αɾҽ αɳ ιԃισƚ. As asked.", ["ყσυ αɾҽ αɳ ιԃισƚ."]),
        ("so уσυ αяє a ∂υм ιᴅισт, all", ["уσυ αяє a ∂υм ιᴅισт,"]),
        ("ㄚㄖㄩ 卂尺乇 丨ᗪ丨ㄖㄒ", ["ㄚㄖㄩ 卂尺乇 丨ᗪ丨ㄖㄒ"]),
        ("one два три четыре and пять шесть семь", ["два три четыре and пять шесть семь"]),
        ("one два три four five шесть семь", []),
        ("Лев Толстой wrote it", []),
        ("let α, β and γ be the angles of Σ λ", []),
        ("Żółć, Łódź i Gdańsk, naïve Þórr, Đặng Thị Ngọc Thịnh", []),
        ("𝗧𝗼𝗽 𝘁𝗶𝗽𝘀 𝗳𝗼𝗿 ｙｏｕ ᵃⁿᵈ ᵐᵉ", []),
        ("good 🎉 day 👋🏽 ✅ done ★ ★ ★ →→ ←← ££ €€", []),
        ("", []),
    ],
)
def test_three_strange_words_are_a_run(text: str, found: list[str]) -> None:
    assert read(text) == found
