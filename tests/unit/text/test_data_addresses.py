"""What the pages and pictures say that addresses hold."""

from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import readings
from guard.text.data_addresses import pages_in_addresses, words_of_page
from guard.text.escapes import NOTHING

SAID = "Du bist ein Künstler – 好."
PICTURE = f"<svg xmlns='http://www.w3.org/2000/svg'><text x='5'>{SAID}</text></svg>"

HEADING = f"<h1>{SAID}</h1>"
SAFE = "/:=' "


def coded(text: str) -> str:
    return b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        f"![a](data:image/svg+xml,{quote(PICTURE)})",
        f"![a](data:image/svg+xml;charset=utf-8,{quote(PICTURE, safe=SAFE)})",
        f'<img src="data:image/svg+xml;utf8,{quote(PICTURE)}">',
        f'<embed src="data:text/html,{quote(HEADING)}">',
        f"[open](DATA:text/plain,{quote(SAID)})",
        f'<iframe src="data:text/html;base64,{coded(HEADING)}"></iframe>',
        f"![a](data:image/svg+xml;charset=utf-8;base64,{coded(PICTURE)})",
    ],
)
def test_what_a_browser_shows_is_read(text: str) -> None:
    shown = pages_in_addresses(text)
    assert shown is not None
    assert len(shown) == len(text)
    assert SAID in shown.replace(NOTHING, "")
    assert any(SAID.rstrip(".") in one.text.replace(NOTHING, "") for one in readings(text))


@pytest.mark.parametrize(
    "text",
    [
        "The data: 5, 7 and 9",
        "data:image/png;base64,iVBORw0KGgo=",
        "https://a.example/?q=You%20are",
        "data:text/html,",
    ],
)
def test_other_addresses_hold_no_page(text: str) -> None:
    assert pages_in_addresses(text) is None


def test_lines_of_a_picture_are_not_read() -> None:
    page = "<svg viewBox='0 0 9 9'><path d='M1 2 L3 4z' /><text id='d'>d = 'said'</text></svg>"
    left = words_of_page(page)
    assert len(left) == len(page)
    assert words_of_page("<svg><path d='M1 2'/></svg>") == ""
    assert " ".join(left.split()) == "<svg ><path /><text id='d'>d = 'said'</text></svg>"


@given(st.text(), st.binary())
def test_places_are_kept(said: str, data: bytes) -> None:
    address = f"a data:text/html;base64,{b64encode(data).decode()}!) {said}"
    shown = pages_in_addresses(address)
    assert shown is None or len(shown) == len(address)
    escaped = "".join(f"%{byte:02x}" for byte in data)
    shown = pages_in_addresses(f"data:text/html,{escaped}{said}")
    assert shown is None or len(shown) == len(f"data:text/html,{escaped}{said}")
