"""Small trainings, one for each loop and each thing that a checkpoint has to keep; also a program that runs one.

`python runs.py train dqn ROOT` and `python runs.py resume PATH`: what a test starts in order to kill it.
`python runs.py outputs PATH FILE …`: what the networks of a run give, which then goes on; any number of runs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np

from whygrad.live.run_folder import RunFolder
from whygrad.rl.agents.cql import CQL
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.agents.ppo import PPO
from whygrad.rl.agents.reinforce import REINFORCE
from whygrad.rl.agents.sac import SAC
from whygrad.rl.agents.td3 import TD3
from whygrad.rl.dataset import Dataset, write_dataset
from whygrad.rl.plan import Plan
from whygrad.rl.trainer import make_trainer, read_agent
from whygrad.rl.training import Trained, resume, train

REPLAY: dict[str, Any] = {
    "hidden": (16,), "batch_size": 16, "learning_starts": 40, "train_every": 8, "updates": 4, "buffer_size": 150,
}  # fmt: skip
AGENTS: dict[str, tuple[Any, str]] = {
    "dqn": (DQN(n_step=3, prioritised=True, target_every=8, lanes=2, decay=True, **REPLAY), "CartPole-v1"),
    "sac": (SAC(**REPLAY), "Pendulum-v1"),
    "td3": (TD3(**REPLAY), "Pendulum-v1"),
    "ppo": (
        PPO(hidden=(16,), lanes=2, horizon=16, minibatch=16, epochs=2, normalise_observations=True,
            normalise_rewards=True, decay=True, ratio_decay=True),
        "CartPole-v1",
    ),
    "reinforce": (REINFORCE(hidden=(16,), lanes=2, horizon=3), "CartPole-v1"),
    "compiled-dqn": (DQN(lanes=4, target_every=8, decay=True, **REPLAY), "whygrad/CartPole-v1"),
    "compiled-ppo": (PPO(hidden=(16,), lanes=4, horizon=8, minibatch=16, epochs=2), "whygrad/Pendulum-v1"),
    "convolutions": (DQN(trunk="board", lanes=4, **{**REPLAY, "hidden": (4, 8)}), "whygrad/Snake-v0"),
    "cql": (CQL(hidden=(16,), batch_size=16, updates=5, target_every=8), "CartPole-v1"),
}  # fmt: skip

OPTIONS: dict[str, Any] = {
    "steps": 300, "seed": 3, "quiet": True, "tensorboard": False, "check": False,
    "evaluate_every": 120, "evaluate_episodes": 2, "checkpoint_every": 64, "log_every": 16,
}  # fmt: skip


def begin(name: str, root: Any, **options: Any) -> Trained:
    """Train one of them."""
    agent, env = AGENTS[name]
    given = {**OPTIONS, **options}
    if name == "cql":
        Path(root).mkdir(exist_ok=True)
        given["dataset"] = f"{root}/transitions.npz"
        write_dataset(given["dataset"], transitions())
    return train(agent, env, root=root, **given)


def transitions() -> Dataset:
    """A few rows such as CartPole might have given."""
    rng = np.random.default_rng(0)
    rows = 200
    ended = np.arange(rows) % 20 == 19
    return Dataset(
        rng.standard_normal((rows, 4), dtype="float32"),
        rng.integers(2, size=rows),
        np.ones(rows, np.float32),
        rng.standard_normal((rows, 4), dtype="float32"),
        ended,
        np.zeros(rows, bool),
        {},
    )


def outputs(path: Any) -> dict[str, Any]:
    """What the networks of a run give for some observations, straight from its checkpoint."""
    folder = RunFolder.open(path)
    kept = folder.settings()
    plan = Plan.from_data(kept["plan"])
    rng = np.random.default_rng(1)
    with make_trainer(read_agent(kept), plan, env=plan.env) as trainer:
        trainer.load(folder.last)
        trainer.write_back()
        given = {}
        for name, net in trainer.networks.items():
            inputs = [rng.standard_normal((5, *one.shape[1:]), dtype="float32") for one in getattr(net, "inputs", [])]
            if inputs:
                given[name] = keras.ops.convert_to_numpy(net(inputs if len(inputs) > 1 else inputs[0]))
        return given


if __name__ == "__main__":
    if sys.argv[1] == "train":
        begin(sys.argv[2], sys.argv[3], **{k: int(v) for k, v in (pair.split("=") for pair in sys.argv[4:])})
    elif sys.argv[1] == "outputs":
        for path, file in zip(sys.argv[2::2], sys.argv[3::2], strict=True):
            np.savez(file, **outputs(path))
            resume(path, steps=RunFolder(path).settings()["plan"]["steps"] + 64, quiet=False)
    else:
        resume(sys.argv[2], quiet=False)
