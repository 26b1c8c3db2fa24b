"""The source excerpt: where the marks stand, what is cut, and what is shown when there is no source."""

from __future__ import annotations

import random

import pytest
from report_pages import block, finding, page, report, same, site, write

from whygrad.flow.site import Site
from whygrad.rules.finding import PathStep


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(lines, name="train.py"):
        return write(tmp_path / name, lines)

    return make


def step(where, role):
    return PathStep(where, "op", role)


def test_only_lines_far_apart_are_separated(source):
    file = source({3: "a = one", 4: "b = two", 9: "c = three", 120: "d = four"})
    others = [step(site(file, n, w), w) for n, w in ((120, "four"), (4, "two"), (9, "three"))]
    expected = """
  --> train.py:3
    3 │ a = one
      │     ^^^ the gradient stops here
    4 │ b = two
      │     ╰── two
    9 │ c = three
      │     ╰── three
    …
  120 │ d = four
      │     ╰── four
"""
    same(block(finding(site(file, 3, "one"), *others)), expected)
    plain = expected.replace("│", "|").replace("╰──", "'--").replace("    …", "  ...")
    same(block(finding(site(file, 3, "one"), *others), unicode=False), plain)


def test_several_files_begin_with_the_one_of_the_finding(source):
    train = source({7: "loss = net(x).mean()"})
    nets = source({12345: "    return x.detach()"}, "nets.py")
    path = [
        step(site(train, 7, "net(x)"), "called from here"),
        step(site(nets, 12345, "x.detach()"), "the gradient stops here"),
        step(Site("<ipython-input-3>", 5, 0, 5, 3, "f"), "the loss"),
    ]
    same(
        block(finding(site(nets, 12345, "x.detach()"), *path)),
        """
  --> nets.py:12345
 12345 │     return x.detach()
       │            ^^^^^^^^^^ the gradient stops here
  --> train.py:7
     7 │ loss = net(x).mean()
       │        ╰── called from here
  --> <ipython-input-3>:5 (source not available)
     5 │ ╰── the loss
""",
    )


def test_missing_source_keeps_what_there_is_to_say(tmp_path):
    gone = str(tmp_path / "gone.py")
    label = "the gradient stops here: argmax returns an index, and an index has no derivative at all"
    loss = step(Site(gone, 47, 0, 47, 1, "f"), "the loss")
    same(
        block(finding(Site(gone, 44, 8, 44, 12, "f"), loss, label=label)),
        f"""
  --> {gone}:44 (source not available)
   44 │ ^ the gradient stops here: argmax returns an index, and an index has no
      │   derivative at all
   47 │ ╰── the loss
""",
    )


def test_line_beyond_the_end_of_the_file(source):
    file = source({1: "x = net(y)"})
    same(
        block(finding(site(file, 1, "net(y)"), step(Site(str(file), 4, 0, 4, 3, "f"), "the loss"))),
        """
  --> train.py:1
    1 │ x = net(y)
      │     ^^^^^^ the gradient stops here
    4 │ ╰── the loss
""",
    )


def test_several_marks_on_one_line(source):
    file = source({1: "loss = mse(net(x).detach(), y)"})
    path = [
        step(site(file, 1, "mse(net(x).detach(), y)"), "the loss"),
        step(site(file, 1, "net(x)"), "the output of `net`"),
        step(site(file, 1, "net(x)"), "the output of `net`"),
        step(site(file, 1, "net(x).detach()"), "not shown: the label stands here"),
    ]
    same(
        block(finding(site(file, 1, "net(x).detach()"), *path)),
        """
  --> train.py:1
    1 │ loss = mse(net(x).detach(), y)
      │            ^^^^^^^^^^^^^^^ the gradient stops here
      │            ╰── the output of `net`
      │        ╰── the loss
""",
    )


def test_stations_without_a_place(source):
    file = source({1: "loss = mse(x)"})
    same(
        block(finding(None, step(site(file, 1, "mse(x)"), "the loss"))),
        """
  --> train.py:1
    1 │ loss = mse(x)
      │        ╰── the loss
""",
    )


def test_tabs_wide_and_combining_characters(source):
    file = source({1: "\tif x:", 2: "\t\ty\t= 模型(数据, 'e\u0301') + ｆ", 3: "\tü = net(y)"})
    path = [step(site(file, 2, "ｆ"), "wide"), step(site(file, 3, "net(y)"), "the output")]
    same(
        block(finding(site(file, 2, "模型(数据, 'e\u0301')"), *path)),
        """
  --> train.py:2
    2 │         y   = 模型(数据, 'é') + ｆ
      │               ^^^^^^^^^^^^^^^ the gradient stops here
      │                                 ╰── wide
    3 │     ü = net(y)
      │         ╰── the output
""".replace("é", "e\u0301"),
    )


def test_expression_over_several_lines_is_underlined_to_the_end_of_the_first(source):
    file = source({1: "x = torch.stack(   ", 2: "    [a, b])"})
    same(
        block(finding(Site(str(file), 1, 4, 2, 11, "f"))),
        """
  --> train.py:1
    1 │ x = torch.stack(
      │     ^^^^^^^^^^^^ the gradient stops here
""",
    )


@pytest.mark.parametrize("columns", [(0, 0), (90, 95), (9, 4)])
def test_unknown_columns_underline_the_line(source, columns):
    file = source({1: "    x = y.item()"})
    same(
        block(finding(Site(str(file), 1, columns[0], 1, columns[1], "f"))),
        """
  --> train.py:1
    1 │     x = y.item()
      │     ^^^^^^^^^^^^ the gradient stops here
""",
    )


