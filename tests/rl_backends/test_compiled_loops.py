"""Loops that are one compiled program: they remember, judge and learn as the plain loops do."""

from __future__ import annotations

import json

import keras
import numpy as np
import pytest
from keras import ops

import whygrad
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.agents.ppo import PPO
from whygrad.rl.agents.sac import SAC
from whygrad.rl.building import build
from whygrad.rl.engine import engine_class
from whygrad.rl.loops.compiled import compiled_loop
from whygrad.rl.loops.compiled_replay_loop import CompiledReplayLoop
from whygrad.rl.loops.compiled_rollout_loop import CompiledRolloutLoop
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.plan import Plan
from whygrad.rl.returns import advantages
from whygrad.rl.training import train
from whygrad.rl.worlds.cartpole import CartPole
from whygrad.rl.worlds.pendulum import Pendulum
from whygrad.rl.worlds.snake import Snake

pytestmark = pytest.mark.timeout(900)  # TensorFlow compiles each loop anew: on a busy machine that takes minutes
array = keras.ops.convert_to_numpy
REPLAY = {"hidden": (8,), "batch_size": 16, "learning_starts": 8, "train_every": 4, "lanes": 4}


def make_loop(agent, world, turns=2, total=1000, seed=0):
    keras.utils.set_random_seed(seed)
    engine = engine_class()(agent, build(agent, world.spaces, None), world.spaces)
    kind = CompiledReplayLoop if isinstance(agent, OffPolicy) else CompiledRolloutLoop
    loop = kind(agent, engine, world, total, seed, turns)
    loop.restart(list(range(agent.lanes)))
    return loop, engine


def test_the_memory_holds_what_happened_in_order():
    loop, _ = make_loop(DQN(buffer_size=12, **REPLAY), CartPole())
    loop.round()  # two steps of four lanes, at random
    loop.round()  # two more, by the policy: the memory of three begins anew
    memory = {name: array(value) for name, value in loop.state_tree["memory"].items()}
    # Step 3 lies where step 0 was; what followed step 2 is where step 3 begins, as long as no episode ended.
    np.testing.assert_array_equal(memory["observation"][0:4], memory["next_observation"][8:12])
    np.testing.assert_array_equal(memory["observation"][8:12], memory["next_observation"][4:8])
    assert set(memory["discount"].tolist()) == {np.float32(0.99)}
    assert (memory["reward"] == 1.0).all()
    assert loop.steps == 16


def test_where_an_episode_ends_nothing_follows():
    # A snake of two cells on a board of three has one fruit to eat: it wins, or it runs into something.
    loop, _ = make_loop(
        DQN(buffer_size=400, trunk="plain", **{**REPLAY, "learning_starts": 400}), Snake(height=1, width=3)
    )
    result = loop.round()
    memory = {name: array(value) for name, value in loop.state_tree["memory"].items()}
    assert len(result.episodes) > 50
    assert (memory["discount"] == 0.0).sum() == len(result.episodes)
    np.testing.assert_array_equal(memory["reward"][memory["discount"] == 0.0] != -0.2, True)


def test_a_limit_cuts_off_without_ending():
    loop, _ = make_loop(DQN(buffer_size=40, **{**REPLAY, "learning_starts": 40}), CartPole(limit=3))
    episodes = loop.round().episodes
    assert {episode.length for episode in episodes} == {3}
    assert (array(loop.state_tree["memory"]["discount"]) > 0.0).all()


def test_batches_come_from_what_is_filled():
    loop, _ = make_loop(DQN(buffer_size=1000, **REPLAY), CartPole())
    loop.round()
    batch = loop.batch()
    assert (np.abs(batch["observation"]).sum(axis=1) > 0.0).all()
    assert batch["remaining"] == np.float32(1.0 - 8 / 1000)
    assert set(batch) == {"observation", "action", "reward", "next_observation", "discount", "weight", "remaining"}


