"""What an exported network gives, and what is said about it, is enough to act as the agent does."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from whygrad.cli.exported import choose_network, how_to_act
from whygrad.interchange.graph import shapes
from whygrad.interchange.keras_graph import graph_of
from whygrad.rl.agent import Spaces, no_noise
from whygrad.rl.building import build
from whygrad.rl.catalogue import AGENTS

SPACES = {
    "discrete": Spaces((3,), choices=4),
    "continuous": Spaces((3,), low=(-2.0, 0.0), high=(2.0, 1.0)),
}
RULES = {
    "the index of the largest": lambda output: output.argmax(axis=-1),
    "cut to -1 … 1, then scale -1 … 1 to low … high": lambda output: np.clip(output, -1.0, 1.0),
    "tanh, then scale -1 … 1 to low … high": np.tanh,
    "tanh of the first 2, then scale -1 … 1 to low … high": lambda output: np.tanh(output[:, :2]),
}
CASES = [(kind, actions) for kind in AGENTS for actions in kind.ACTIONS]


@pytest.mark.parametrize(("kind", "actions"), CASES, ids=[f"{kind.NAME}-{actions}" for kind, actions in CASES])
def test_the_action_follows_from_the_output(kind, actions):
    spaces, agent = SPACES[actions], kind(hidden=(8,))
    nets = build(agent, spaces)
    rng = np.random.default_rng(0)
    for net in nets.values():
        for variable in net.weights:
            variable.assign(rng.normal(size=tuple(variable.shape)).astype(np.float32))
    name, _ = choose_network(nets, None)
    graph = graph_of(nets[name])
    observation = keras.ops.convert_to_tensor(rng.normal(size=(16, 3)).astype(np.float32))
    noise = {key: keras.ops.convert_to_tensor(one) for key, one in no_noise(agent, spaces, 16).items()}
    action = keras.ops.convert_to_numpy(agent.policy(nets, {"observation": observation, **noise})["action"])
    output = keras.ops.convert_to_numpy(nets[name](observation))
    rule = how_to_act(name, spaces.discrete, spaces.action_size, shapes(graph)[graph.outputs[0]])
    taken = action if spaces.discrete else np.clip(action, -1.0, 1.0)  # as the environment is given it
    np.testing.assert_allclose(RULES[rule](output), taken, atol=1e-6)


def test_which_network():
    assert choose_network({"value": 1, "policy": 2}, None)[0] == "policy"
    assert choose_network({"value": 1, "policy": 2}, "value")[0] == "value"
    assert choose_network({"mine": 1}, None)[0] == "mine"
    assert choose_network({"a": 1, "b": 2}, None) == (None, "which of the networks a, b? Add --network a.")
    assert choose_network({"a": 1, "b": 2}, "c") == (None, "the agent has no network 'c'; it has a, b.")
    assert how_to_act("value", True, 2, (2,)) is None
    assert how_to_act("q", True, 2, (5,)) is None
