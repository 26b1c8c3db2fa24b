"""Whole pages of the terminal form, and what the summary says."""

from __future__ import annotations

import re

import pytest
from report_pages import ARGMAX, argmax, finding, page, report, same, site, write

from whygrad.flow.site import Site
from whygrad.report.terminal import Options, render


@pytest.fixture
def train(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "train.py", ARGMAX)


def test_page_at_80_columns(train):
    same(
        page(report(argmax(train))),
        """
error[W104] not-differentiable: `actor` (6 variables) gets no gradient from the
  loss at line 47
  --> train.py:44
   41 │     q = critic([states, actor(states)])
      │                         ╰── the output of `actor`
   44 │     a = tf.argmax(q, axis=1)
      │         ^^^^^^^^^^^^^^^^^^^^ the gradient stops here: argmax returns an
      │                              index, and an index has no derivative
   47 │     loss = -tf.reduce_mean(tf.cast(a, tf.float32))
      │            ╰── the loss
  variables: actor.fc1.weight, actor.fc1.bias, actor.fc2.weight, actor.fc2.bias,
             actor.fc3.weight, actor.fc3.bias
  why: Which entry is the largest does not change when an entry moves a little;
       its value does.
  fix: use the value, not its index, in place of `tf.argmax(q, axis=1)`, or
       gather the entry that was taken
  more: whygrad explain W104

1 error in train.py (4 updates traced, torch)
""",
    )


def test_page_at_60_columns(train):
    same(
        page(report(argmax(train)), width=60),
        """
error[W104] not-differentiable: `actor` (6 variables) gets
  no gradient from the loss at line 47
  --> train.py:44
   41 │     q = critic([states, actor(states)])
      │                         ╰── the output of `actor`
   44 │     a = tf.argmax(q, axis=1)
      │         ^^^^^^^^^^^^^^^^^^^^
      │         the gradient stops here: argmax returns an
      │         index, and an index has no derivative
   47 │     loss = -tf.reduce_mean(tf.cast(a, tf.float32))
      │            ╰── the loss
  variables: actor.fc1.weight, actor.fc1.bias,
             actor.fc2.weight, actor.fc2.bias,
             actor.fc3.weight, actor.fc3.bias
  why: Which entry is the largest does not change when an
       entry moves a little; its value does.
  fix: use the value, not its index, in place of
       `tf.argmax(q, axis=1)`, or gather the entry that was
       taken
  more: whygrad explain W104

1 error in train.py (4 updates traced, torch)
""",
    )


def test_page_at_100_columns(train):
    same(
        page(report(argmax(train)), width=100),
        """
error[W104] not-differentiable: `actor` (6 variables) gets no gradient from the loss at line 47
  --> train.py:44
   41 │     q = critic([states, actor(states)])
      │                         ╰── the output of `actor`
   44 │     a = tf.argmax(q, axis=1)
      │         ^^^^^^^^^^^^^^^^^^^^ the gradient stops here: argmax returns an index, and an index
      │                              has no derivative
   47 │     loss = -tf.reduce_mean(tf.cast(a, tf.float32))
      │            ╰── the loss
  variables: actor.fc1.weight, actor.fc1.bias, actor.fc2.weight, actor.fc2.bias, actor.fc3.weight,
             actor.fc3.bias
  why: Which entry is the largest does not change when an entry moves a little; its value does.
  fix: use the value, not its index, in place of `tf.argmax(q, axis=1)`, or gather the entry that
       was taken
  more: whygrad explain W104

1 error in train.py (4 updates traced, torch)
""",
    )


def test_page_in_ascii(train):
    lines = page(report(argmax(train, fix="use ‘max’ … not its index — é")), unicode=False)
    same(
        lines,
        """
error[W104] not-differentiable: `actor` (6 variables) gets no gradient from the
  loss at line 47
  --> train.py:44
   41 |     q = critic([states, actor(states)])
      |                         '-- the output of `actor`
   44 |     a = tf.argmax(q, axis=1)
      |         ^^^^^^^^^^^^^^^^^^^^ the gradient stops here: argmax returns an
      |                              index, and an index has no derivative
   47 |     loss = -tf.reduce_mean(tf.cast(a, tf.float32))
      |            '-- the loss
  variables: actor.fc1.weight, actor.fc1.bias, actor.fc2.weight, actor.fc2.bias,
             actor.fc3.weight, actor.fc3.bias
  why: Which entry is the largest does not change when an entry moves a little;
       its value does.
  fix: use 'max' ... not its index -- \\xe9
  more: whygrad explain W104

1 error in train.py (4 updates traced, torch)
""",
    )
    assert "\n".join(lines).isascii()


