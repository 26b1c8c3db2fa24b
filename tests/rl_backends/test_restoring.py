"""An agent from the folder of its run acts as it did, with what it was trained with."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from whygrad.live.run_folder import BadRun
from whygrad.rl import DQN, PPO, train
from whygrad.rl.plan import BadPlan
from whygrad.rl.restoring import restore

pytestmark = pytest.mark.once

TINY = {"evaluate_episodes": 2, "tensorboard": False, "quiet": True, "check": False}
SMALL_DQN = DQN(hidden=(8,), learning_starts=20, train_every=32, updates=2)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return train(SMALL_DQN, "CartPole-v1", steps=96, root=tmp_path_factory.mktemp("runs"), **TINY)


def test_the_last_weights(run):
    with restore(run.path, "last", count=3) as restored:
        assert (restored.which, restored.steps, restored.lanes.count) == ("last", 96, 3)
        assert restored.agent == SMALL_DQN
        observation = restored.lanes.start([1, 2, 3])
        values = keras.ops.convert_to_numpy(run.networks["q"](keras.ops.convert_to_tensor(observation)))
        assert np.array_equal(restored.policy(observation), values.argmax(axis=-1))


def test_the_best_is_taken_when_nothing_is_said(run):
    with restore(run.path) as restored:
        assert restored.which == "best"


def test_observations_are_scaled_as_in_training(tmp_path):
    agent = PPO(hidden=(8,), lanes=2, horizon=32, minibatch=32, epochs=1, normalise_observations=True)
    run = train(agent, "CartPole-v1", steps=128, root=tmp_path, **TINY)
    with restore(run.path, "last") as restored:
        assert restored.moments is not None
        assert int(restored.moments.state()["count"]) >= 128
        one = np.array([[0.1, -0.2, 0.03, 0.4]], np.float32)
        seen = keras.ops.convert_to_tensor(restored.moments.scale(one))
        logits = keras.ops.convert_to_numpy(run.networks["policy"](seen))
        assert restored.policy(one)[0] == logits[0].argmax()


def test_networks_of_ones_own_are_asked_for(tmp_path):
    def own(spaces):
        inputs = keras.Input(spaces.observation)
        return keras.Model(inputs, keras.layers.Dense(spaces.action_size)(keras.layers.Dense(5)(inputs)))

    run = train(SMALL_DQN, "CartPole-v1", steps=96, root=tmp_path, networks={"q": own}, **TINY)
    with pytest.raises(BadRun) as refused:
        restore(run.path, "last")
    assert str(refused.value) == (
        f"The networks do not fit {str(run.path / 'checkpoints/last.npz')!r}: q.dense.kernel has shape (4, 8), and the "
        "file has it with shape (4, 5). Networks of your own have to be given again: restore(path, networks=…)."
    )
    with restore(run.path, "last", networks={"q": own}) as restored:
        assert restored.steps == 96


def test_what_is_not_there(run, tmp_path):
    empty = train(SMALL_DQN, "CartPole-v1", steps=32, root=tmp_path, **{**TINY, "evaluate_every": 0})
    with pytest.raises(BadRun, match=r"has no checkpoint 'best'; it has 'last'\.$"):
        restore(empty.path, "best")
    (empty.path / "checkpoints/last.npz").unlink()
    with pytest.raises(BadRun, match=r"has no checkpoint yet\.$"):
        restore(empty.path)


def test_a_function_as_the_environment(tmp_path):
    import gymnasium

    def make():
        return gymnasium.make("CartPole-v1")

    run = train(SMALL_DQN, make, steps=32, root=tmp_path, **TINY)
    with pytest.raises(BadPlan, match=r"has no environment that could be made by its id"):
        restore(run.path)
    with restore(run.path, env=make) as restored:
        assert restored.lanes.spaces.choices == 2
