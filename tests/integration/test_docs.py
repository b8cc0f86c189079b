"""The documentation: every page is reachable, every link leads somewhere, examples run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
METRICS = (ROOT / "docs/metrics-endpoint.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", METRICS, re.DOTALL)
SCRAPE = """
import urllib.request
with urllib.request.urlopen(server.url) as answer:
    assert b"guard_engine_batches_total" in answer.read()
server.close()
guard.close()
"""
CHECKS = {
    "own listener": SCRAPE,
    "route": """
from starlette.testclient import TestClient
assert "guard_engine_batches_total" in TestClient(app).get("/metrics/").text
guard.close()
""",
    "series of the application": """
text = generate_latest(guard.metrics.registry).decode()
assert "guard_engine_batches_total" in text and "shop_orders_total" in text
guard.close()
""",
    "several workers": f"""
(target_file,) = json.loads(target.read_text())
assert target_file["targets"] == [server.url.split("/")[2]]
{SCRAPE}
""",
}


def links(page: Path) -> set[str]:
    found = LINK.findall(page.read_text(encoding="utf-8"))
    return {link for link in found if "://" not in link}


@pytest.mark.parametrize("page", [path.name for path in PAGES])
def test_every_page_is_linked_from_the_readme(page: str) -> None:
    assert f"docs/{page}" in links(ROOT / "README.md")


@pytest.mark.parametrize(
    "page",
    [str(path.relative_to(ROOT)) for path in (*PAGES, *ROOT.glob("*.md"))],
)
def test_links_lead_to_files_that_are_there(page: str) -> None:
    path = ROOT / page
    assert {link for link in links(path) if not (path.parent / link).exists()} == set()


@pytest.mark.parametrize(
    ("name", "example"), list(zip(CHECKS, EXAMPLES, strict=True)), ids=list(CHECKS)
)
def test_metrics_are_served_as_the_page_says(name: str, example: str, tmp_path: Path) -> None:
    script = example.replace("port=9464", "port=0") + CHECKS[name]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
