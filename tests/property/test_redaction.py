"""Contacts go, everything else stays, whatever the text is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.testing import HOSTILE_TEXTS
from guard.text.card_numbers import luhn
from guard.text.redaction import redacted_contacts
from tests.repeats import repeats

CARDS = ("4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009", "6011000000000004")
GONE = (
    *("jane.doe+x@mail.example.org", "a@b.co", "ünï@exämple.de"),
    *("+49 30 1234567", "(030) 123 45 67", "0049301234567", "555-123-4567", "2125551234"),
    *("+1 (212) 555-1234", "06 12 34 56 78"),
    *CARDS,
)
STAYS = (
    *("2024-05-17", "17.05.2024", "12/31/1999", "1,234,567.89", "12345678", "1.2.3", "$5000000"),
    *(
        "user@localhost",
        "3.14159265",
        "4111111111111112",
        "192.168.100.1",
        "@handle",
        "v10.11.12.13",
    ),
    *("100 200", "1999-2000", "ISBN-like 97", "a@b", "mail@", "00:12:34"),
)
PARTED = [
    mark.join(number)
    for number in (
        ("4111", "1111", "1111", "1111"),
        *(("+44", "20", "7946", "0505"), ("555", "123", "4506")),
        *(("0170", "123", "4503"), ("(555)", "123", "4502")),
    )
    for mark in (
        *("\u00a0", "\u202f", "\u2009", "\u2007", "\u3000", "&nbsp;", "&#160;", "\\u00a0", "\t"),
        *("\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2212", "\uff0d", "&#8209;"),
        *("\u200b", "\u2060", "\u00ad", "&shy;", "&ZeroWidthSpace;", "\ufeff"),
    )
]
DISGUISED = (
    *("a＠example.com", "a&#64;example.com", "a&#x40;b.org", "a&commat;b.org", "a&amp;#64;b.org"),
    *("a%40example.com", "a%2540example.com", "a\\u0040example.com", "a\u200b@exa\u00admple.com"),
    *("＋４９１７０１２３４５１０", "０３０ １２３ ４５ ６７", "%2B44%2020%207946%200505"),
    *(
        "４１１１１１１１１１１１１１１１",
        "4111.1111.1111.1111",
        "3782.822463.10005",
        "41\u200b11111111111111",
    ),
)
STAYS_PARTED = (
    *(
        "1\u202f234\u202f567",
        "1\u202f234\u202f567,89 €",
        "1\u00a0234\u00a0567.89",
        "€\u00a0123\u202f456\u202f789",
    ),
    *(
        "123\u202f456\u202f789\u00a0€",
        "6.022\u2009140\u200976",
        "1.99\t2.99\t3.99",
        "12\t555\t123\t4506",
    ),
    *(
        "10000–20000",
        "1.500–2.000",
        "$1500–$2500",
        "1914–1918",
        "10.0.19041–10.0.22621",
        "v1.2.3‑4",
    ),
    *("2024–05–17", "2024‑05‑17", "17.\u00a05.\u00a02024", "17.05.2024–20.05.2024"),
    *(
        "2024-05-17\u00a012:30",
        "２０２４－０５－１７",
        "2019\t2020\t2021\t2022",
        "2024-05-17–2024-05-20",
    ),
    *("331\u202f900\u202f000", "12\u00a0000 13\u00a0000 14\u00a0000", "1\u00a0234 5\u00a0678"),
    *(" ".join(["1\u00a0234"] * 9), "6–4 7–6 6–3 6–2", "10−20 30−40 50−60", "1914–18 1939–45"),
    *("0.5–1.5 0.75–2.25", "20 000–30 000–40 000", "9.109\u202f383\u202f7015"),
    *("isbn 0-306-40615-2", "isbn 0‑306‑40615‑2"),
    *("978‑0‑306‑40615‑7", "978–1–4028–9462–6", "ISBN 0‑306‑40615‑2", "&#1234567;", "100%2025"),
)
ROWS = (
    *(
        "0.000123",
        "accuracy 0.9123456",
        "0.001 0.002 0.003",
        "1.25 2.50 3.75 4.00",
        "10.5 20.5 30.5",
        "10.25\u00a020.50",
    ),
    *("2 4 6 8 10 12", "1 3 5 7 9 11 13", "10 20 30 40", "100 90 80 70", "12 15 18 21 24"),
    *("4 8 15 16 23 42", "5 12 23 34 41 49", "100 200 300", "10  20  30  40", "10-20-30-40"),
    *("1990 1995 2000 2005", "2026 2027 2028", "1914/1918/1939", "1900-1950-2000"),
    *("05 10 15 20 25 30", " ".join(f"{one:02}" for one in range(1, 32))),
    *(" ".join(map(str, range(40))), " ".join(map(str, range(1990, 2030)))),
    " ".join(f"{one}.5" for one in range(40)),
)
LIKE_ROWS = (
    *("06.12.34.56.78", "01.02.03.04.05", "044.123.45.67", "01 02 03 04 05", "06 07 08 09 10"),
    *("6 12 34 56 78", "1 212 555 1234", "12 34 56 78", "22 33 44 55", "2012 3456"),
    *("612 345 678", "1 2 3 4 5 5 7", "1990 1995 4506", "(10) 20 30 40", "+45 20 30 40 50"),
    "tel. 20 30 40 50",
)
CARD_FORMS = (
    *("4111111111111111", "5500005555555559", "4012888888881881", "378282246310005"),
    *("4242424242424242", "30569309025904", "3530111333300000", "6212345678901234569"),
    *("4111 1111 1111 1111", "5500-0055-5555-5559", "3782 822463 10005", "4111.1111.1111.1111"),
    *("4111\u00a01111\u00a01111\u00a01111", "3056-930902-5904"),
)
BESIDE_CARDS = (
    *("{} 12/27", "{} 09/28 123", "{} 12/2027", "{} 1227", "{} 123", "{} 1234", "{} 12.27"),
    *("{} 12-27", "{} 2027-12", "{} 2 days", "{} 3 times", "{}-12/27", "{} 20.00", "{} 5000"),
    *("20 {}", "2024 {}", "5000 {}", "20.00 {}", "cvv 123 {} exp 12/27", "12 {} 5000"),
    *("1 {} 2", "$20 {}", "{}/123", "{}|12|27|123", "{} {} 12/27", "{} 5500005555555559"),
)
GLUED = (
    *("_john@example.com_", "__john.doe@example.com__", "john@example.com-", "john@example.com--"),
    *("john@example.com_", "user:john@example.com_2024", "john@example.com_jane@example.com"),
    *(
        "请写信到john@example.com并告诉他们您的订单号码以及您需要的服务内容和时间安排还有其他的事",
        "字" * 70 + "a@b.co",
    ),
    *("_415-555-2671_", "__+1 415 555 2671__", "_4155552671_", "***_4155552671_***"),
    *("4155552671/4155552672", "415-555-2671/415-555-2672", "+44 20 7946 0505/+44 20 7946 0506"),
    *("030 1234567/030 1234568", "+1-415-555-2671x23", "415-555-2671ext23", "415 555 2671x4"),
    *(
        "电话13812345678。",
        "13812345678 给我打电话",
        "13812345678给我打电话",
        "手机号：13812345678, 是",
        "연락처01012345678로",
        "電話03-1234-5678まで",
    ),
)
STAYS_BESIDE = (
    *("4111-1111-1111-1112 12/27", "4111111111111112 12/27", "0.4111111111111111 12"),
    *("1700000000000004 1700000000000011", "9780306406157 9780306406158 12/27"),
    *("5100000000000008 5100000000000001", "4500-5200-6100-4804-3900", "9\t4111\t1111\t1111\t1111"),
    *(
        "4500\t5200\t6100\t4804\t3900",
        "user_4155552671",
        "order_7754205966_x",
        "IMG_20240818_203723",
    ),
    *(
        "/a/4155552671/4155552672",
        "01.02.2024/03.04.2024",
        "共13812345678元",
        "13812345678 元",
        "13812345678 人",
        "1.2.3.4.5.6.7",
        "report_2007-05-17_v2",
    ),
    *(
        "_2024-05-17_",
        "1234567x2",
        "12345678901",
        "序号12345678901",
        "SKU9700002285",
        "1/2/3/4/5/6/7/8",
    ),
)
noisy = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *GONE,
                *STAYS,
                *PARTED,
                *DISGUISED,
                *STAYS_PARTED,
                *GLUED,
                *STAYS_BESIDE,
                *ROWS,
                *LIKE_ROWS,
            ]
        ),
        st.sampled_from([form.format(card, card) for card in CARD_FORMS for form in BESIDE_CARDS]),
        st.text(max_size=12),
    ),
    max_size=8,
).map(" ".join)


@pytest.mark.parametrize("text", GONE)
def test_contacts_are_redacted(text: str) -> None:
    said = redacted_contacts(f"Write to {text} today")
    assert text not in said
    assert not set("0123456789@") & set(said)
    assert said.startswith("Write to [")
    assert said.endswith("] today")


@pytest.mark.parametrize("text", [*PARTED, *DISGUISED])
def test_signs_of_any_script_hide_no_contact(text: str) -> None:
    said = redacted_contacts(f"Write to {text} today")
    assert len(said) == len(text) + 15
    assert said.startswith("Write to [")
    assert said.endswith("•] today")
    assert not re.search(r"[\d@%&＠]", said)


@pytest.mark.parametrize("form", BESIDE_CARDS)
@pytest.mark.parametrize("card", CARD_FORMS)
def test_a_card_is_redacted_beside_other_numbers(card: str, form: str) -> None:
    text = f"Paid with {form.format(card, card)} today"
    said = redacted_contacts(text)
    assert len(said) == len(text)
    assert "[card•" in said
    assert not re.search(r"\d(?:[ .\u00a0-]?\d){6}", said)


@pytest.mark.parametrize("text", GLUED)
def test_what_stands_against_a_contact_does_not_hide_it(text: str) -> None:
    said = redacted_contacts(f"Write to {text} today")
    assert len(said) == len(text) + 15
    assert re.search(r"\[(mail|phone)•*\]", said)
    assert not re.search(r"@|\d{5}|\d\d\d\d.\d\d", said)


@pytest.mark.parametrize(
    "text",
    [
        *("601\u00a0234\u00a0567", "1.212\u00a0555\u00a01234", "612 345\u00a0678"),
        *("06–12–34–56–78", "+44 20–7946–0505", "1–212–555–1234", "555–123–450"),
    ],
)
def test_what_is_no_row_of_amounts_or_ranges_goes(text: str) -> None:
    assert redacted_contacts(text).startswith("[phone")


def test_a_number_beside_one_of_a_table_is_found() -> None:
    assert redacted_contacts("1001\t555-123-4567").startswith("1001\t[phone")
    assert redacted_contacts("1\t+44\t20\t7946\t0505").startswith("1\t[phone")


@pytest.mark.parametrize("text", LIKE_ROWS)
def test_phone_numbers_that_look_like_rows_go(text: str) -> None:
    said = redacted_contacts(f"Reach {text} now")
    assert re.fullmatch(r"Reach (tel\. )?\[phone•*\] now", said)


@pytest.mark.parametrize("text", [*STAYS, *STAYS_PARTED, *STAYS_BESIDE, *ROWS])
def test_other_numbers_stay(text: str) -> None:
    assert redacted_contacts(f"It was {text}, so") == f"It was {text}, so"


@settings(max_examples=repeats(150, soak=2500), deadline=None)
@given(text=noisy)
def test_twice_is_once_and_every_place_stays(text: str) -> None:
    once = redacted_contacts(text)
    assert len(once) == len(text)
    assert redacted_contacts(once) == once


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_no_text_is_too_strange(text: str) -> None:
    assert len(redacted_contacts(text)) == len(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        *("9" * 100_000, "1 " * 50_000, "a@" * 50_000, "x.y@a." * 20_000, "1\u00a0" * 50_000),
        *("1 2 3 4 5 6 7 " * 10_000, "1.25 " * 30_000, "2026 " * 30_000),
        *("1\t" * 50_000, "1–" * 50_000, "1\u200b" * 50_000, "&amp;" * 20_000, "a&#64;" * 20_000),
        *("0123456789/" * 20_000 + "x", "4155552671/" * 20_000 + "x", "_41555526" * 20_000),
        *("4111111111111111 " * 20_000, "4111-1111-1111-1112-" * 20_000, "字a@字." * 20_000),
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_no_text_takes_long(text: str) -> None:
    assert len(redacted_contacts(text)) == len(text)


@given(digits=st.text("0123456789", min_size=1, max_size=18))
def test_exactly_one_check_digit_fits(digits: str) -> None:
    fitting = [last for last in "0123456789" if luhn(digits + last)]
    assert len(fitting) == (1 if set(digits) != {"0"} else 0)


def test_what_has_no_digits_is_no_card() -> None:
    assert not luhn("")
    assert not luhn("٠١٢")


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["0123456+", "a@b.de+", "(030) 123 45 67+", "4111 1111 1111 1111-", "030\u00a01234567+"]
)
def test_numbers_without_end_are_all_gone(unit: str) -> None:
    said = redacted_contacts(f"before 12\n {unit * 4000}\nafter 34")
    assert len(said) == len(unit) * 4000 + 20
    assert said.startswith("before 12\n")
    assert said.endswith("\nafter 34")
    assert redacted_contacts(said) == said
    assert unit.rstrip("+-") not in said
