"""Episodes moment by moment, in worlds and in other environments, for films and terminals."""

from __future__ import annotations

import numpy as np
import pytest

from whygrad.rl.lanes import Lanes
from whygrad.rl.plan import BadPlan, Plan
from whygrad.rl.playing import camera_for, moments
from whygrad.rl.worlds.snake_board import Board

pytestmark = pytest.mark.once


def played(env, mode, action, seeds=(0,), most=None, **options):
    """Steps' numbers and pictures of a policy that always does the same, and what came of its episodes."""
    camera = camera_for(Plan(env=env, steps=1, env_options=options), mode)
    ended = []
    try:
        seen = list(moments(lambda _: np.array([action]), Lanes(camera), camera, seeds, ended, most))
    finally:
        camera.close()
    return [step for step, _ in seen], [picture for _, picture in seen], ended


def test_snake_is_boards():
    steps, boards, ended = played("whygrad/Snake-v0", "rgb_array", 0, seeds=(1, 2), height=4, width=4)
    assert steps == [*range(ended[0].length + 1), *range(ended[1].length + 1)]
    assert all(isinstance(board, Board) for board in boards)
    assert [board.dead for board in boards] == [
        step == ended[n].length for n in (0, 1) for step in range(ended[n].length + 1)
    ]
    for episode in ended:
        assert episode.facts["won"] == episode.facts["cut"] == 0.0
        assert episode.facts["length"] == 2 + episode.facts["eaten"]
        assert episode.score == pytest.approx(-10 + 10.2 * episode.facts["eaten"] - 0.2 * (episode.length - 1))


def test_a_snake_that_goes_round_in_circles_comes_to_an_end():
    _, _, ended = played("whygrad/Snake-v0", "ansi", 1, seeds=range(8), height=4, width=4, length=1)
    circles = [episode for episode in ended if episode.facts["cut"]]
    assert circles  # the others had a wall to their left
    assert all(episode.length == 4 * 16 for episode in circles if not episode.facts["eaten"])
    _, _, ended = played("whygrad/Snake-v0", "ansi", 1, seeds=range(8), most=7, height=4, width=4, length=1)
    assert {episode.length for episode in ended if episode.facts["cut"]} == {7}
    assert max(episode.length for episode in ended) == 7


@pytest.mark.parametrize(
    ("env", "action", "last", "size"),
    [
        ("whygrad/CartPole-v1", 1, 6, (400, 600, 3)),
        ("whygrad/Pendulum-v1", [0.5], 6, (500, 500, 3)),
        ("CartPole-v1", 1, 6, (400, 600, 3)),
    ],
)
def test_pictures(env, action, last, size):
    steps, pictures, [episode] = played(env, "rgb_array", action, most=last)
    assert steps == list(range(last + 1))
    assert {picture.shape for picture in pictures} == {size}
    assert len({picture.tobytes() for picture in pictures}) >= last  # the first steps of a cart are small
    assert episode.length == last
    assert episode.facts["cut"] == 1.0


def test_text_of_another_environment():
    _, texts, _ = played("FrozenLake-v1", "ansi", 0, most=2)
    assert all("FFFF" in text or "FHFH" in text for text in texts)


def test_what_cannot_be_shown():
    with pytest.raises(BadPlan) as refused:
        camera_for(Plan(env="whygrad/CartPole-v1", steps=1), "ansi")
    assert str(refused.value) == (
        "whygrad/CartPole-v1 cannot be shown: that takes the render mode 'ansi', and it offers human, rgb_array."
    )
