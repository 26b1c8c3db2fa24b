"""Links of the Markdown files lead somewhere as they stand, on a code host as on the site; tables are up to date."""

from __future__ import annotations

import re
import sys
from collections import Counter
from functools import cache
from urllib.parse import urlsplit

import pytest
from page_blocks import ROOT, pages

from whygrad.rules.catalogue import RULES

sys.path.insert(0, str(ROOT / "docs/site"))
from repository_map import BrokenLink, led_to, links_of, outside_code
from tables import TABLES, files, filled


@cache
def anchors(page: str) -> set[str]:
    """The anchors that code hosts and the site give to the headings of a page."""
    text = outside_code((ROOT / page).read_text(encoding="utf-8"), lambda bare: bare)
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    seen: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


LESSONS = sorted(f"lessons/{path.name}" for path in (ROOT / "lessons").glob("[0-9]*.py"))


@pytest.mark.parametrize("page", [*pages(), *LESSONS])
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    if page.endswith(".py"):
        text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.splitlines() if line.startswith("#"))
    for link in links_of(text):
        parts = urlsplit(link)
        if parts.scheme:
            assert parts.scheme == "https" and "." in parts.netloc, f"{page}: {link}"
            continue
        file, anchor = led_to(page, link)
        assert not anchor or anchor in anchors(file), f"{page}: {file} has no heading {anchor!r}"


def test_a_link_to_nowhere_is_noticed():
    with pytest.raises(BrokenLink):
        led_to("docs/start.md", "there_is_no_such_page.md")
    with pytest.raises(BrokenLink):
        led_to("docs/start.md", "../../outside.md")
    assert led_to("docs/start.md", "../lessons/README.md#running-them") == ("lessons/README.md", "running-them")


def test_links_in_code_are_no_links():
    text = '[a\nb](x.md) `[c](y.md)` <!-- [d](z.md) -->\n```text\n[e](w.md)\n```\n<img src="p.png" alt="">\n'
    assert links_of(text) == ["x.md", "p.png"]


def test_paths_in_the_text_exist():
    """`docs/x.md`, `benchmarks/x.py`, `tests/x` in backticks."""
    for page in pages():
        text = (ROOT / page).read_text(encoding="utf-8")
        for path in re.findall(r"`((?:docs|tests|lessons|examples|benchmarks|src)/[\w./]+)`", text):
            assert (ROOT / path).exists(), f"{page}: `{path}` does not exist"


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_tables_are_made_from_the_figures(path):
    text = path.read_text(encoding="utf-8")
    assert filled(text) == text, "benchmarks/*.json changed: run `make tables`"


def test_every_table_is_used():
    used = {name for path in files() for name in re.findall(r"<!-- table: ([a-z ]+) -->", path.read_text())}
    assert used == set(TABLES)


def test_a_table_that_is_out_of_date_is_noticed():
    text = "<!-- table: offline -->\n| CQL | 500 |\n<!-- end of table -->\n"
    assert filled(text) != text


def test_every_rule_is_in_the_list():
    text = (ROOT / "docs/what_it_finds.md").read_text(encoding="utf-8")
    assert [rule.code for rule in RULES if f"{rule.code} {rule.name}" not in text] == []
    assert set(re.findall(r"W\d{3}", text)) <= {rule.code for rule in RULES}
