"""Every agent with small networks; weights and batches come from NumPy with fixed seeds, the same on any backend."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from whygrad.rl.agent import Agent, Spaces
from whygrad.rl.agents.a2c import A2C
from whygrad.rl.agents.cql import CQL
from whygrad.rl.agents.ddpg import DDPG
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.agents.ppo import PPO
from whygrad.rl.agents.reinforce import REINFORCE
from whygrad.rl.agents.sac import SAC
from whygrad.rl.agents.td3 import TD3
from whygrad.rl.building import build
from whygrad.rl.engine import engine_class
from whygrad.rl.on_policy import OnPolicy

CHOICES = Spaces((3,), choices=4)
NUMBERS = Spaces((3,), low=(-1.0, -1.0), high=(1.0, 1.0))
SMALL = {"hidden": (8,)}

CASES: dict[str, tuple[Agent, Spaces]] = {
    "dqn": (DQN(**SMALL), CHOICES),
    "dqn-not-double": (DQN(double=False, **SMALL), CHOICES),
    "dqn-dueling": (DQN(dueling=True, **SMALL), CHOICES),
    "reinforce": (REINFORCE(entropy=0.1, **SMALL), CHOICES),
    "reinforce-no-baseline": (REINFORCE(baseline=False, normalise_returns=False, **SMALL), CHOICES),
    "reinforce-continuous": (REINFORCE(entropy=0.1, **SMALL), NUMBERS),
    "a2c": (A2C(entropy=0.1, **SMALL), CHOICES),
    "a2c-continuous": (A2C(entropy=0.1, **SMALL), NUMBERS),
    "ppo": (PPO(entropy=0.1, **SMALL), CHOICES),
    "ppo-continuous": (PPO(entropy=0.1, ratio_decay=True, **SMALL), NUMBERS),
    "ddpg": (DDPG(**SMALL), NUMBERS),
    "td3": (TD3(**SMALL), NUMBERS),
    "sac": (SAC(**SMALL), NUMBERS),
    "cql": (CQL(**SMALL), CHOICES),
    "cql-continuous": (CQL(**SMALL), NUMBERS),
}

LOSSES = [(case, loss.name) for case, (agent, spaces) in CASES.items() for loss in agent.losses(spaces)]


def make_engine(agent: Agent, spaces: Spaces) -> Any:
    """An engine whose networks, targets too, have weights that depend on their names and shapes alone."""
    nets = build(agent, spaces)
    for name, net in nets.items():
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        net.set_weights([rng.normal(0.0, 0.5, w.shape).astype("float32") for w in net.weights])
    return engine_class()(agent, nets, spaces)


def make_batch(agent: Agent, spaces: Spaces, *shape: int, seed: int = 0) -> dict[str, Any]:
    """Rows as the loops give them; with two numbers several batches."""
    rng = np.random.default_rng(seed)

    def normal(*own: int) -> Any:
        return rng.standard_normal((*shape, *own), dtype="float32")

    size = spaces.action_size
    batch = {
        "observation": normal(*spaces.observation),
        "action": rng.integers(size, size=shape) if spaces.discrete else np.tanh(normal(size)),
        "weight": rng.choice(np.float32([0.0, 0.5, 1.0]), shape),
    }
    if isinstance(agent, OnPolicy):
        batch |= {"advantage": normal(), "return": normal(), "log_prob": 0.3 * normal() - 1.4}
        batch["remaining"] = np.full(shape[:-1], 0.75, "float32")
    else:
        batch |= {"reward": normal(), "next_observation": normal(*spaces.observation)}
        batch["discount"] = rng.choice(np.float32([0.0, 0.99]), shape)
    for name, noise in agent.loss_noise(spaces).items():
        batch[name] = noise.draw(rng, *shape)
    return batch
