"""bfloat16: hidden layers compute in it; weights, outputs, losses and the process's own setting stay float32."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from whygrad.live.run_folder import RunFolder
from whygrad.rl import DQN, PPO, SAC, train
from whygrad.rl.plan import BadPlan, Plan
from whygrad.rl.restoring import restore

pytestmark = pytest.mark.once

TINY = {"evaluate_episodes": 2, "tensorboard": False, "quiet": True}

AGENTS = {
    "dqn": (DQN(hidden=(8,), dueling=True, learning_starts=20, train_every=32, updates=2), "CartPole-v1"),
    "ppo": (PPO(hidden=(8,), lanes=2, horizon=16, minibatch=16, epochs=2), "CartPole-v1"),
    "ppo continuous": (PPO(hidden=(8,), lanes=2, horizon=16, minibatch=16, epochs=2), "Pendulum-v1"),
    "sac": (SAC(hidden=(8,), learning_starts=20, train_every=32, updates=2, batch_size=16), "Pendulum-v1"),
}


@pytest.mark.parametrize("name", AGENTS)
def test_training_in_bfloat16(tmp_path, name):
    agent, env = AGENTS[name]
    run = train(agent, env, steps=96, root=tmp_path, precision="bfloat16", **TINY)
    assert run.finished
    for net in run.networks.values():
        assert {v.dtype for v in net.variables} == {"float32"}
        if isinstance(net, keras.Model):
            first, *_, last = [layer for layer in net.layers if isinstance(layer, keras.layers.Dense)]
            assert (first.compute_dtype, last.compute_dtype) == ("bfloat16", "float32")
            assert net.output.dtype == "float32"
        else:
            assert net.compute_dtype == "float32"
    losses = [v for row in RunFolder.open(run.path).rows() for k, v in row.items() if k.endswith(".loss")]
    assert losses
    assert np.isfinite(losses).all()
    assert keras.config.dtype_policy().name == "float32"
    with restore(run.path) as restored:
        assert restored.plan.precision == "bfloat16"
        assert restored.policy(restored.lanes.start([0])).shape[0] == 1


def test_there_are_two():
    with pytest.raises(BadPlan, match=r"^precision is one of float32, bfloat16, got 'float16'$"):
        Plan(env="CartPole-v1", steps=1, precision="float16")
