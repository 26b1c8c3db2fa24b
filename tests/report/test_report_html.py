"""The web page: whole, escaped, self-contained; what a browser makes of it is in test_report_browser."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from html import unescape
from html.parser import HTMLParser

import pytest
from report_pages import finding, report, site, write
from rich_reports import EVIL, hostile, picture, rich, table

from whygrad.flow.drawing import Drawing, Edge, Node
from whygrad.flow.site import Site
from whygrad.report import html_page
from whygrad.report.drawing_layout import layout
from whygrad.report.python_colours import colours

VOID = {"meta", "br"}
TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "nav", "main", "footer", "section", "article", "figure",
    "figcaption", "details", "summary", "div", "span", "p", "h1", "h2", "h3", "ol", "ul", "li", "dl", "dt", "dd", "a",
    "code", "mark", "small", "br", "table", "thead", "tbody", "tr", "th", "td",
    "svg", "defs", "marker", "path", "g", "rect", "text",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "content", "http-equiv", "name", "id", "class", "href", "role", "tabindex", "scope", "open",
    "aria-label", "aria-labelledby", "aria-hidden", "viewbox", "width", "height", "x", "y", "rx", "d", "marker-end",
    "refx", "refy", "markerwidth", "markerheight", "markerunits", "orient",
}  # fmt: skip


class Checker(HTMLParser):
    """Well-formed, of known tags and attributes only."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.ids, self.links, self.found = [], "", [], [], []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS
        given = dict(attrs)
        assert set(given) <= ATTRIBUTES, given
        self.found.append(tag)
        self.text += "" if tag in ("code", "mark", "span", "a") else " "
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


def read(one):
    html = html_page.render(one, "0.1.0")
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert not checker.open
    assert len(set(checker.ids)) == len(checker.ids)
    assert {link[1:] for link in checker.links} <= set(checker.ids)
    assert all(link.startswith("#") for link in checker.links)
    return html, checker


def test_everything_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    html, page = read(rich(tmp_path))
    words = " ".join(page.text.split())
    for part in (
        "1 error, 1 warning, 1 note in train.py",
        "4 updates traced, torch",
        "The script stopped with ValueError: x",
        "error W104 not-differentiable actor (6 variables) gets no gradient from the loss at line 47",
        "train.py:44 in train",
        "a = tf.argmax(q, axis=1)",
        "the gradient stops here: argmax returns an index, and an index has no derivative",
        "╰── the output of actor",
        "Seen in 3 updates, first in update 2.",
        "trunk is frozen",
        "actor_loss line 47 trains it by actor_opt arrives, is cleared",
        "the tracer lost sight of a thread",
        "What does not help",
    ):
        assert part in words, part
    assert '<mark class="main">' in html
    assert page.found.count("svg") == 2
    assert {"header", "main", "nav", "footer"} <= set(page.found)
    assert {"finding-1", "finding-2", "finding-3", "W104", "W102"} <= set(page.ids)


def test_everything_from_the_program_is_escaped(tmp_path):
    html, page = read(hostile(tmp_path))
    assert "<script" not in html.lower().replace("&lt;script", "")
    assert "<img" not in html
    assert not set("\x00\x1b\x07\u202e\u2066\u2028") & set(html)
    html.encode("utf-8")
    assert "</script><script>alert(1)</script>" in page.text
    assert "\\u202ebidi\\u2066\\x00\\x1b[31m" in page.text
    assert unescape(html).count(EVIL[:30]) > 20


def test_the_policy_allows_only_the_style_that_is_there(tmp_path):
    html, _ = read(rich(tmp_path))
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html).group(1)
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert html.index("Content-Security-Policy") < html.index("<title>")
    assert not re.search(r"https?:|@import|url\((?!#)|src=|\sstyle=|\son\w+=", html)


@pytest.mark.parametrize(
    ("changes", "head"),
    [
        ({}, "No gradient faults found in train.py"),
        ({"updates": 0}, "Nothing was trained"),
        ({"frameworks": (), "updates": 0}, "Neither"),
        ({"script": ""}, "No gradient faults found in the recorded code"),
        ({"script": "a (b).py"}, "No gradient faults found in a (b).py"),
    ],
)
def test_clean_reports(changes, head):
    html, page = read(report(**changes))
    assert re.search(r"<h1>(.*?)</h1>", html).group(1).startswith(head)
    assert "<article" not in html
    assert "svg" not in page.found


def test_context_lines_and_the_indent_they_share(tmp_path):
    file = write(
        tmp_path / "t.py", {1: "        if x:", 2: "            y = x.detach()  # stop", 4: "            z = y"}
    )
    html, _ = read(report(finding(site(file, 2, "x.detach()"))))
    rows = re.findall(r'<div class="(ln[^"]*)"><span class="no">(\d+)</span><code>(.*?)</code>', html)
    texts = [(kind, number, unescape(re.sub("<[^>]*>", "", text))) for kind, number, text in rows]
    assert texts == [
        ("ln context", "1", "if x:"),
        ("ln", "2", "    y = x.detach()  # stop"),
        ("ln context", "3", ""),
        ("ln context", "4", "    z = y"),
    ]
    assert 'y = <mark class="main">x.detach()</mark>  <span class="comment"># stop</span>' in html
    assert '<span class="pad">        </span><span class="text">the gradient stops here</span>' in html


