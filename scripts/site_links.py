"""The documentation as a site: a hook of mkdocs.

Pages link to other files and folders of the repository, which are not pages. They go along as plain
text, so that every link leads somewhere, offline too. The decisions are listed by their numbers.
"""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LINK = re.compile(r"(\[[^\]]*\]\()([^)#\s:]+)((?:#[^)]*)?\))")
TITLE = re.compile(r"^# \d+\. (.+)$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the decisions to the navigation."""
    pages = sorted((DOCS / "decisions").glob("*.md"))
    listed = [{title_of(page): f"decisions/{page.name}"} for page in pages]
    config.nav.append({"Decisions": listed})
    return config


def title_of(page: Path) -> str:
    """The title of a decision without its number."""
    found = TITLE.search(page.read_text(encoding="utf-8"))
    return found.group(1) if found else page.stem


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what pages link to outside of the documentation."""
    pages = [Path(one.abs_src_path or "") for one in files.documentation_pages()]
    linked = {file for page in pages for file in map(partial(outside, page), targets(page)) if file}
    for file in sorted(linked):
        files.append(File.generated(config, place_of(file), content=content_of(file)))
    return files


def content_of(file: Path) -> str:
    """Its text; of a folder, what is in it."""
    if file.is_file():
        return file.read_text(encoding="utf-8")
    inside = (one.relative_to(ROOT) for one in file.rglob("*") if one.is_file())
    return "".join(f"{one}\n" for one in sorted(inside) if "__pycache__" not in one.parts)


def targets(page: Path) -> list[str]:
    """The addresses that a page links to."""
    return [target for _, target, _ in LINK.findall(page.read_text(encoding="utf-8"))]


def outside(page: Path, target: str) -> Path | None:
    """What of the repository a link of the page leads to; None for pages of the site."""
    file = (page.parent / target).resolve()
    return file if file.exists() and not file.is_relative_to(DOCS) else None


def place_of(file: Path) -> str:
    """Where it lies on the site: as text, so that a browser shows it."""
    return f"files/{file.relative_to(ROOT)}.txt"


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Let links to such files lead to where they lie on the site."""
    source = Path(page.file.abs_src_path or "")

    def rewritten(link: re.Match[str]) -> str:
        file = outside(source, link[2])
        if file is None:
            return link[0]
        return f"{link[1]}{os.path.relpath(DOCS / place_of(file), source.parent)}{link[3]}"

    return LINK.sub(rewritten, markdown)
