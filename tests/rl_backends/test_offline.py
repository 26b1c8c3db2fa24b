"""CQL from a file that we made, and what evaluation says about its values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from keras import ops

from whygrad.live.run_folder import RunFolder
from whygrad.rl import CQL, DQN, REINFORCE, SAC, train
from whygrad.rl.collecting import collect
from whygrad.rl.dataset import BadDataset, write_dataset
from whygrad.rl.evaluation import play_episodes
from whygrad.rl.lanes import Lanes

pytestmark = pytest.mark.once

TINY = {"hidden": (16,), "updates": 10, "batch_size": 16}


@pytest.mark.parametrize("env", ["CartPole-v1", "Pendulum-v1"])
def test_from_a_file_to_a_run(tmp_path: Path, env: str) -> None:
    data = tmp_path / "data.npz"
    write_dataset(data, collect(env, 300))
    trained = train(
        CQL(**TINY), env, steps=20, dataset=data, root=tmp_path, quiet=True, tensorboard=False, evaluate_episodes=2
    )
    assert trained.finished
    rows = RunFolder.open(trained.path).rows()
    judged = [row for row in rows if "evaluation.return" in row][-1]
    assert np.isfinite([judged["evaluation.value"], judged["evaluation.discounted_return"]]).all()
    name = "q" if env == "CartPole-v1" else "critic"
    assert any(f"{name}.gap" in row for row in rows)


def test_a_file_of_another_environment(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data.npz", collect("CartPole-v1", 50))
    with pytest.raises(BadDataset, match=r"observations has rows of shape \(4,\); the environment says \(3,\)"):
        train(CQL(**TINY), "Pendulum-v1", steps=10, dataset=tmp_path / "data.npz", root=tmp_path, quiet=True)


class Fixed:
    """A network that always says the same."""

    def __init__(self, *numbers: float) -> None:
        self.numbers = np.array([numbers], np.float32)

    def __call__(self, _: Any) -> Any:
        return ops.convert_to_tensor(self.numbers)


OBSERVATION = {"observation": np.zeros((1, 2), np.float32)}


def value(agent: Any, **nets: Any) -> float:
    return float(ops.convert_to_numpy(agent.value(nets, OBSERVATION))[0])


def test_values_are_those_of_the_best_action() -> None:
    assert value(DQN(), q=Fixed(1.0, 4.0, 2.0)) == 4.0
    assert value(CQL(), q=Fixed(1.0, 4.0, 2.0)) == 4.0
    critics = {"critic_1": Fixed(3.0), "critic_2": Fixed(2.0)}
    assert value(SAC(), actor=Fixed(0.0, 0.0), **critics) == 2.0  # the lower critic
    assert value(CQL(), actor=Fixed(0.0, 0.0), **critics) == 2.0
    assert REINFORCE(baseline=False).value({}, OBSERVATION) is None


def test_what_was_promised_beside_what_came() -> None:
    # An episode of Discount: rewards 0 and 1. From its first observation, with γ = 0.5: 0 + 0.5 · 1.
    lanes = Lanes("whygrad/ProbeDiscount-v0", 2)
    scores = play_episodes(lambda o: np.zeros(len(o), int), lanes, [1, 2, 3], lambda o: 10 + o[:, 0], 0.5)
    assert scores.returns == (1.0, 1.0, 1.0)
    assert scores.discounted == (0.5, 0.5, 0.5)
    assert scores.values == (11.0, 11.0, 11.0)
    assert play_episodes(lambda o: np.zeros(len(o), int), lanes, [1]).values == ()
