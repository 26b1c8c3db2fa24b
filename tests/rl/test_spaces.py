"""Spaces as plain data, observations as arrays, and what is said about spaces that nothing can take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Sequence, Text, Tuple

from whygrad.rl.agent import Spaces
from whygrad.rl.spaces import Unsupported, describe_actions, encode, spaces_of

ROOM = Box(-1.0, 1.0, (3,))


@pytest.mark.parametrize(
    ("observation", "action", "expected"),
    [
        (ROOM, Discrete(4), Spaces((3,), choices=4)),
        (Discrete(16), Discrete(4, start=2), Spaces((16,), choices=4)),
        (Box(0, 255, (8, 8, 3), np.uint8), Discrete(2), Spaces((8, 8, 3), choices=2, pixels=True)),
        (Box(-np.inf, np.inf, ()), Discrete(2), Spaces((1,), choices=2)),
        (ROOM, Box(-2.0, 2.0, (1,)), Spaces((3,), low=(-2.0,), high=(2.0,))),
        (
            ROOM,
            Box(np.array([[0.0, 1.0]]), np.array([[2.0, 4.0]]), dtype=np.float64),
            Spaces((3,), low=(0.0, 1.0), high=(2.0, 4.0)),
        ),
    ],
)
def test_spaces_as_plain_data(observation: Any, action: Any, expected: Spaces) -> None:
    assert spaces_of(observation, action) == expected


SENTENCES = [
    (
        ROOM,
        MultiDiscrete([3, 2]),
        "No algorithm takes the action space MultiDiscrete([3 2]): they take Discrete and Box. Number the combinations "
        "as one Discrete in a gymnasium.ActionWrapper.",
    ),
    (
        ROOM,
        Tuple([Discrete(2), ROOM]),
        "No algorithm takes the action space Tuple(Discrete(2), Box(-1.0, 1.0, (3,), float32)): they take Discrete and "
        "Box. Wrap the environment so that it takes one of these.",
    ),
    (
        ROOM,
        Box(-np.inf, np.inf, (2,)),
        "No algorithm takes the action space Box(-inf, inf, (2,), float32): its bounds are not finite, and actions are "
        "scaled to them. Give it bounds: gymnasium.wrappers.TransformAction(env, lambda a: a, Box(-1.0, 1.0, (2,))).",
    ),
    (
        Dict({"position": ROOM}),
        Discrete(2),
        "No algorithm takes the observation space Dict('position': Box(-1.0, 1.0, (3,), float32)): they take Box and "
        "Discrete. gymnasium.wrappers.FlattenObservation(env) makes it a Box.",
    ),
    (
        MultiBinary(4),
        Discrete(2),
        "No algorithm takes the observation space MultiBinary(4): they take Box and Discrete. "
        "gymnasium.wrappers.FlattenObservation(env) makes it a Box.",
    ),
    (
        Sequence(ROOM),
        Discrete(2),
        "No algorithm takes the observation space Sequence(Box(-1.0, 1.0, (3,), float32), stack=False): they take Box "
        "and Discrete. Wrap the environment.",
    ),
    (
        Dict({"words": Text(5, charset="ab")}),
        Box(-1.0, 1.0, (1,)),
        "No algorithm takes the observation space Dict('words': Text(1, 5, charset=ab)): they take Box and Discrete. "
        "gymnasium.wrappers.FlattenObservation(env) makes it a Box.",
    ),
]


@pytest.mark.parametrize(("observation", "action", "sentence"), SENTENCES)
def test_sentences_word_for_word(observation: Any, action: Any, sentence: str) -> None:
    with pytest.raises(Unsupported) as caught:
        spaces_of(observation, action)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("spaces", "words"),
    [
        (Spaces((1,), choices=3), "Discrete(3)"),
        (Spaces((1,), low=(-2.0,), high=(2.0,)), "Box(-2.0, 2.0, (1,))"),
        (Spaces((1,), low=(-2.0, -2.0), high=(2.0, 2.0)), "Box(-2.0, 2.0, (2,))"),
        (Spaces((1,), low=(-1.0, -2.0), high=(2.0, 2.0)), "Box([-1.0, -2.0], [2.0, 2.0], (2,))"),
    ],
)
def test_actions_in_words(spaces: Spaces, words: str) -> None:
    assert describe_actions(spaces) == words


@pytest.mark.parametrize(
    ("space", "one", "expected"),
    [
        (ROOM, np.array([1, 2, 3], np.float64), [1.0, 2.0, 3.0]),
        (Discrete(3), 2, [0.0, 0.0, 1.0]),
        (Discrete(3, start=-1), np.int64(-1), [1.0, 0.0, 0.0]),
        (Box(0, 255, (2,), np.uint8), np.array([0, 255], np.uint8), [0.0, 1.0]),
        (Box(0, 1, (2,), np.int8), np.array([0, 1], np.int8), [0.0, 1.0]),
        (Box(-1.0, 1.0, ()), np.float32(0.5), [0.5]),
        (Box(0, 255, (), np.uint8), np.uint8(51), [0.2]),
    ],
)
def test_observations_one_by_one_and_together(space: Any, one: Any, expected: list[float]) -> None:
    encoded = encode(space)(one)
    assert encoded.dtype == np.float32 and encoded.tolist() == pytest.approx(expected)
    assert encoded.shape == spaces_of(space, Discrete(2)).observation
    several = encode(space)(np.stack([np.asarray(one)] * 4))
    assert several.dtype == np.float32 and np.array_equal(several, np.stack([encoded] * 4))
