"""docs/settings.md is what the models of the settings say."""

from __future__ import annotations

from scripts.settings_page import PAGE, settings_page


def test_the_page_is_written_anew_when_a_setting_changes() -> None:
    assert PAGE.read_text(encoding="utf-8") == settings_page(), "python -m scripts.settings_page"


def test_every_key_of_every_section_is_on_the_page() -> None:
    page = settings_page()
    for path in (
        "`gateway.keys[]`",
        "`defaults.shadow.flags`",
        "`counterfactual.attributes.NAME.words[]`",
    ):
        assert f"## {path}\n" in page
    assert "| `base_url` | text | required |" in page
    assert "| `port` | whole number, at least 0, at most 65535 | `8080` |" in page
