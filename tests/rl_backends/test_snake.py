"""The rules of Snake, over hundreds of games, and the same games on every backend."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from keras import ops
from plain_snake import HEADINGS, PlainSnake

from whygrad.rl.worlds.gym_programs import arrays, keys, programs
from whygrad.rl.worlds.snake import LEFT, RIGHT, STRAIGHT, Snake
from whygrad.rl.worlds.snake_board import board_of, placed


class Games:
    """Many games of a world, as arrays."""

    def __init__(self, world, seeds):
        self.world, self.programs = world, programs(world)
        key = keys(seeds)
        self.tensors, told = self.programs.begin(key, ops.zeros_like(key))
        self.state, self.seen = arrays(self.tensors), arrays(told)["observation"]

    def step(self, actions):
        self.tensors, told = self.programs.step(self.tensors, ops.convert_to_tensor(np.asarray(actions, np.int32)))
        self.state, told = arrays(self.tensors), arrays(told)
        self.seen = told["observation"]
        return told

    def board(self, game):
        return board_of(self.world, {name: values[game : game + 1] for name, values in self.state.items()})


def plain(board):
    return PlainSnake(board.height, board.width, board.snake, board.fruits)


def check_board(world, board, length, room):
    """What is true of every board."""
    assert len(board.snake) == len(set(board.snake)) == length
    assert all(abs(y - v) + abs(x - u) == 1 for (y, x), (v, u) in zip(board.snake, board.snake[1:], strict=False))
    assert not set(board.snake) & set(board.fruits)
    assert len(board.fruits) == min(world.fruits, room)


@pytest.mark.parametrize(
    ("world", "count", "skill"),
    [
        (Snake(), 150, 0.9),
        (Snake(height=5, width=7, length=4, fruits=3), 150, 0.6),
        (Snake(height=3, width=3, length=1), 100, 0.95),
    ],
    ids=["9x9", "5x7", "3x3"],
)
def test_beside_the_rules_written_plainly(world, count, skill):
    rng = np.random.default_rng(1)
    games = Games(world, range(count))
    beside = [plain(games.board(n)) for n in range(count)]
    for n in range(count):
        board = games.board(n)
        check_board(world, board, world.length, world.cells)
        assert len({y for y, _ in board.snake}) == 1
        assert board.heading == "right"
    playing, eaten, filled, died = set(range(count)), 0, 0, 0
    for _ in range(120):
        random = rng.integers(3, size=count)
        good = rng.random(count) < skill
        actions = [beside[n].good_action() if good[n] else random[n] for n in range(count)]
        told = games.step(actions)
        assert not told["truncated"].any()
        for n in sorted(playing):
            one, board = beside[n], games.board(n)
            reward, dead, ate = one.step(int(actions[n]))
            full = len(one.snake) == world.cells
            one.fruits = set(board.fruits) if ate else one.fruits  # a new one lies where ours does
            assert (board.snake, set(board.fruits)) == (tuple(one.snake), one.fruits)
            assert HEADINGS[int(games.state["heading"][n])] == one.heading
            assert told["reward"][n] == np.float32(reward)
            assert bool(told["terminated"][n]) == (dead or full)
            check_board(world, board, world.length + board.eaten, world.cells - len(board.snake))
            assert told["info"]["length"][n] == world.length + told["info"]["eaten"][n] == len(board.snake)
            assert bool(told["info"]["won"][n]) == full
            eaten, filled, died = eaten + ate, filled + full, died + dead
            if dead or full:
                playing.remove(n)
        if not playing:
            break
    assert died > 20
    assert eaten > 100
    assert (filled > 0) == (world.cells == 9)


def test_the_same_games_on_every_backend():
    """Heads, cell by cell, of a game that is played well; and what came of it in four games."""
    games = Games(Snake(), [0, 1, 2**31, 2**32 - 1])
    heads = [int(games.state["head"][0])]
    for _ in range(60):
        told = games.step([_plainly(games, n).good_action() for n in range(4)])
        heads.append(int(games.state["head"][0]))
    assert heads == HEADS
    assert told["info"]["eaten"].tolist() == EATEN
    assert games.state["drawn"].tolist() == DRAWN
    assert [np.flatnonzero(fruit).tolist() for fruit in games.state["fruit"]] == FRUITS


def _plainly(games, n):
    board = games.board(n)
    return PlainSnake(9, 9, board.snake, board.fruits, HEADINGS[int(games.state["heading"][n])])


HEADS = [
    29, 38, 47, 46, 45, 54, 55, 56, 57, 58, 59, 60, 61, 52, 43, 34, 33, 32, 31, 30, 29, 28, 37, 38, 47, 56, 65, 64, 55,
    46, 37, 28, 19, 10, 1, 0, 9, 18, 27, 36, 37, 38, 39, 40, 41, 42, 43, 44, 35, 26, 25, 24, 23, 22, 21, 20, 19, 18, 27,
    36, 45,
]  # fmt: skip
EATEN, DRAWN, FRUITS = [8, 8, 7, 8], [11, 11, 10, 11], [[72], [58], [34], [34]]


def test_what_is_seen():
    world = Snake(height=4, width=5, length=3, view="full", fruits=2)
    games = Games(world, range(10))
    for _ in range(5):
        for n in range(10):
            board, seen = games.board(n), games.seen[n]
            body, fruit, order, *headings = np.moveaxis(seen, -1, 0)
            head = board.snake[0]
            for cell in np.ndindex(4, 5):
                assert body[cell] == (2 if cell == head else cell in board.snake)
                assert fruit[cell] == (cell in board.fruits)
                behind = board.snake.index(cell) if cell in board.snake else len(board.snake)
                assert order[cell] == pytest.approx((len(board.snake) - behind) / 20)
                for k, name in enumerate(("right", "down", "left", "up")):
                    assert headings[k][cell] == (cell == head and board.heading == name)
        games.step(np.arange(10) % 3)
    two = replace(world, view="tfjs").observe(games.tensors)
    assert np.array_equal(arrays(two), games.seen[..., :2])


def round_trip(height, width):
    """A way through all cells of a board with an even number of rows, and back to its start: the next cell of each."""
    cells = [(y, x) for y in range(height) for x in (range(1, width) if y % 2 == 0 else range(width - 1, 0, -1))]
    cells += [(y, 0) for y in range(height - 1, -1, -1)]
    return dict(zip(cells, [*cells[1:], cells[0]], strict=True))


def test_a_full_board_is_won():
    world = Snake(height=4, width=4, length=1, win_reward=7.0)
    onwards = round_trip(4, 4)
    back = {after: before for before, after in onwards.items()}
    count = 24
    games = Games(world, range(count))
    beside = [plain(games.board(n)) for n in range(count)]
    # A snake that looks to the right goes round the way that its row does.
    ways = [back if one.snake[0][0] % 2 and one.snake[0][1] else onwards for one in beside]
    won = {}
    for step in range(300):
        actions = []
        for one, way in zip(beside, ways, strict=True):
            y, x = one.snake[0]
            v, u = way[y, x]
            turn = (HEADINGS.index((v - y, u - x)) - HEADINGS.index(one.heading)) % 4
            actions.append({0: STRAIGHT, 3: LEFT, 1: RIGHT}[turn])
        told = games.step(actions)
        for n, one in enumerate(beside):
            one.step(actions[n])
            one.fruits = set(games.board(n).fruits)
            if told["terminated"][n] and n not in won:
                won[n] = step
                assert told["reward"][n] == 17.0
                assert told["info"]["eaten"][n] == 15
                assert told["info"]["won"][n]
                assert games.board(n).fruits == ()
        if len(won) == count:
            break
    assert len(won) == count


LOOP = [[1, 1], [2, 1], [2, 2], [1, 2]]
"""A snake that bites its tail when it turns to the right."""


def one_step(world, action, **options):
    games = Games(world, [0])
    games.tensors = placed(world, games.state, options)
    told = games.step([action])
    return float(told["reward"][0]), bool(told["terminated"][0]), bool(told["truncated"][0]), games.board(0)


@pytest.mark.parametrize(
    ("snake", "action", "dies"),
    [
        (LOOP, RIGHT, True),  # the tail's own cell
        ([*LOOP, [1, 3]], RIGHT, True),  # the cell before the tail
        (LOOP, STRAIGHT, False),
        ([[0, 3], [0, 2]], STRAIGHT, False),
        ([[0, 4], [0, 3]], STRAIGHT, True),  # the right wall; not the row below
        ([[0, 4], [0, 3]], LEFT, True),
        ([[0, 4], [0, 3]], RIGHT, False),
        ([[3, 0], [3, 1]], STRAIGHT, True),
        ([[3, 0], [3, 1]], LEFT, True),
        ([[3, 0], [3, 1]], RIGHT, False),
    ],
)
def test_what_a_snake_dies_of(snake, action, dies):
    world = Snake(height=4, width=5)
    reward, terminated, truncated, board = one_step(world, action, snake=snake, fruits=[[3, 4]])
    assert (terminated, truncated) == (dies, False)
    assert reward == np.float32(-10.0 if dies else -0.2)
    before = tuple(map(tuple, snake))
    assert board.snake == (before if dies else (board.snake[0], *before[:-1]))


def test_rewards_are_settings():
    world = Snake(height=4, width=5, fruit_reward=3.0, step_reward=0.5, death_reward=-7.0)
    snake = [[1, 1], [1, 0]]
    assert one_step(world, STRAIGHT, snake=snake, fruits=[[1, 2]])[0] == 3.0
    assert one_step(world, LEFT, snake=snake, fruits=[[1, 2]])[0] == 0.5
    assert one_step(world, RIGHT, snake=[[3, 1], [3, 0]], fruits=[[1, 2]])[0] == -7.0


def test_limits():
    games = Games(Snake(limit=5), range(64))
    alive = np.ones(64, bool)
    for step in range(1, 6):
        told = games.step(np.full(64, LEFT if step % 2 else RIGHT))
        assert not (told["terminated"] & told["truncated"]).any()
        alive &= ~told["terminated"]
        assert np.array_equal(told["truncated"] & alive, alive & (step == 5))
    assert alive.any()


def test_starving():
    world = Snake(height=6, width=6, starve=4)
    assert world.cut_off
    games = Games(world, [0])
    games.tensors = placed(world, games.state, {"snake": [[0, 1], [0, 0]], "fruits": [[0, 3]]})
    told = [games.step([action]) for action in (STRAIGHT, STRAIGHT, RIGHT, STRAIGHT, STRAIGHT, STRAIGHT)]
    if told[2]["info"]["eaten"][0] > 1 or told[-1]["info"]["eaten"][0] > 1:
        pytest.fail("the second fruit of this seed lies elsewhere")
    assert [bool(t["truncated"][0]) for t in told] == [False] * 5 + [True]
    assert [float(t["info"]["eaten"][0]) for t in told] == [0, 1, 1, 1, 1, 1]


def test_a_policy_is_judged_where_it_comes_to_an_end():
    assert Snake().to_judge().starve == 4 * 81
    assert Snake(limit=50).to_judge() == Snake(limit=50)
    assert Snake(starve=50).to_judge() == Snake(starve=50)


def test_wrong_settings():
    wrong = {
        "height is a whole number, 1 or more, got 0": {"height": 0},
        "fruits is a whole number, 1 or more, got 1.5": {"fruits": 1.5},
        "limit is a whole number, 1 or more, got 0": {"limit": 0},
        "the snake starts in one row, so its length is at most the width: got length=5, width=4": {
            "length": 5, "width": 4,
        },
        "a board has at most 10,000 cells, got 1000 x 1000": {"height": 1000, "width": 1000},
        "a board of 2 x 2 has no room for a snake of 2 and 3 fruits": {"height": 2, "width": 2, "fruits": 3},
        "view is one of tfjs, full, got 'all'": {"view": "all"},
    }  # fmt: skip
    for sentence, settings in wrong.items():
        with pytest.raises(ValueError) as refused:
            Snake(**settings)
        assert str(refused.value) == sentence
