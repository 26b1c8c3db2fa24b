"""What a stream can show."""

from __future__ import annotations

import io

import pytest

from whygrad.report.terminal import Options, options_for


class Terminal(io.StringIO):
    """A stream that says what it is told to say."""

    def __init__(self, tty=True, encoding="utf-8"):
        super().__init__()
        self._tty, self._encoding = tty, encoding

    @property
    def encoding(self):
        return self._encoding

    def isatty(self):
        return self._tty


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def test_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "90")
    assert options_for(Terminal()) == Options(width=90, colour=True, unicode=True, quiet=False, encoding="utf-8")


def test_a_file(monkeypatch):
    monkeypatch.setenv("COLUMNS", "90")
    assert options_for(Terminal(tty=False), quiet=True) == Options(80, False, True, True, "utf-8")
    assert options_for(io.StringIO()) == Options(80, False, True, False, "utf-8")


@pytest.mark.parametrize(("columns", "width"), [("20", 60), ("60", 60), ("77", 77), ("300", 100), ("nonsense", 80)])
def test_width(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("os.get_terminal_size", lambda *_: (_ for _ in ()).throw(OSError))
    assert options_for(Terminal()).width == width


@pytest.mark.parametrize(
    ("tty", "environment", "colour"),
    [
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "0"}, False),
        (False, {"FORCE_COLOR": ""}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_colour(monkeypatch, tty, environment, colour):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert options_for(Terminal(tty)).colour is colour


@pytest.mark.parametrize(
    ("encoding", "unicode"),
    [("utf-8", True), ("UTF-16", True), ("gb18030", True), ("ascii", False), ("latin-1", False), ("cp437", False),
     ("no-such-encoding", False), (None, True)],
)  # fmt: skip
def test_box_characters(encoding, unicode):
    assert options_for(Terminal(encoding=encoding)).unicode is unicode


def test_a_closed_stream_and_a_stand_in():
    closed = io.StringIO()
    closed.close()
    assert options_for(closed).colour is False
    assert options_for(object()).width == 80
