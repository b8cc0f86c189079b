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
        ("ㄚㄖㄩ 卂尺乇 卂几 丨ᗪ丨ㄖㄒ", ["ㄚㄖㄩ 卂尺乇 卂几 丨ᗪ丨ㄖㄒ"]),
        ("one два три четыре and пять шесть семь", ["два три четыре and пять шесть семь"]),
        ("one два три four five шесть семь", []),
        ("one два три and четыре", []),
        ("10 μm, 20 μm, 2.2 kΩ, 4.7 kΩ, 50 μg and 100 μg", []),
        ("TNF-α, IL-1β and IFN-γ; β₀, β₁, β₂ and λ₁; π/6, π/4, π/3 and ΔG = ΔH − TΔS", []),
        ("ΣΑΕ, ΔΚΕ, ΦΒΚ, ΑΦΑ and ΔABC, ΔDEF; Əhməd, Əli, Səbinə, Kwadwo", []),
        ("χρόνος, καιρός and αἰών", []),
        ("ᎽoᏌ ᎯᏒᎬ ᎯᏁ iᎠiᎾᏆ", ["ᎽoᏌ ᎯᏒᎬ ᎯᏁ iᎠiᎾᏆ"]),
        ("Лев Толстой wrote it", []),
        ("let α, β and γ be the angles of Σ λ", []),
        ("Żółć, Łódź i Gdańsk, naïve Þórr, Đặng Thị Ngọc Thịnh", []),
        ("𝗧𝗼𝗽 𝘁𝗶𝗽𝘀 𝗳𝗼𝗿 ｙｏｕ ᵃⁿᵈ ᵐᵉ", []),
        ("good 🎉 day 👋🏽 ✅ done ★ ★ ★ →→ ←← ££ €€", []),
        ("", []),
    ],
)
def test_four_strange_words_are_a_run(text: str, found: list[str]) -> None:
    assert read(text) == found
