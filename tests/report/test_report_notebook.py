"""The notebook form: the terminal's page as HTML."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from report_pages import ARGMAX, argmax, finding, page, report, site, write


class Checker(HTMLParser):
    """Collects the tags and the text, and knows which tags are open."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], set(), ""

    def handle_starttag(self, tag, attrs):
        assert {name for name, _ in attrs} <= {"style", "role", "aria-label"}
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(html):
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert not checker.open
    assert checker.tags <= {"div", "pre", "span"}
    return checker.text.split("\n")


def test_says_what_the_terminal_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path / "train.py", ARGMAX)
    one = report(argmax(file), finding(site(file, 44, "q"), severity="note"), notes=("unseen",), script_error="E: x")
    assert read(one._repr_html_()) == page(one, width=100)


def test_everything_from_the_program_is_escaped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evil = '</pre><script>alert("1")</script>&amp;\'\x1b[31m'
    file = write(tmp_path / "train.py", {1: 'x = "<script>&amp;</script>"'})
    one = finding(
        site(file, 1, "x"), rule=evil, message=evil, why=evil, fix=evil, label=evil, variables=(evil, evil), code=evil
    )
    html = report(one, script=evil, notes=(evil,), script_error=evil, frameworks=(evil,))._repr_html_()
    assert "<script" not in html
    assert "\x1b" not in html
    lines = read(html)
    assert '    1 │ x = "<script>&amp;</script>"' in lines
    label = unescape(re.search(r'aria-label="([^"]*)"', html).group(1))
    assert label.startswith('whygrad: 1 error in </pre><script>alert("1")</script>&amp;\'\\x1b[31m (')


def test_needs_nothing_from_outside():
    html = report()._repr_html_()
    assert not re.search(r"https?:|url\(|src=|href=|class=|<style", html)
    assert "no gradient faults found" in html