def test_several_findings_notes_and_what_was_not_seen(train):
    warning = finding(site(train, 41, "actor(states)"), code="W102", rule="stopped", severity="warning")
    note = finding(site(train, 47, "loss"), code="W109", rule="frozen", severity="note", message="`trunk` is frozen")
    long_note = finding(
        None, code="W203", rule="unregistered", severity="note",
        message="`policy.heads` holds layers in a plain list, which the model does not track, and nobody says so",
    )  # fmt: skip
    unseen = ("the tracer lost its way in a thread", "the tracer lost its way in a thread", "3 graphs were compiled")
    # Given in the wrong order: the page puts the worst first whatever comes in.
    same(
        page(report(note, warning, long_note, finding(site(train, 44, "q")), notes=unseen)),
        """
error[W104] not-differentiable: `actor` gets no gradient
  --> train.py:44
   44 │     a = tf.argmax(q, axis=1)
      │                   ^ the gradient stops here
  why: Because.
  fix: use the value
  more: whygrad explain W104

warning[W102] stopped: `actor` gets no gradient
  --> train.py:41
   41 │     q = critic([states, actor(states)])
      │                         ^^^^^^^^^^^^^ the gradient stops here
  why: Because.
  fix: use the value
  more: whygrad explain W102

note[W109] frozen: `trunk` is frozen (train.py:47)
note[W203] unregistered: `policy.heads` holds layers in a plain list, which the
  model does not track, and nobody says so

note: the tracer lost its way in a thread
note: 3 graphs were compiled

1 error, 1 warning, 2 notes in train.py (4 updates traced, torch)
""",
    )


def test_without_a_place_the_label_opens_the_explanation():
    same(
        page(report(finding(None, label="nothing was recorded here"))),
        """
error[W104] not-differentiable: `actor` gets no gradient
  why: nothing was recorded here. Because.
  fix: use the value
  more: whygrad explain W104

1 error in train.py (4 updates traced, torch)
""",
    )


FOUR = "  variables: net.0.weight, net.1.weight, net.2.weight, net.3.weight,"


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, []),
        (2, ["  variables: net.0.weight, net.1.weight"]),
        (6, [FOUR, "             net.4.weight, net.5.weight"]),
        (7, [FOUR, "             net.4.weight, net.5.weight and 1 more"]),
        (18, [FOUR, "             net.4.weight, net.5.weight and 12 more"]),
    ],
)
def test_variables(count, expected):
    lines = page(report(finding(None, variables=tuple(f"net.{n}.weight" for n in range(count)))))
    assert [line for line in lines if "net." in line] == expected


def test_one_variable_is_not_named_twice():
    one = finding(None, message="`net.0.weight` gets no gradient", variables=("net.0.weight",))
    assert not any("variables:" in line for line in page(report(one)))


def test_code_in_backticks_is_kept_together_and_endless_words_are_broken():
    one = finding(None, why="x" * 60 + " then `tf.reduce_max(q, axis=1)` and " + "y" * 130)
    lines = page(report(one))
    assert lines[1:5] == [
        "  why: the gradient stops here.",
        f"       {'x' * 60} then",
        "       `tf.reduce_max(q, axis=1)` and",
        f"       {'y' * 73}",
    ]


def test_quiet(train):
    note = finding(None, severity="note", code="W109", message="frozen\nhere")
    cut = argmax(
        train, message="`actor` (6 variables) gets no gradient from the loss at line 47, which is told at length"
    )
    lines = page(report(note, cut, notes=("unseen",), script_error="ValueError: x"), quiet=True)
    same(
        lines,
        """
train.py:44:9: error[W104] `actor` (6 variables) gets no gradient from the loss at line 47, which is told at length
train.py: note[W109] frozen here
1 error, 1 note in train.py (4 updates traced, torch)
""",
    )


def test_quiet_counts_columns_in_characters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path / "train.py", {1: "übergrößen = 模型(x)"})
    assert page(report(finding(site(file, 1, "模型(x)"))), quiet=True)[0].startswith("train.py:1:14: error[W104]")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"updates": 12}, ["no gradient faults found in train.py (12 updates seen, torch)"]),
        ({"updates": 1, "frameworks": ("torch", "tensorflow")}, [
            "no gradient faults found in train.py (1 update seen, torch, tensorflow)",
        ]),
        ({"frameworks": (), "updates": 0, "script": "x.py"}, [
            "neither PyTorch, TensorFlow nor JAX was imported by x.py: nothing to look at",
        ]),
        ({"updates": 0}, [
            "nothing was trained: no optimizer step was seen in train.py (torch); whygrad",
            "  looks at gradients when an optimizer applies them, so let the script reach its",
            "  first update",
        ]),
        ({"updates": 0, "script_error": "KeyError: 'x'"}, [
            "the script stopped with: KeyError: 'x'",
            "nothing was trained: no optimizer step was seen in train.py before it stopped",
            "  (torch); whygrad looks at gradients when an optimizer applies them, so let the",
            "  script reach its first update",
        ]),
        ({"script": ""}, ["no gradient faults found in the recorded code (4 updates seen, torch)"]),
        ({"script_error": "\n" + "ValueError: " + "no " * 60 + "\nmore"}, [
            "the script stopped with: ValueError: no no no no no no no no no no no no no no…",
            "no gradient faults found in train.py (4 updates seen, torch)",
        ]),
        ({"script_error": ""}, [
            "the script stopped with: an error without a message",
            "no gradient faults found in train.py (4 updates seen, torch)",
        ]),
    ],
)  # fmt: skip
def test_summary_without_findings(changes, expected):
    assert page(report(**changes)) == expected


