"""whygrad play and whygrad evaluate on a run of Snake: a film, and games in the terminal."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import struct
import subprocess
import sys

import pytest
from cli_runs import WHYGRAD, environment
from rl_runs import TINY, agents, several

RUN = "runs/dqn-whygrad_Snake-v0-0-1"
GAME = "return -?\\d+\\.\\d  \\d+ steps?  \\d+ eaten(  cut off)?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("snake")
    board = ("--env", "whygrad/Snake-v0", "--env-set", "height=4", "width=5")
    trained = agents().whygrad(made, "train", "dqn", *board, "--steps", "96", *TINY, "--no-tensorboard")
    assert trained.status == 0, trained.err
    return made


def test_evaluate(folder):
    text, data = several(folder, f"evaluate {RUN} --episodes 30", f"evaluate {RUN} --episodes 30 --json")
    assert text.status == 0, text.err
    *_, eaten, won = text.out.splitlines()
    assert re.fullmatch(r"eaten     mean \d+\.\d  min \d+\.0  max \d+\.0", eaten)
    assert re.fullmatch(r"won       \d+\.\d% of the boards filled", won)
    found = json.loads(data.out)
    assert found["eaten"]["min"] <= found["eaten"]["mean"] <= found["eaten"]["max"]
    assert 0 <= found["won"] <= 1
    assert max(found["lengths"]) <= 18 * 4 * 20  # a policy that goes round in circles is cut off


def test_films(folder):
    from PIL import Image

    film, clip, cut, small = several(
        folder,
        f"play {RUN} --episodes 2",
        f"play {RUN} --out clip.mp4 --max-steps 5 --speed 20",
        f"play {RUN} --out cut.gif --max-steps 1 --size 120",
        f"play {RUN} --size 12",
    )
    assert film.status == 0, film.err
    first, second, where = film.out.splitlines()
    assert re.fullmatch(f"episode 1  {GAME}", first)
    assert re.fullmatch(f"episode 2  {GAME}", second)
    assert where == f"film       {RUN}/play.gif"
    with Image.open(folder / RUN / "play.gif") as gif:
        assert gif.size == (360, 296)
    assert clip.status == 0, clip.err
    assert (folder / "clip.mp4").read_bytes()[4:8] == b"ftyp"
    assert re.match(r"episode 1  return -?\d+\.\d  1 step  ", cut.out)
    with Image.open(folder / "cut.gif") as gif:
        assert gif.size == (120, 99)
    assert (small.status, small.err) == (
        2,
        "whygrad: --size 12: the picture of a board of 4 x 5 is 45 to 4096 pixels wide, got 12.\n",
    )


def test_in_the_terminal(folder):
    plain, misplaced, both = several(
        folder,
        f"play {RUN} --terminal --max-steps 2",
        f"play {RUN} --terminal --size 300",
        f"play {RUN} --terminal --show",
    )
    assert plain.status == 0, plain.err
    # Not a terminal: one board after the other, without colours and cursor movements.
    assert "\x1b" not in plain.out
    assert plain.out.startswith("┌───────────┐\n│ ")
    assert "step 0  eaten 0\n\n┌" in plain.out
    assert re.fullmatch(f"episode 1  {GAME}", plain.out.splitlines()[-1])
    assert (misplaced.status, misplaced.err) == (
        2,
        "whygrad: --size is for films of Snake; other environments have a size of their own.\n",
    )
    assert both.status == 2
    assert "--show: not allowed with argument --terminal" in both.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_live_until_somebody_stops_it(folder):
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 10, 0, 0))  # 24 rows and 10 columns
    words = f"play {RUN} --terminal --episodes 1000 --speed 20".split()
    variables = environment(TERM="xterm", KERAS_BACKEND="torch", PYTHONIOENCODING="utf-8")
    variables.pop("LINES", None)
    process = subprocess.Popen([*WHYGRAD, *words], cwd=folder, stdout=theirs, stderr=subprocess.PIPE, env=variables)
    os.close(theirs)
    shown = b""
    while shown.count(b"\x1b[7F") < 3:  # a frame of seven lines takes the place of the one before
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(OSError):  # what a terminal says when nobody is on its other side
        while more := os.read(ours, 4096):
            shown += more
    os.close(ours)
    assert process.wait(60) == 130
    assert process.stderr.read() == b"whygrad: stopped\n"
    process.stderr.close()
    text = shown.decode()
    assert text.startswith("\x1b[?25l")
    assert text.endswith("\x1b[?25h")  # the cursor is back
    assert "\x1b[1;92m" in text
    # Too narrow for two columns a cell, and for the line below.
    assert "┌─────┐" in text
    assert "step 0  ea\x1b[K" in text
