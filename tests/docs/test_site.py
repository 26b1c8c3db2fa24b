"""The site builds without a warning, and what checks its links can find a bad one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from page_blocks import ROOT

from whygrad.rules.catalogue import RULES

pytest.importorskip("sphinx")
sys.path.insert(0, str(ROOT / "docs/site"))
from built_pages import check


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    known = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "torch", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs/site/build.py"), str(folder)],
        env={**known, "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"},  # nobody is there
        capture_output=True, text=True, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_rule_page_command_and_lesson_is_there(site):
    html = site / "html"
    assert all((html / f"rules/{rule.code}.html").is_file() for rule in RULES)
    commands = (html / "reference/commands.html").read_text()
    assert 'id="whygrad-runs-clean"' in commands and "--fail-on" in commands
    lessons = [path.stem for path in (ROOT / "lessons").glob("[0-9]*.py")]
    assert all((html / f"lessons/{name}.html").is_file() for name in lessons)
    assert "whygrad.rl.train" in (html / "api/rl.html").read_text()


def test_every_page_under_docs_is_in_the_site(site):
    for path in (ROOT / "docs").rglob("*.md"):
        page = path.relative_to(ROOT / "docs").with_suffix(".html")
        assert (site / "html" / page).is_file(), page


def test_codes_are_links_and_code_is_not(site):
    text = (site / "html/what_it_finds.html").read_text()
    assert 'href="rules/W102.html"' in text
    assert '<span class="pre">W102</span></code>' in text


def test_addresses_outside_are_listed(site):
    listed = (site / "external_links.txt").read_text().splitlines()
    assert "https://github.com/tensorflow/tensorflow/issues/1768" in listed


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<a href="b.html">x</a>', "leads to no file"),
        ('<a href="a.html#gone">x</a>', "names an anchor that is not there"),
        ('<a href="http://example.com/">x</a>', "is no address of the form"),
        ('<script src="https://cdn.example.com/x.js"></script>', "has to work without a network"),
        ('<link rel="stylesheet" href="gone.css">', "is not there"),
        ('<img src="gone.png">', "is not there"),
    ],
)
def test_what_is_wrong_with_a_page_is_found(tmp_path, body, said):
    (tmp_path / "a.html").write_text(f'<p id="here">{body}</p>')
    wrong, _ = check(tmp_path)
    assert len(wrong) == 1 and said in wrong[0], wrong


def test_a_page_that_is_right(tmp_path):
    (tmp_path / "a.html").write_text('<p id="here"><a href="#here">x</a><a href="https://example.com/">y</a></p>')
    assert check(tmp_path) == ([], ["https://example.com/"])
