"""Workers: the same training as in one process, nothing counted twice, and what happens to a worker in trouble."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from ray_envs import Numbered, Troubled

from whygrad.live.reading import Reading
from whygrad.live.run_folder import RunFolder
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.agents.ppo import PPO
from whygrad.rl.agents.reinforce import REINFORCE
from whygrad.rl.agents.sac import SAC
from whygrad.rl.checkpoint import read
from whygrad.rl.cluster.crew import WorkersFailed
from whygrad.rl.plan import BadPlan
from whygrad.rl.training import resume, train

# A worker loads a framework: seconds on an idle machine, minutes on one that runs other suites at the same time.
pytestmark = pytest.mark.timeout(1_200)

OPTIONS = {"quiet": True, "tensorboard": False, "check": False, "evaluate_episodes": 1, "seed": 3}
PPO_ = PPO(
    hidden=(16,), lanes=4, horizon=8, minibatch=16, epochs=2, decay=True,
    normalise_observations=True, normalise_rewards=True,
)  # fmt: skip
DQN_ = DQN(hidden=(16,), batch_size=16, learning_starts=40, train_every=4, buffer_size=5_000, target_every=8)


def weights(trained):
    return [value for network in trained.networks.values() for value in network.get_weights()]


@pytest.mark.parametrize("agent", [PPO_, REINFORCE(hidden=(16,), lanes=2, horizon=3)], ids=["ppo", "reinforce"])
def test_one_worker_in_step_gives_the_local_result_to_the_bit(cluster, tmp_path, agent):
    here = train(agent, "CartPole-v1", steps=200, root=tmp_path, **OPTIONS)
    away = train(agent, "CartPole-v1", steps=200, root=tmp_path, workers=1, **OPTIONS)
    assert here.steps == away.steps
    assert here.scores.returns == away.scores.returns
    for mine, theirs in zip(weights(here), weights(away), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    skipped = {"seconds", "learner_busy", "policy_lag"}
    rows = [RunFolder.open(run.path).rows() for run in (here, away)]
    mine, theirs = ([{k: v for k, v in row.items() if k not in skipped} for row in found] for found in rows)
    assert mine == theirs


def test_two_workers_in_step_can_be_repeated_and_resumed(cluster, tmp_path):
    whole = train(PPO_, "CartPole-v1", steps=256, root=tmp_path, workers=2, checkpoint_every=128, **OPTIONS)
    part = train(PPO_, "CartPole-v1", steps=256, root=tmp_path, workers=2, checkpoint_every=128,
                 told=lambda step, scores: step >= 128, evaluate_every=128, **OPTIONS)  # fmt: skip
    assert part.steps == 128
    again = resume(part.path, quiet=True)
    assert again.steps == whole.steps == 256
    for mine, theirs in zip(weights(whole), weights(again), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("n_step", [1, 3])
def test_every_transition_is_there_once(cluster, tmp_path, n_step):
    trained = train(replace(DQN_, n_step=n_step), Numbered, steps=600, root=tmp_path, workers=2,
                    checkpoint_every=600, **OPTIONS)  # fmt: skip
    arrays, _ = read(RunFolder.open(trained.path).last)
    seen = [tuple(row) for row in arrays["loop/replay/observation"]]
    assert trained.steps == 600
    assert arrays["loop/steps"] == 600
    assert len(seen) == len(set(seen))
    # With three steps of reward, transitions that were still open at the end are not there.
    assert 600 - 2 * (n_step - 1) <= len(seen) <= 600
    assert len({process for process, _ in seen}) == 2
    # As many updates as in one process: one for every four steps after the first forty.
    assert arrays["engine/updates"] == (600 - 40) // 4
    row = RunFolder.open(trained.path).rows()[-2]
    assert {"policy_lag", "policy_lag_most", "learner_busy", "worker_0.steps_per_second"} <= set(row)


def test_rounds_that_need_many_steps_get_them(cluster, tmp_path):
    agent = replace(DQN_, train_every=1_000, updates=5)
    trained = train(agent, Numbered, steps=2_100, root=tmp_path, workers=1, checkpoint_every=2_100, **OPTIONS)
    arrays, _ = read(RunFolder.open(trained.path).last)
    assert arrays["engine/updates"] == 2 * 5


def test_policies_are_never_further_behind_than_allowed(cluster, tmp_path):
    trained = train(DQN_, partial(Numbered, pause=0.002), steps=400, root=tmp_path, workers=2, max_lag=3, **OPTIONS)
    lags = [row["policy_lag_most"] for row in RunFolder.open(trained.path).rows() if "policy_lag_most" in row]
    assert lags
    assert max(lags) <= 3


def test_continuous_actions_travel_too(cluster, tmp_path):
    agent = SAC(hidden=(16,), batch_size=16, learning_starts=40, train_every=8)
    assert train(agent, "Pendulum-v1", steps=120, root=tmp_path, workers=2, evaluate_every=0, **OPTIONS).steps == 120


@pytest.mark.parametrize(
    ("trouble", "kind", "said"),
    [
        ("raise", "crashed", "failed: KeyError: 'the simulator lost its map'"),
        ("hang", "hanging", "has not answered for 15 seconds"),
        ("kill", "lost", "is gone: "),
    ],
)
@pytest.mark.parametrize("agent", [DQN_, PPO_], ids=["gathered", "in step"])
def test_a_worker_in_trouble_is_replaced_and_the_record_says_so(cluster, tmp_path, trouble, kind, said, agent):
    env = partial(Troubled, str(tmp_path), trouble)
    # A worker that is slow because the machine is busy is no trouble of this test.
    patience = 15.0 if trouble == "hang" else 240.0
    trained = train(
        agent, env, steps=256, root=tmp_path / "runs", workers=2, patience=patience, evaluate_every=0, **OPTIONS
    )
    assert trained.steps >= 256
    (note,) = [note for note in RunFolder.open(trained.path).notes() if note["kind"] != "crowded"]
    assert note["kind"] == kind
    assert said in note["text"]
    assert note["text"].endswith("; it is replaced")
    assert note["worker"] in ("worker 0", "worker 1")
    assert ("in step" in note["detail"] and "lost its map" in note["detail"]) == (trouble == "raise")
    (event,) = [event for event in Reading(trained.path).events() if event.kind == f"worker {kind}"]
    assert event.worker == note["worker"]
    assert event.text == note["text"]


def test_a_worker_that_never_works_ends_the_training_with_a_checkpoint(cluster, tmp_path):
    env = partial(Troubled, str(tmp_path), "raise", True)
    with pytest.raises(WorkersFailed, match=r"KeyError: 'the simulator lost its map', 3 times in a row without"):
        train(PPO_, env, steps=4_000, root=tmp_path / "runs", workers=2, evaluate_every=0, **OPTIONS)
    (path,) = (tmp_path / "runs").iterdir()
    assert RunFolder.open(path).last.exists()


def test_what_cannot_work_is_said_before_anything_starts(cluster, tmp_path):
    small = PPO(lanes=2, hidden=(16,))
    with pytest.raises(BadPlan, match=r"steps 2 environments together.*at most --workers 2, or --set lanes=3"):
        train(small, "CartPole-v1", steps=100, root=tmp_path, workers=3, **OPTIONS)
    with pytest.raises(BadPlan, match=r"90 workers need 90 CPUs, and this machine has 8 free: --workers 8 or for env"):
        train(DQN_, "CartPole-v1", steps=100, root=tmp_path, workers=90, **OPTIONS)
    assert not list(tmp_path.iterdir())


def test_a_plan_from_before_there_were_workers_is_understood():
    from whygrad.rl.plan import Plan

    old = Plan(env="CartPole-v1", steps=10).as_data()
    old["workers"] = True
    for name in ("processes", "ray", "worker_cpus", "learners", "max_lag", "patience"):
        del old[name]
    plan = Plan.from_data(json.loads(json.dumps(old)))
    assert plan.processes
    assert plan.workers == 0
