"""Snake as text, as pictures, and in motion."""

from __future__ import annotations

import math
from itertools import pairwise

import gymnasium
import numpy as np
import pytest

from whygrad import gymnasium_ids
from whygrad.rl.film import write_film
from whygrad.rl.worlds import snake_film
from whygrad.rl.worlds.snake_board import Board
from whygrad.rl.worlds.snake_motion import BUMP, scene
from whygrad.rl.worlds.snake_picture import APPLE, DEAD, FIELD, FRAME, HEAD, MARGIN, OTHER_FIELD, check_size, draw
from whygrad.rl.worlds.snake_text import ASCII, columns, text

pytestmark = pytest.mark.once

gymnasium_ids.register()

SNAKE = ((2, 4), (2, 3), (2, 2), (1, 2), (1, 1), (2, 1), (3, 1), (3, 2))
FRUITS = ((0, 0), (3, 5))
BOARD = Board(5, 6, SNAKE, FRUITS, "right", 6)


def test_text():
    assert (
        text(BOARD)
        == """\
┌─────────────┐
│ ● · · · · · │
│ · ┏━┓ · · · │
│ · ┃ ┗━━━▶ · │
│ · ┗━╸ · · ● │
│ · · · · · · │
└─────────────┘"""
    )
    assert (
        text(BOARD, narrow=True)
        == """\
┌──────┐
│●·····│
│·┏┓···│
│·┃┗━▶·│
│·┗╸··●│
│······│
└──────┘"""
    )
    assert (
        text(BOARD, glyphs=ASCII)
        == """\
+-------------+
| * . . . . . |
| . ooo . . . |
| . o oooo> . |
| . ooo . . * |
| . . . . . . |
+-------------+"""
    )
    assert [columns(BOARD), columns(BOARD, narrow=True)] == [15, 8]


@pytest.mark.parametrize(("heading", "arrow"), [("right", "▶"), ("down", "▼"), ("left", "◀"), ("up", "▲")])
def test_the_head_shows_where_it_goes(heading, arrow):
    assert text(Board(1, 3, ((0, 1),), (), heading)) == f"┌───────┐\n│ · {arrow} · │\n└───────┘"
    assert "✖" in text(Board(1, 3, ((0, 1),), (), heading, dead=True))


