"""GitHub annotations."""

from __future__ import annotations

import re

from report_pages import finding, report, site, write
from rich_reports import hostile, rich

from whygrad.flow.site import Site
from whygrad.report.github_form import render


def test_annotations(tmp_path):
    lines = render(rich(tmp_path)).split("\n")
    assert lines[0].startswith(
        "::error file=train.py,line=44,col=9,endColumn=29,title=W104 not-differentiable::`actor` (6 variables) gets no "
        "gradient from the loss at line 47%0AThe gradient stops here: argmax returns"
    )
    assert lines[0].endswith(
        "%0Afix: use the value, not its index, in place of `tf.argmax(q, axis=1)`, or gather the entry that was taken"
    )
    assert lines[1].startswith("::warning file=other.py,line=4,col=12,endColumn=22,title=W102 stopped::")
    assert lines[2].startswith("::notice file=train.py,line=47,")
    assert lines[3:] == [""]


def test_nothing_to_say():
    assert render(report()) == ""


def test_without_a_place():
    assert render(report(finding(None, label="", why="", fix=" "))) == (
        "::error title=W104 not-differentiable::`actor` gets no gradient\n"
    )


def test_escaping(tmp_path):
    file = write(tmp_path / "a,b:c%.py", {1: "x"})
    one = finding(site(file, 1, "x"), message="50 % of\r\nit::error::no", rule="a,b:c%")
    line = render(report(one, root=str(tmp_path)))
    assert line.startswith(
        "::error file=a%2Cb%3Ac%25.py,line=1,col=1,endColumn=2,title=W104 a%2Cb%3Ac%25::50 %25 of it::error::no%0A"
    )
    assert line.count("\n") == 1


def test_several_lines_and_unknown_columns(tmp_path):
    file = write(tmp_path / "a.py", {1: "x = f(", 2: "  2)"})
    places = [Site(str(file), 1, 4, 2, 4, "g"), Site(str(file), 1, 0, 1, 0, "g")]
    lines = render(report(*map(finding, places), root=str(tmp_path))).split("\n")
    assert lines[0].startswith("::error file=a.py,line=1,endLine=2,title=")
    assert lines[1].startswith("::error file=a.py,line=1,title=")


def test_hostile_texts_stay_in_their_line(tmp_path):
    text = render(hostile(tmp_path))
    assert text.count("\n") == 3
    assert all(re.match(r"::(error|warning|notice) ", line) for line in text.splitlines())
    assert all(character == "\n" or character.isprintable() for character in text)