def test_source_that_is_not_there_or_has_no_columns(tmp_path):
    _, page = read(report(finding(Site("/gone.py", 7, 4, 7, 9, "f"))))
    assert "source not available" in page.text
    file = write(tmp_path / "t.py", {1: "  with f():  # a comment", 2: "    pass"})
    html, _ = read(report(finding(Site(str(file), 1, 2, 2, 8, "f")), finding(Site(str(file), 1, 0, 1, 0, "f"))))
    assert html.count('<mark class="main"><span class="keyword">with</span> f():</mark>  <span') == 2


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("return x  # why", "KKKKKK .  CCCCC"),
        ("f('a', \"b\\\"c\", rb'd')", "..SSS. SSSSSS. SSSSS."),
        ("x = 1.5e-3 + 0x1F", ". . NNNNNN . NNNN"),
        ("@torch.no_grad()", "DDDDDDDDDDDDDD.."),
        ("y = None if not a2 else ''", ". . TTTT KK KKK .. KKKK SS"),
        ("match = 3", "..... . N"),
        ("    match x:", "    KKKKK .."),
        ("s = 'open", ". . SSSSS"),
        ('t = """doc', ". . SSSSSS"),
        ("", ""),
        ("\x0c\t?$", "  .."),
    ],
)
def test_colours(line, kinds):
    letters = {"keyword": "K", "comment": "C", "string": "S", "number": "N", "decorator": "D", "constant": "T", "": "."}
    found = "".join(letters[kind] for kind in colours(line))
    assert len(found) == len(line)
    blank = [i for i, character in enumerate(kinds) if character == " "]
    assert "".join(" " if i in blank else c for i, c in enumerate(found)) == kinds


def wheel(count, extra=()):
    """Networks that all feed all losses: the densest picture."""
    nodes = [Node("network", f"network_{i}", "4 variables") for i in range(count)]
    nodes += [Node("loss", f"loss_{i}") for i in range(count)]
    edges = [Edge(i, count + j, "gradient" if i == j else "data") for i in range(count) for j in range(count)]
    return Drawing("torch", tuple(nodes), (*edges, *extra))


@pytest.mark.parametrize(
    "one",
    [picture(), wheel(1), wheel(3), wheel(6), wheel(2, (Edge(0, 1, "data"), Edge(1, 0, "data"))), Drawing("torch")],
)
def test_no_box_stands_on_another(one):
    sizes = [30.0 + 7 * (i % 3) for i in range(len(one.nodes))]
    for room in (float("inf"), 90.0):
        made = layout(one, sizes, 10.0, room)
        for layer in made.layers:
            for index, other in itertools.pairwise(layer):
                a, b = made.spots[index], made.spots[other]
                assert a.cross + a.size / 2 + 10.0 <= b.cross - b.size / 2 + 1e-6
        for edge, route in made.routes:
            layers = [made.spots[index].layer for index in route]
            assert layers == list(range(layers[0], layers[-1] + 1))
            assert (route[0], route[-1]) == (edge.source, edge.target)
        assert all(spot.cross - spot.size / 2 >= -1e-6 for spot in made.spots)


def test_a_drawing_says_where_the_findings_are(tmp_path):
    one = rich(tmp_path)
    html, page = read(one)
    assert html.count('class="fault"') == 2  # in both pictures
    assert "finding 1" in page.text
    assert "feeds tf.argmax(q, axis=1) (line 44), and gets no gradient from there" in page.text
    assert html.count('class="slashes"') == 2


def test_phases_of_one_framework_are_told_apart(tmp_path):
    files = [write(tmp_path / f"{name}.py", {1: "loss = f(x)"}) for name in ("one", "other")]
    one, other = (site(file, 1, "f(x)") for file in files)
    tables, pictures = (
        (table(where=one), table(where=other)),
        (picture(cut=one, loss=one), picture(cut=other, loss=other)),
    )
    page = html_page.render(report(finding(where=other), ownership=tables, drawings=pictures), "1")
    for phase in (1, 2):
        assert page.count(f'<h3 class="phase">torch, phase {phase}</h3>') == 2  # of the pictures and of the tables
    drawn = [figure.partition("</svg>")[0] for figure in page.split("<svg")[1:]]  # each of them wide and tall
    assert ["finding 1" in figure for figure in drawn] == [False, False, True, True]


def test_a_table_without_losses_is_left_out():
    from dataclasses import replace

    html, _ = read(report(ownership=(replace(table(), losses=()),)))
    assert "Who trains what" not in html