@pytest.mark.parametrize("gae_lambda", [0.9, 1.0])
def test_advantages_are_those_of_the_plain_loop(gae_lambda):
    agent = PPO(hidden=(8,), lanes=3, horizon=5, gamma=0.8, gae_lambda=gae_lambda, reward_scale=0.5)
    loop, engine = make_loop(agent, Pendulum(limit=4))
    rng = np.random.default_rng(0)
    names = ("reward", "value", "cut_value")
    rows = {name: rng.standard_normal((5, 3)).astype("float32") for name in names}
    ends = rng.random((5, 3))
    rows["terminated"], rows["truncated"] = (ends < 0.2).astype("float32"), (ends > 0.7).astype("float32")
    tensors = {name: ops.convert_to_tensor(value) for name, value in rows.items()}
    given = {"rows": tensors, "lanes": loop.state_tree["lanes"]}
    judged = loop._judged(engine.networks, given)
    after, found = judged["start"], []
    for i in range(5):
        after, _ = loop._backwards(None, after, i, {name: x[i] for name, x in judged["each"].items()})
        found.append(array(after))
    last = array(agent.value(engine.networks, {"observation": loop._lanes.world.observe(given["lanes"]["games"])}))
    following = np.concatenate([rows["value"][1:], last[None]])
    following = np.where(rows["truncated"] > 0, rows["cut_value"], following)
    expected, _ = advantages(
        0.5 * rows["reward"], rows["value"], following, rows["terminated"] > 0, rows["truncated"] > 0, 0.8, gae_lambda
    )
    np.testing.assert_allclose(np.stack(found[::-1]), expected, rtol=1e-5, atol=1e-6)


def test_what_is_carried_keeps_its_name():
    loop, _ = make_loop(PPO(hidden=(8,), lanes=4, horizon=3, minibatch=8, epochs=1), Pendulum(), turns=1)
    for round_ in (1, 2, 3):
        loop.round()
        lanes = loop.state_tree["lanes"]
        assert array(lanes["length"]).tolist() == [3.0 * round_] * 4
        assert array(lanes["games"]["steps"]).tolist() == [3 * round_] * 4
        assert (array(lanes["score"]) < 0.0).all()


def test_an_epoch_takes_every_row_once():
    loop, _ = make_loop(PPO(hidden=(8,), lanes=4, horizon=8, minibatch=8, epochs=2), CartPole())
    orders = [array(loop._order(None, {"turn": ops.zeros((), "int32"), "epoch": epoch})) for epoch in (0, 1)]
    for order in orders:
        assert sorted(order.tolist()) == list(range(32))
    assert (orders[0] != orders[1]).any()


def test_looking_at_a_batch_moves_nothing():
    loop, _ = make_loop(PPO(hidden=(8,), lanes=4, horizon=8, minibatch=8, epochs=2), CartPole())
    loop.round()
    before = loop.state()
    batch = loop.batch()
    assert batch["observation"].shape == (8, 4)
    for name, value in loop.state().items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)


@pytest.mark.parametrize(
    ("agent", "world"),
    [
        (DQN(updates=3, **REPLAY), CartPole()),
        pytest.param(SAC(updates=3, **REPLAY), Pendulum(), marks=pytest.mark.once),
        pytest.param(
            DQN(updates=3, trunk="board", **{**REPLAY, "hidden": (4, 8)}),
            Snake(height=4, width=4),
            marks=pytest.mark.once,
        ),
    ],
)
def test_reports_have_one_row_for_each_update(agent, world):
    loop, engine = make_loop(agent, world, turns=2)
    loop.round()
    report = loop.round().report
    for name, given in report.items():
        assert {len(array(values)) for values in given.values()} == {6}, name
        assert np.isfinite(array(given["loss"])).all()
    assert engine.updates == 6


def test_what_only_plain_loops_do_is_left_to_them():
    plan = Plan(env=CartPole.ID, steps=100)
    for agent in (DQN(n_step=3), DQN(prioritised=True), PPO(normalise_rewards=True)):
        engine = engine_class()(agent, build(agent, CartPole().spaces, None), CartPole().spaces)
        assert compiled_loop(agent, engine, CartPole(), plan) is None


def test_a_broken_loss_is_reported_before_the_first_update(tmp_path):
    class Broken(DQN):
        NAME = "broken"

        def q_loss(self, nets, batch):
            loss, shown = super().q_loss(nets, batch)
            return ops.stop_gradient(loss), shown

    with pytest.raises(whygrad.BrokenContract, match="q"):
        train(Broken(**REPLAY), CartPole.ID, steps=100, root=tmp_path, quiet=True)


def test_a_training_learns_and_stops_where_it_should(tmp_path):
    agent = PPO(lanes=8, horizon=64, minibatch=128, epochs=4, learning_rate=3e-3)
    run = train(agent, CartPole.ID, steps=200_000, root=tmp_path, quiet=True, stop_at=120.0, log_every=2_000)
    assert run.finished
    assert run.steps < 100_000
    rows = [json.loads(line) for line in (run.path / "metrics.jsonl").read_text().splitlines()]
    shown = [row for row in rows if "return" in row]
    assert shown[-1]["return"] >= 120.0 > shown[0]["return"]
    assert {"ppo.loss", "ppo.norm", "ppo.entropy", "episodes", "length"} <= set(shown[-1])
    assert run.best is not None and run.best.mean > 120.0