def test_common_indentation_is_reduced(source):
    file = source({1: " " * 16 + "for x in xs:", 2: " " * 20 + "y = f(x)"})
    same(
        block(finding(site(file, 2, "f(x)"), step(site(file, 1, "xs"), "the data"))),
        """
  --> train.py:2
    1 │     for x in xs:
      │              ╰── the data
    2 │         y = f(x)
      │             ^^^^ the gradient stops here
""",
    )


LONG = "result = first(alpha, beta) + second(gamma, delta, epsilon) + third(zeta) + fourth(eta, theta) + fifth(iota)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "first(alpha, beta)",
            """
    1 │ result = first(alpha, beta) + second(gamma, delta, epsilon) + third(zet…
      │          ^^^^^^^^^^^^^^^^^^ the gradient stops here
""",
        ),
        (
            "third(zeta)",
            """
    1 │ …rst(alpha, beta) + second(gamma, delta, epsilon) + third(zeta) + fourt…
      │                                                     ^^^^^^^^^^^
      │                                                  the gradient stops here
""",
        ),
        (
            "fifth(iota)",
            """
    1 │ …amma, delta, epsilon) + third(zeta) + fourth(eta, theta) + fifth(iota)
      │                                                             ^^^^^^^^^^^
      │                                                  the gradient stops here
""",
        ),
        (
            LONG,
            """
    1 │ result = first(alpha, beta) + second(gamma, delta, epsilon) + third(zet…
      │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      │ the gradient stops here
""",
        ),
    ],
)
def test_long_lines_are_cut_around_what_is_underlined(source, text, expected):
    file = source({1: LONG})
    same(block(finding(site(file, 1, text)))[1:], expected)


def test_cut_in_ascii_and_through_wide_characters(source):
    file = source({1: '名前 = "' + "値" * 40 + '" + net(x) + ' + "y" * 80})
    for options in ({}, {"encoding": "gbk"}, {"unicode": False}):
        lines = block(finding(site(file, 1, "net(x)"), label=""), **options)
        line, carets = lines[1], lines[2]
        narrow = "".join("##" if character in "名前値" else character for character in line)
        assert narrow[carets.index("^") : carets.rindex("^") + 1] == "net(x)"


def test_text_moves_to_the_left_of_a_mark_near_the_right_edge(source):
    file = source({1: "x = concatenate([states, previous_actions, previous_rewards, actor(s)])", 2: "y = x.item()"})
    station = step(site(file, 1, "actor(s)"), "the output of `actor`")
    expected = """
  --> train.py:2
    1 │ x = concatenate([states, previous_actions, previous_rewards, actor(s)])
      │                                      the output of `actor` ──╯
    2 │ y = x.item()
      │     ^^^^^^^^ the gradient stops here
"""
    same(block(finding(site(file, 2, "x.item()"), station)), expected)
    long = step(station.site, "the output of `actor`, which goes through here and is then put together with the rest")
    same(
        block(finding(site(file, 2, "x.item()"), long))[1:4],
        """
    1 │ x = concatenate([states, previous_actions, previous_rewards, actor(s)])
      │ the output of `actor`, which goes through here and is then ──╯
      │ put together with the rest
""",
    )


def test_long_roles_wrap_under_themselves(source):
    file = source({1: "y = net(x)", 2: "z = y"})
    long = step(
        site(file, 1, "net(x)"), "computed here, and used by nothing at all that ever reaches the loss in this update"
    )
    same(
        block(finding(site(file, 2, "y"), long))[1:4],
        """
    1 │ y = net(x)
      │     ╰── computed here, and used by nothing at all that ever reaches the
      │         loss in this update
""",
    )


def test_marks_stand_under_their_expressions_wherever_a_line_is_cut(source):
    names = [f"name_{n}" for n in range(10, 40)]
    file = source({1: "x = " + " + ".join(names), 2: "y = x"})
    for width in (60, 80, 100):
        for name in names:
            for unicode in (True, False):
                options = {"width": width, "unicode": unicode}
                lines = block(finding(site(file, 1, name), label=""), **options)
                assert lines[1][lines[2].index("^") : lines[2].rindex("^") + 1] == name
                lines = block(finding(site(file, 2, "x"), step(site(file, 1, name), "role")), **options)
                elbow = min(lines[2].find(c) for c in "╰╯'" if c in lines[2])
                assert lines[1][elbow:].startswith(name)


def test_any_source_any_column_any_width(source):
    """No page is too wide and none fails, whatever the sites say."""
    chance = random.Random(7)
    alphabet = "abc(), .\t模ü🙂e\u0301\x1b\u202e`"
    for _ in range(300):
        text = {n: "".join(chance.choices(alphabet, k=chance.randrange(0, 160))) for n in range(1, 5)}
        file = source(text | {5: "end"}, f"t{chance.random()}.py")
        sites = [
            Site(
                str(file),
                chance.randrange(1, 7),
                chance.randrange(200),
                chance.randrange(1, 7),
                chance.randrange(200),
                "f",
            )
            for _ in range(3)
        ]
        words = "".join(chance.choices(alphabet, k=chance.randrange(0, 200)))
        one = finding(sites[0], step(sites[1], words), step(sites[2], "the loss"), label=words, message=words)
        for options in ({"width": 60}, {}, {"width": 100, "unicode": False}, {"quiet": True}, {"colour": True}):
            page(report(one), **options)
