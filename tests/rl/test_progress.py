"""What a training shows: a bar that fits its terminal, plain lines elsewhere, nothing when quiet."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios

import pytest

from whygrad.rl.progress import Progress

NUMBERS = {"return": 21.456789, "loss": 0.0123, "norm": 3.5}


class Clock:
    """Stands still until it is set."""

    now = 0.0

    def __call__(self):
        return self.now


class FakeTerminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture
def columns(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    return lambda n: monkeypatch.setenv("COLUMNS", str(n))


def course(file, total=1000, every=100, **options):
    """A training of 50 steps a second."""
    clock = Clock()
    progress = Progress(total, file=file, clock=clock, **options)
    for step in range(0, total + 1, every):
        clock.now = step / 50
        progress.update(step, NUMBERS)
    progress.close()
    return file.getvalue()


def drawings(text):
    assert text.startswith("\r")
    assert text.endswith("\n")
    return text[1:-1].split("\r")


def test_a_wide_terminal_shows_everything(columns):
    columns(120)
    drawn = drawings(course(FakeTerminal()))
    assert {len(line) for line in drawn} == {119}
    assert [line.split("  ", 1)[1].strip() for line in drawn[1:2]] == [
        "return 21.46  0:18 left  50 steps/s  loss 0.0123  norm 3.5"
    ]
    assert drawn[5].startswith(" 50% ██")
    assert drawn[-1].startswith("100% ██")
    assert drawn[-1].endswith("█ return 21.46  50 steps/s  loss 0.0123  norm 3.5")


def test_40_columns_show_what_is_wanted_most(columns):
    columns(40)
    drawn = drawings(course(FakeTerminal()))
    assert all(len(line) == 39 for line in drawn)
    assert drawn[5] == " 50% █████      return 21.46  0:10 left"
    assert "loss" not in "".join(drawn)


@pytest.mark.parametrize("width", [1, 5, 12, 20, 25])
def test_even_narrower_ones_are_not_overrun(columns, width):
    columns(width)
    assert all(len(line) <= max(width - 1, 1) for line in drawings(course(FakeTerminal())))


def test_no_color_and_a_terminal_give_no_escape_sequences(columns, monkeypatch):
    columns(80)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in course(FakeTerminal())


def test_a_terminal_without_blocks_gets_signs(columns):
    columns(80)
    plain = FakeTerminal()
    plain.encoding = "ascii"
    assert course(plain).isascii()


def test_a_real_terminal_of_40_columns(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")  # what the terminal itself says counts
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 0, 40, 0, 0))
    with os.fdopen(theirs, "w", encoding="utf-8") as file:
        clock = Clock()
        progress = Progress(1000, file=file, clock=clock)
        clock.now = 10.0
        progress.update(500, NUMBERS)
        progress.close()
        text = os.read(ours, 4096).decode()
    os.close(ours)
    line = text.strip("\r\n")
    assert len(line) == 39
    assert line.endswith(" return 21.46  0:10 left")


def test_drawings_are_at_least_a_tenth_of_a_second_apart(columns):
    columns(80)
    file, clock = FakeTerminal(), Clock()
    progress = Progress(1000, file=file, clock=clock)
    for step in range(1, 1000):
        clock.now = step / 1000
        progress.update(step, {})
    progress.close()
    assert len(drawings(file.getvalue())) in (10, 11)  # within 0.999 seconds


def test_the_end_is_always_drawn_and_more_than_all_is_all(columns):
    columns(60)
    file = FakeTerminal()
    progress = Progress(1000, file=file, clock=Clock())
    for step in (999, 1000, 1024):
        progress.update(step, {})
    progress.close()
    assert [line[:4] for line in drawings(file.getvalue())] == ["100%", "100%", "100%"]


def test_elsewhere_ten_lines():
    assert course(io.StringIO()).splitlines() == [
        " 10%  100 of 1,000 steps  return 21.46  0:18 left  50 steps/s  loss 0.0123  norm 3.5",
        " 20%  200 of 1,000 steps  return 21.46  0:16 left  50 steps/s  loss 0.0123  norm 3.5",
        " 30%  300 of 1,000 steps  return 21.46  0:14 left  50 steps/s  loss 0.0123  norm 3.5",
        " 40%  400 of 1,000 steps  return 21.46  0:12 left  50 steps/s  loss 0.0123  norm 3.5",
        " 50%  500 of 1,000 steps  return 21.46  0:10 left  50 steps/s  loss 0.0123  norm 3.5",
        " 60%  600 of 1,000 steps  return 21.46  0:08 left  50 steps/s  loss 0.0123  norm 3.5",
        " 70%  700 of 1,000 steps  return 21.46  0:06 left  50 steps/s  loss 0.0123  norm 3.5",
        " 80%  800 of 1,000 steps  return 21.46  0:04 left  50 steps/s  loss 0.0123  norm 3.5",
        " 90%  900 of 1,000 steps  return 21.46  0:02 left  50 steps/s  loss 0.0123  norm 3.5",
        "100%  1,000 of 1,000 steps  return 21.46  50 steps/s  loss 0.0123  norm 3.5",
    ]


def test_a_dumb_terminal_gets_lines(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    assert course(FakeTerminal()).count("\n") == 10


def test_a_resumed_training_goes_on_where_it_was():
    file, clock = io.StringIO(), Clock()
    progress = Progress(1000, done=550, file=file, clock=clock)
    clock.now = 1.0
    progress.update(600, {"return": None})
    assert file.getvalue() == " 60%  600 of 1,000 steps  0:08 left  50 steps/s\n"


def test_a_number_that_is_not_there_yet_and_one_that_blew_up():
    file = io.StringIO()
    Progress(10, file=file, clock=Clock()).update(10, {"return": None, "loss": float("nan")})
    assert file.getvalue() == "100%  10 of 10 steps  loss nan  0 steps/s\n"


def test_hours():
    file, clock = io.StringIO(), Clock()
    progress = Progress(1_000_000, file=file, clock=clock)
    clock.now = 1000.0
    progress.update(100_000, {})
    assert file.getvalue() == " 10%  100,000 of 1,000,000 steps  2:30:00 left  100 steps/s\n"


@pytest.mark.parametrize("file", [io.StringIO, FakeTerminal])
def test_quiet(file):
    assert course(file(), quiet=True) == ""


def test_the_speed_is_that_of_late():
    file, clock = io.StringIO(), Clock()
    progress = Progress(1000, file=file, clock=clock)
    clock.now = 1.0
    progress.update(100, {})  # 100 a second
    clock.now = 31.0
    progress.update(200, {})
    # Then 100 in 30 seconds; exp(-30 / 5) = 0.0025 of the first second is left: (100 + 0.25) / (30 + 0.0025) = 3.34,
    # and 800 / 3.34 = 239 seconds.
    assert file.getvalue().splitlines()[1] == " 20%  200 of 1,000 steps  3:59 left  3 steps/s"


def test_a_training_of_no_steps(columns):
    columns(60)
    for file in (io.StringIO(), FakeTerminal()):
        progress = Progress(0, file=file, clock=Clock())
        progress.update(0, {})
        progress.close()
        assert "nan" not in file.getvalue()  # nothing is divided by no steps