def test_colours_are_for_who_asks():
    coloured = text(BOARD, colour=True)
    assert "\x1b[1;92m▶\x1b[0m" in coloured
    assert "\x1b[1;91m●\x1b[0m" in coloured
    plain = coloured
    for code in ("0", "2", "32", "1;91", "1;92"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == text(BOARD)


def pixel(picture, y, x, board=BOARD):
    """The colour of a place on the board, in cells."""
    cell = picture.shape[0] / (board.height + 2 * MARGIN)
    return picture[round((y + 0.5 + MARGIN) * cell), round((x + 0.5 + MARGIN) * cell)]


def test_picture():
    picture = draw(scene(None, BOARD), 5, 6, 330)
    assert picture.dtype == np.uint8
    assert picture.shape == (280, 330, 3)
    assert tuple(picture[2, 2]) == FRAME
    assert tuple(pixel(picture, 4, 4)) == OTHER_FIELD
    assert tuple(pixel(picture, 4, 5)) == FIELD
    assert tuple(pixel(picture, 0.1, 0)) == tuple(pixel(picture, 3.1, 5)) == APPLE
    assert tuple(pixel(picture, 2, 3.75)) == HEAD
    # Between two cells of the body, and not between two that only lie side by side.
    body = pixel(picture, 2, 2.5).astype(int)
    assert body[1] > 150
    assert tuple(pixel(picture, 2.5, 2)) in (FIELD, OTHER_FIELD)
    # From the head to the tail it gets darker.
    greens = [int(pixel(picture, y, x)[1]) for y, x in SNAKE[1:]]
    assert greens == sorted(greens, reverse=True)
    assert greens[0] > greens[-1] + 30


def test_a_dead_snake_is_grey():
    dead = Board(5, 6, SNAKE, FRUITS, "up", 6, dead=True)
    assert tuple(pixel(draw(scene(BOARD, dead, 1.0), 5, 6, 330), 2.25, 4)) == DEAD


def test_sizes():
    check_size(9, 9, 100)
    for size in (20, 5000, 1.5, True):
        with pytest.raises(ValueError, match="the picture of a board of 9 x 9 is 77 to 4096 pixels wide, got"):
            check_size(9, 9, size)


MOVED = Board(5, 6, ((2, 5), *SNAKE[:-1]), FRUITS, "right", 6)
ATE = Board(5, 6, ((3, 5), *MOVED.snake), ((0, 0), (4, 4)), "down", 7)


def test_motion_is_smooth():
    """From frame to frame nothing jumps, and it ends where the next step begins."""
    shares = [n / 12 for n in range(13)]
    for before, after in ((BOARD, MOVED), (MOVED, ATE)):
        moments = [scene(before, after, share) for share in shares]
        for one, other in pairwise(moments):
            for end in (0, -1):
                a, b = one.spine[end], other.spine[end]
                assert math.hypot(a.y - b.y, a.x - b.x) < 0.15
        assert moments[0].spine[-1] == pytest.approx(before.snake[0])
        assert moments[-1].spine[-1] == pytest.approx(after.snake[0])
        assert moments[0].spine[0] == pytest.approx(before.snake[-1])
        assert moments[-1].spine[0] == pytest.approx(after.snake[-1])
        # In one piece: a line without gaps.
        for moment in moments:
            steps = [math.hypot(a.y - b.y, a.x - b.x) for a, b in pairwise(moment.spine)]
            assert max(steps) < 0.3
    half = scene(BOARD, MOVED, 0.5)
    assert half.spine[-1] == pytest.approx((2, 4.5))
    assert half.spine[0] == pytest.approx((3, 1.5))
    assert half.looks == pytest.approx((0, 1))


def test_fruits_come_and_go():
    assert dict(scene(MOVED, ATE, 0.25).fruits) == {(0, 0): 1.0, (4, 4): 0.25, (3, 5): 1.0}
    assert dict(scene(MOVED, ATE, 0.75).fruits) == {(0, 0): 1.0, (4, 4): 0.75}


def test_a_dying_snake_runs_into_it_and_back():
    dead = Board(5, 6, MOVED.snake, FRUITS, "right", 6, dead=True)
    heads = [scene(MOVED, dead, share).spine[-1] for share in (0.0, 0.5, 1.0)]
    assert [head.x for head in heads] == pytest.approx([5, 5 + BUMP, 5])
    assert [scene(MOVED, dead, share).dead for share in (0.25, 0.75)] == [False, True]


def test_another_game_does_not_glide():
    new = Board(5, 6, ((4, 4), (4, 3)), ((1, 1),), "right")
    assert scene(BOARD, new, 0.1).spine[-1] == pytest.approx((4, 4))


def test_how_fast_a_film_is():
    assert snake_film.pace(50) == (4, 32.0)
    assert snake_film.pace(900) == (2, 30.0)
    assert snake_film.pace(10**6) == (1, 60.0)
    assert snake_film.pace(50, speed=10) == (3, 30.0)
    assert snake_film.pace(50, fps=50) == (6, 48.0)


def test_a_film(tmp_path):
    from PIL import Image

    games = [[BOARD, MOVED, ATE], [BOARD]]
    pace = snake_film.pace(3)
    made = list(snake_film.frames(games, 120, pace))
    assert len(made) == (11 + 2 * 4 + 32) + (11 + 32)
    assert len({frame.shape for frame in made}) == 1
    file = tmp_path / "games.gif"
    write_film(file, made, pace.fps, snake_film.colours(games, 120))
    with Image.open(file) as film:
        shown = 0
        for n in range(film.n_frames):
            film.seek(n)
            shown += film.info["duration"]
            corner = np.asarray(film.convert("RGB"))[0, 0]
            assert np.abs(corner.astype(int) - FRAME).max() <= 4
        assert shown == pytest.approx(len(made) * 1000 / 32, rel=0.05)  # GIFs count in hundredths of a second


def test_a_film_keeps_its_colours(tmp_path):
    """Also where the longest snake leaves no room for a fruit."""
    from PIL import Image

    full = Board(2, 2, ((0, 0), (0, 1), (1, 1), (1, 0)), (), "left", 3)
    games = [[Board(2, 2, full.snake[:3], ((1, 0),), "left", 2), full]]
    frames = [draw(scene(None, board), 2, 2, 120) for board in games[0]]
    write_film(tmp_path / "full.gif", frames, 10, snake_film.colours(games, 120))
    with Image.open(tmp_path / "full.gif") as film:
        picture = np.asarray(film.convert("RGB"))
    assert np.abs(pixel(picture, 1.1, 0, full).astype(int) - APPLE).max() <= 8


def test_environments_draw_themselves():
    env = gymnasium.make("whygrad/Snake-v0", height=5, width=6, fruits=2, render_mode="ansi")
    env.reset(options={"snake": SNAKE, "fruits": FRUITS})
    assert env.render() == text(BOARD)
    env = gymnasium.make("whygrad/Snake-v0", height=5, width=6, fruits=2, render_mode="rgb_array", render_size=330)
    env.reset(options={"snake": SNAKE, "fruits": FRUITS})
    assert np.array_equal(env.render(), draw(scene(None, BOARD), 5, 6, 330))
    env.step(0)
    assert np.array_equal(env.render(), draw(scene(BOARD, MOVED), 5, 6, 330))


@pytest.mark.parametrize(
    ("ours", "theirs", "state", "size"),
    [
        ("whygrad/CartPole-v1", "CartPole-v1", [1.0, 0.0, 0.15, 0.0], (400, 600, 3)),
        ("whygrad/Pendulum-v1", "Pendulum-v1", [2.0, 0.0], (500, 500, 3)),
    ],
)
def test_classic_control_is_drawn_by_gymnasium(ours, theirs, state, size):
    env = gymnasium.make(ours, render_mode="rgb_array")
    env.reset(options={"state": state})
    picture = env.render()
    other = gymnasium.make(theirs, render_mode="rgb_array")
    other.reset(seed=0)
    other.unwrapped.state = np.array(state, np.float32).astype(float)
    other.unwrapped.last_u = None
    assert picture.shape == size
    assert np.array_equal(picture, other.render())
    env.close()
    env.close()
