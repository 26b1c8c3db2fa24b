"""Several learners: one update shared by processes is the update of one process, and a lost learner costs little."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
import pytest

from whygrad.live.event import Event
from whygrad.live.run_folder import RunFolder
from whygrad.rl import watched
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.agents.ppo import PPO
from whygrad.rl.agents.reinforce import REINFORCE
from whygrad.rl.cluster import learners, working_together
from whygrad.rl.plan import BadPlan, Plan
from whygrad.rl.training import train

# A worker loads a framework: seconds on an idle machine, minutes on one that runs other suites at the same time.
pytestmark = pytest.mark.timeout(1_200)

OPTIONS = {"quiet": True, "tensorboard": False, "check": False, "evaluate_episodes": 1, "seed": 3}
DQN_ = DQN(hidden=(16,), batch_size=32, learning_starts=40, train_every=4, prioritised=True, n_step=2, clip=0.5)

torch_only = pytest.mark.skipif(keras.backend.backend() != "torch", reason="learners are PyTorch's")


def weights(trained):
    return [value for network in trained.networks.values() for value in network.get_weights()]


@torch_only
@pytest.mark.parametrize(
    "agent",
    [DQN_, PPO(hidden=(16,), lanes=2, horizon=16, minibatch=16, epochs=2, normalise_advantages=False)],
    ids=["dqn", "ppo"],
)
def test_two_learners_make_the_updates_of_one(cluster, tmp_path, agent):
    one = train(agent, "CartPole-v1", steps=240, root=tmp_path, **OPTIONS)
    two = train(agent, "CartPole-v1", steps=240, root=tmp_path, learners=2, **OPTIONS)
    for mine, theirs in zip(weights(one), weights(two), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=2e-6)
    rows = [RunFolder.open(run.path).rows()[-2] for run in (one, two)]
    for name in ("loss", "norm"):
        loss = "q" if agent is DQN_ else "ppo"
        assert rows[0][f"{loss}.{name}"] == pytest.approx(rows[1][f"{loss}.{name}"], rel=1e-4)


@torch_only
def test_a_lost_learner_is_replaced_and_the_training_goes_on_from_its_checkpoint(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(working_together, "Peer", one_that_says_its_number(str(tmp_path / "number")))
    killer = threading.Thread(target=_kill_once, args=(tmp_path / "number",))
    killer.start()
    agent = replace(DQN_, train_every=1)
    trained = train(agent, "CartPole-v1", steps=1_500, root=tmp_path / "runs", learners=2, checkpoint_every=300,
                    evaluate_every=0, patience=60.0, **OPTIONS)  # fmt: skip
    killer.join()
    assert trained.steps == 1_500
    (note,) = RunFolder.open(trained.path).notes()
    assert note["worker"] == "learners"
    assert note["text"].startswith("a learner is gone: ")
    assert note["text"].endswith("; all but the first are replaced")
    steps = [row["step"] for row in RunFolder.open(trained.path).rows()]
    assert steps == sorted(steps)


def one_that_says_its_number(file):
    class Numbered(learners.Peer):
        """Says which process it is."""

        def load(self, state):
            super().load(state)
            Path(file).write_text(str(os.getpid()))

    return Numbered


def _kill_once(number):
    while not number.exists() or not number.read_text():
        time.sleep(0.05)
    time.sleep(2.0)
    os.kill(int(number.read_text()), signal.SIGKILL)


def test_what_learners_cannot_share_is_said(monkeypatch):
    plan = Plan(env="CartPole-v1", steps=100, learners=3)
    monkeypatch.setattr(keras.backend, "backend", lambda: "jax")
    with pytest.raises(BadPlan, match="several learners are for PyTorch, and this runs on jax: --backend torch"):
        learners.check_learners(DQN_, plan, None)
    monkeypatch.setattr(keras.backend, "backend", lambda: "torch")
    with pytest.raises(BadPlan, match="3 learners cannot share batches of 32 rows evenly: --set batch_size=30"):
        learners.check_learners(DQN_, plan, None)
    with pytest.raises(BadPlan, match="reinforce learns from whole episodes, which are not alike"):
        learners.check_learners(REINFORCE(), plan, None)
    with pytest.raises(BadPlan, match="3 learners need a GPU each, and this machine has 1: --device cpu, or fewer"):
        learners.check_learners(DQN_, plan, 1)


def test_an_event_names_the_learner_whose_part_it_was():
    names = ["q.a", "q.b"]
    each = np.ones((4, 3, 2))
    each[2, 1, 1] = np.nan
    event = Event(12, "not-finite", "W402", "q.b", "…")
    assert watched._whose(names, each, 10, event) == "learner 1"
    each[2, :, 1] = np.nan
    assert watched._whose(names, each, 10, event) == ""
    assert watched._whose(names, each, 10, replace(event, variable="q.c")) == ""
    assert watched._whose(names, each, 10, replace(event, at=30)) == ""
    each[1, [0, 2], 0] = 0.0
    assert watched._whose(names, each, 10, Event(11, "dead", "W401", "q.a", "…")) == "learner 0, learner 2"