@pytest.mark.parametrize(
    ("severities", "updates", "expected"),
    [
        ("error error warning", 4, "2 errors, 1 warning in train.py (4 updates traced, torch)"),
        ("warning", 1, "1 warning in train.py (1 update traced, torch)"),
        ("error", 0, "1 error in train.py (before the first update, torch)"),
        ("note note", 12, "no gradient faults found in train.py, 2 notes (12 updates seen, torch)"),
    ],
)
def test_summary_with_findings(severities, updates, expected):
    findings = [finding(None, severity=severity) for severity in severities.split()]
    assert page(report(*findings, updates=updates))[-1] == expected


def test_paths_are_relative_only_below_the_current_directory(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    inside, outside = tmp_path / "here" / "a.py", tmp_path / "hereafter.py"
    lines = [
        page(report(finding(Site(str(file), 3, 0, 3, 1, "f"), label=""), script=str(file)))
        for file in (inside, outside)
    ]
    assert [one[1] for one in lines] == [f"  --> {name}:3 (source not available)" for name in ("a.py", outside)]
    assert lines[0][-1].startswith("1 error in a.py ")


def test_the_current_directory_may_be_gone(monkeypatch):
    def gone():
        raise FileNotFoundError

    monkeypatch.setattr("os.getcwd", gone)
    assert page(report(script="/a/train.py")) == ["no gradient faults found in /a/train.py (4 updates seen, torch)"]


def test_a_report_prints_itself(train):
    one = report(argmax(train))
    assert str(one).split("\n") == page(one)


def test_colours_are_balanced_and_change_nothing_else(train):
    note = finding(site(train, 47, "loss"), severity="note")
    one = report(argmax(train), argmax(train, severity="warning"), note, notes=("unseen",), script_error="KeyError: 1")
    coloured = page(one, colour=True)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in coloured] == page(one)
    for line in coloured:
        codes = re.findall(r"\x1b\[([0-9;]*)m", line)
        assert all(code != "0" for code in codes[::2]) and all(code == "0" for code in codes[1::2])
        assert len(codes) % 2 == 0


def test_colours_of_a_finding(train):
    lines = page(report(argmax(train)), colour=True)
    blue, cyan, red, bold, off = "\x1b[1;34m", "\x1b[36m", "\x1b[1;31m", "\x1b[1m", "\x1b[0m"
    assert lines[0].startswith(f"{red}error[W104]{off}{bold} not-differentiable: {off}{bold}`actor` (6 variables)")
    assert lines[2] == f"{blue}  --> {off}train.py:44"
    assert lines[3] == f"{blue}   41 │{off}     q = critic([states, actor(states)])"
    assert lines[4] == f"{blue}      │{off}                         {cyan}╰── the output of `actor`{off}"
    assert lines[6].startswith(f"{blue}      │{off}         {red}^^^^^^^^^^^^^^^^^^^^ the gradient stops here")
    assert lines[14].startswith("\x1b[1;32m  fix: \x1b[0muse the value")
    assert lines[-1] == f"{red}1 error in train.py (4 updates traced, torch){off}"


@pytest.mark.parametrize(
    ("severity", "code"), [("error", "1;31"), ("warning", "1;33"), ("note", "1;32")]
)  # notes alone are a clean program
def test_colour_of_the_summary(severity, code):
    assert page(report(finding(None, severity=severity)), colour=True)[-1].startswith(f"\x1b[{code}m")


def test_nothing_from_the_program_reaches_the_terminal_unseen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evil = "\x1b[31m\x07\x9b2J\u202e\x7f\u2028\ue000\udc80\x00\u200b"
    file = write(tmp_path / "train.py", {1: 'x = "\x1b]0;owned\x07\u202e" + y'})
    where = site(file, 1, "y")
    one = finding(
        where, code="W1", rule="r" + evil, message=evil, why=evil, fix=evil, label=evil, variables=(evil, evil),
    )  # fmt: skip
    gone = finding(Site("/" + evil.replace("\x00", ""), 1, 0, 1, 1, "f"), severity="note", message=evil)
    for options in (Options(), Options(unicode=False), Options(quiet=True), Options(width=60)):
        text = render(
            report(one, gone, script=f"x{evil}.py", script_error=f"E: {evil}", notes=(evil,), frameworks=(evil,)),
            options,
        )
        assert all(character == "\n" or character.isprintable() or character == "\ue000" for character in text)
        text.encode("utf-8")
    assert "\\x1b[31m\\x07\\x9b2J\\u202e\\x7f\\u2028" in render(report(one), Options())
    assert '    1 │ x = "\\x1b]0;owned\\x07\\u202e" + y' in render(report(one), Options())


def test_what_the_stream_cannot_write_is_written_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path / "train.py", {1: 'é = 模("🙂")'})
    lines = page(report(finding(site(file, 1, '模("🙂")'))), unicode=False, encoding="latin-1")
    assert lines[2:4] == [
        r'    1 | é = \u6a21("\U0001f642")',
        "      |     ^^^^^^^^^^^^^^^^^^^^ the gradient stops here",
    ]
