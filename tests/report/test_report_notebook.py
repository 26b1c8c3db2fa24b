"""The notebook form: findings that fold, with the terminal's excerpts."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from report_pages import ARGMAX, argmax, block, finding, report, write
from rich_reports import hostile, rich

TAGS = {
    "div", "style", "p", "pre", "span", "code", "details", "summary", "table", "thead", "tbody", "tr", "th", "td",
    "small", "br", "ul", "li",
}  # fmt: skip


class Checker(HTMLParser):
    """Collects the tags and the text, and knows which tags are open."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text, self.sources = [], set(), "", []

    def handle_starttag(self, tag, attrs):
        assert {name for name, _ in attrs} <= {"class", "role", "aria-label", "scope", "tabindex", "open"}
        self.tags.add(tag)
        if tag == "pre":
            self.sources.append("")
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data
        if "pre" in self.open:
            self.sources[-1] += data


def read(one):
    checker = Checker()
    checker.feed(one._repr_html_())
    checker.close()
    assert not checker.open
    assert checker.tags <= TAGS
    return checker


def test_says_what_the_terminal_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = argmax(write(tmp_path / "train.py", ARGMAX))
    page = read(report(one))
    assert page.sources == ["\n".join(block(one, width=96))]
    words = " ".join(page.text.split())
    for part in (one.message.replace("`", ""), one.why, one.fix.replace("`", ""), "actor.fc1.weight"):
        assert part in words


def test_everything_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = read(rich(tmp_path))
    words = " ".join(page.text.split())
    for part in ("the script stopped with: ValueError: x", "who trains what", "arrives, is cleared", "1 note on what"):
        assert part in words
    html = rich(tmp_path)._repr_html_()
    assert html.count("<details open>") == 2  # notes are folded


def test_everything_from_the_program_is_escaped(tmp_path):
    html = hostile(tmp_path)._repr_html_()
    assert "<script" not in html
    assert "<img" not in html
    assert not set("\x00\x1b\x07\u202e\u2028") & set(html)
    html.encode("utf-8")
    assert "</script><script>alert(1)</script>" in read(hostile(tmp_path)).text


def test_the_style_reaches_nothing_else():
    html = report()._repr_html_()
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL).group(1)
    selectors = [part.strip() for rule in style.split("}") for part in rule.split("{")[0].split(",") if part.strip()]
    assert selectors
    assert all(".whygrad" in selector for selector in selectors)
    assert not re.search(r"https?:|url\(|src=|href=|@import|<script", html)
    assert "no gradient faults found" in html


def test_a_cell_is_called_a_cell():
    from whygrad.flow.site import Site

    file = "/tmp/ipykernel_17074/194642366.py"
    one = report(finding(Site(file, 3, 0, 3, 1, "f")), script=file)
    assert "in notebook cell (" in str(one)
    assert "--> notebook cell:3" in str(one)
