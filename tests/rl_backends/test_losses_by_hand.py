"""Every loss of every agent against numbers worked out on paper, with linear networks whose weights are set."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery import CASES, LOSSES, make_batch, make_engine

from whygrad.rl.agent import Spaces, no_noise
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

TWO = Spaces((1,), choices=2)
ONE = Spaces((1,), low=(-1.0,), high=(1.0,))


def engine_with(agent, spaces, **weights):
    nets = build(agent, spaces)
    assert sorted(nets) == sorted(weights)
    for name, values in weights.items():
        nets[name].set_weights([np.float32(v) for v in values])
    return engine_class()(agent, nets, spaces)


def rows(**columns):
    return {name: np.asarray(v, np.int64 if name == "chosen" else np.float32) for name, v in columns.items()}


def column(*values):
    return [[v] for v in values]


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-6)


def shown(engine, name, batch):
    """What a loss reports besides, from an update with one batch."""
    report = engine.update({k: np.asarray(v)[None] for k, v in batch.items()})[name]
    return {k: np.asarray(v)[0] for k, v in report.items()}


# DQN. Q(s) = [s, 2s], Q'(s) = [3s, s].
Q = {"q": ([[1, 2]], [0, 0]), "q_target": ([[3, 1]], [0, 0])}
DQN_ROWS = {
    **rows(
        observation=column(1, 2), reward=[0.5, 1], next_observation=column(1, 5), discount=[0.9, 0], weight=[1, 0.5]
    ),
    "action": np.array([0, 1]),
}


def test_dqn_double():
    # Row 1: Q(s, a) = 1; Q(s') = [1, 2] chooses 1, Q'(s', 1) = 1; y = 0.5 + 0.9·1 = 1.4; error 0.4; Huber 0.08
    # Row 2: Q(s, a) = 4; nothing follows, y = 1; error −3; Huber 3 − 0.5 = 2.5; weight 0.5 makes 1.25
    engine = engine_with(DQN(hidden=()), TWO, **Q)
    loss, gradients = engine.gradients("q", DQN_ROWS)
    close(loss, (0.08 + 1.25) / 2)
    # dL/dQ: row 1 −0.4/2 = −0.2; row 2 +1·0.5/2 = 0.25. Kernel: times s = 1 and 2.
    close(gradients["q.dense.kernel"], [[-0.2, 0.5]])
    close(gradients["q.dense.bias"], [-0.2, 0.25])
    report = shown(engine, "q", DQN_ROWS)
    close(report["priority"], [0.4, 3])
    close(report["value"], 2.5)


def test_dqn_without_double():
    # Row 1: max Q'(s') = 3; y = 0.5 + 0.9·3 = 3.2; error 2.2; Huber 1.7. Row 2 as before: 1.25.
    loss, _ = engine_with(DQN(hidden=(), double=False), TWO, **Q).gradients("q", DQN_ROWS)
    close(loss, (1.7 + 1.25) / 2)


def test_dqn_dueling():
    # V(s) = s, A(s) = [s, 3s]. At s = 1: mean A = 2, Q = [1 + 1 − 2, 1 + 3 − 2] = [0, 2]. y = 0; error −2; Huber 1.5.
    agent = DQN(hidden=(), dueling=True)
    nets = build(agent, TWO)
    for net in nets.values():
        net.set_weights([np.float32({(1, 2): [[1, 3]], (1, 1): [[1]]}.get(tuple(w.shape), 0 * np.ones(w.shape)))
                         for w in net.weights])  # fmt: skip
    batch = {**DQN_ROWS, **rows(observation=column(1, 1), reward=[0, 0], discount=[0, 0], weight=[1, 1])}
    loss, _ = engine_class()(agent, nets, TWO).gradients("q", {**batch, "action": np.array([1, 1])})
    close(loss, 1.5)


# Policies for two choices. Logits [0, ln 3]: p = [1/4, 3/4], log p = [−1.386294, −0.287682],
# entropy = 1.386294/4 + 0.287682·3/4 = 0.562335. The value is 2s + 1 = 3 at s = 1.
POLICY = ([[0, 0]], [0, math.log(3)])
VALUE = ([[2]], [1])
JUDGED = {  # the third row only fills up the batch
    **rows(observation=column(1, 1, 1), advantage=[2, 1, 100], weight=[1, 1, 0], log_prob=[0, 0, 0]),
    "return": np.float32([2, 1, -50]),
    "action": np.array([0, 1, 0]),
}


def test_reinforce_without_baseline():
    agent = REINFORCE(hidden=(), baseline=False, normalise_returns=False)
    # −(2·(−1.386294) + 1·(−0.287682)) / 2 = (2.772589 + 0.287682) / 2
    loss, gradients = engine_with(agent, TWO, policy=POLICY).gradients("policy", JUDGED)
    close(loss, 1.530135)
    # d(−log p_a)/d logits = p − [a]: 2/2·[−3/4, 3/4] + 1/2·[1/4, −1/4]
    close(gradients["policy.dense.bias"], [-0.625, 0.625])
    close(gradients["policy.dense.kernel"], [[-0.625, 0.625]])


def test_reinforce_entropy_and_normalised_returns():
    agent = REINFORCE(hidden=(), baseline=False, normalise_returns=True, entropy=0.1)
    # Returns 2, 1 have mean 1.5 and deviation 0.5: 1, −1. −(−1.386294 + 0.287682)/2 = 0.549306; less 0.1·0.562335.
    close(engine_with(agent, TWO, policy=POLICY).gradients("policy", JUDGED)[0], 0.549306 - 0.0562335)


def test_reinforce_baseline():
    agent = REINFORCE(hidden=(), normalise_returns=False)
    engine = engine_with(agent, TWO, policy=POLICY, value=VALUE)
    batch = {**JUDGED, "advantage": np.float32([-1, -2, 9])}
    # −(−1·(−1.386294) − 2·(−0.287682)) / 2 = −(1.386294 + 0.575364) / 2
    close(engine.gradients("policy", batch)[0], -0.980829)
    # ((2 − 3)² + (1 − 3)²) / 2; its slope in the value: (2·1 + 2·2) / 2
    loss, gradients = engine.gradients("value", batch)
    close(loss, 2.5)
    close(gradients["value.dense.kernel"], [[3]])
    close(gradients["value.dense.bias"], [3])


def test_reinforce_continuous():
    agent = REINFORCE(hidden=(), baseline=False, normalise_returns=False, entropy=1.0)
    engine = engine_with(agent, ONE, policy=([[0.5]], [0]), deviation=([0],))
    batch = {**JUDGED, "action": np.float32(column(1.5, 1.5, 0)), "weight": np.float32([1, 0, 0])}
    # log p = −(1.5 − 0.5)²/2 − ln √(2π) = −0.5 − 0.918939; times the return 2. Entropy: ½ ln(2πe) = 1.418939.
    loss, gradients = engine.gradients("policy", batch)
    close(loss, 2 * 1.418939 - 1.418939)
    # Slope of −2 log p in the mean: −2·1. In log σ: −2·(z² − 1) = 0, and −1 of the entropy.
    close(gradients["policy.dense.bias"], [-2])
    close(gradients["deviation.numbers.numbers"], [-1])


def test_reinforce_refuses_a_shortened_return_without_a_value():
    with pytest.raises(ValueError, match=r"gae_lambda=0\.9 needs a value .* write baseline=True, or gae_lambda=1\.0"):
        REINFORCE(baseline=False, gae_lambda=0.9).check()
    REINFORCE(baseline=True, gae_lambda=0.9).check()


def test_a2c():
    agent = A2C(hidden=(), entropy=0.1, value_weight=0.5)
    engine = engine_with(agent, TWO, policy=POLICY, value=VALUE)
    # 0.5·2.5 (value) + 1.530135 (policy) − 0.1·0.562335 (entropy)
    loss, gradients = engine.gradients("a2c", JUDGED)
    close(loss, 1.25 + 1.530135 - 0.0562335)
    close(gradients["value.dense.bias"], [1.5])
    report = shown(engine, "a2c", JUDGED)
    close(report["entropy"], 0.562335)
    close(report["value_loss"], 2.5)


# PPO. Both actions had p = 1/2: ratios (1/4)/(1/2) = 0.5 and (3/4)/(1/2) = 1.5.
PPO_ROWS = {
    **rows(observation=column(1, 1), advantage=[-1, 2], weight=[1, 1], log_prob=[math.log(0.5)] * 2, remaining=0.5),
    "return": np.float32([2, 1]),
    "action": np.array([0, 1]),
}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        # min(−0.5, −0.8) = −0.8; min(3, 1.2·2) = 2.4; mean 0.8. Value as above: 0.5·2.5 − 0.8
        ({"normalise_advantages": False}, 0.45),
        # Half of the training is left, width 0.1: −0.9 and 2.2; mean 0.65
        ({"normalise_advantages": False, "ratio_decay": True}, 0.6),
        # Advantages −1, 2 have mean 0.5, deviation 1.5: −1, 1. −0.8 and 1.2; mean 0.2
        ({}, 1.05),
        ({"entropy": 0.1}, 1.05 - 0.0562335),
    ],
)
def test_ppo(options, wanted):
    engine = engine_with(PPO(hidden=(), **options), TWO, policy=POLICY, value=VALUE)
    close(engine.gradients("ppo", PPO_ROWS)[0], wanted)


def test_ppo_reports():
    engine = engine_with(PPO(hidden=()), TWO, policy=POLICY, value=VALUE)
    report = shown(engine, "ppo", {k: v for k, v in PPO_ROWS.items() if k != "remaining"})
    # ratio − 1 − ln ratio: 0.5 − 1 + 0.693147 = 0.193147 and 1.5 − 1 − 0.405465 = 0.094535
    close(report["divergence"], 0.143841)
    close(report["clipped"], 1)
    close(report["value_loss"], 2.5)


# Continuous: Q₁ = 2s + 3a, Q₂ = s; Q₁' = s + 4a, Q₂' = s + 2a + 1; μ = tanh(s).
CRITIC_1, CRITIC_2 = ([[2], [3]], [0]), ([[1], [0]], [0])
TARGET_1, TARGET_2 = ([[1], [4]], [0]), ([[1], [2]], [1])
ACTOR = ([[1]], [0])


def constant(action):
    """An actor that does this, whatever it sees."""
    return [[0]], [math.atanh(action)]


def test_ddpg():
    weights = {"actor": ACTOR, "critic": CRITIC_1, "actor_target": constant(0.5), "critic_target": TARGET_1}
    engine = engine_with(DDPG(hidden=()), ONE, **weights)
    batch = rows(
        observation=column(1, 0), action=column(-1, 0.5), reward=[0.5, 1], next_observation=column(1, 7),
        discount=[0.5, 0], weight=[1, 0.5],
    )  # fmt: skip
    # Row 1: Q' = 1 + 4·0.5 = 3; y = 0.5 + 0.5·3 = 2; Q = 2 − 3 = −1; error 3; 9
    # Row 2: y = 1; Q = 1.5; error −0.5; 0.5·0.25 = 0.125
    loss, gradients = engine.gradients("critic", batch)
    close(loss, (9 + 0.125) / 2)
    # dL/dQ = −error·weight: −3 and 0.25. Kernel: −3·1 + 0.25·0 and −3·(−1) + 0.25·0.5
    close(gradients["critic.dense.kernel"], column(-3, 3.125))
    close(gradients["critic.dense.bias"], [-2.75])
    # −(2 + 3·tanh 1 + 0 + 0)/2 = −(2 + 3·0.761594)/2
    loss, gradients = engine.gradients("actor", batch)
    close(loss, -2.142391)
    # −3·(1 − tanh²)·s/2: 1 − 0.761594² = 0.419974 at s = 1, 1 at s = 0
    close(gradients["actor.dense.kernel"], [[-0.629961]])
    close(gradients["actor.dense.bias"], [-2.129961])
    close(shown(engine, "critic", batch)["priority"], [3, 0.5])


def test_td3():
    weights = {"critic_1": CRITIC_1, "critic_2": CRITIC_2, "critic_1_target": TARGET_1, "critic_2_target": TARGET_2}
    engine = engine_with(TD3(hidden=()), ONE, actor=ACTOR, actor_target=constant(0.8), **weights)
    batch = rows(
        observation=column(1, 0), action=column(-1, 0.5), reward=[0.5, 0], next_observation=column(1, 0),
        discount=[0.5, 1], weight=[1, 1], next_noise=column(10, -1),
    )  # fmt: skip
    # Row 1: noise 0.2·10 is cut to 0.5, a' = 0.8 + 0.5 to 1. Q' = min(1 + 4, 1 + 2 + 1) = 4; y = 0.5 + 0.5·4 = 2.5
    #        Q₁ = −1, error 3.5; Q₂ = 1, error 1.5
    # Row 2: noise −0.2, a' = 0.6. Q' = min(2.4, 2.2) = 2.2 = y. Q₁ = 1.5, error 0.7; Q₂ = 0, error 2.2
    # ½·((12.25 + 0.49)/2 + (2.25 + 4.84)/2)
    close(engine.gradients("critic", batch)[0], 4.9575)
    # The actor climbs the first critic alone: as with DDPG
    close(engine.gradients("actor", batch)[0], -2.142391)


# SAC and CQL: mean 0, deviation 1 whatever is seen. Temperature ½.
# Noise 0: a = 0, log π = −0.918939. Noise 1: a = tanh 1 = 0.761594,
# log π = −½ − 0.918939 − ln(1 − 0.761594²) = −1.418939 + 0.867562 = −0.551377.
SOFT = {
    "actor": ([[0, 0]], [0, 0]), "temperature": ([math.log(0.5)],),
    "critic_1": CRITIC_1, "critic_2": CRITIC_2, "critic_1_target": TARGET_1, "critic_2_target": TARGET_2,
}  # fmt: skip
SOFT_ROWS = rows(
    observation=column(1), action=column(-1), reward=[0.5], next_observation=column(1), discount=[0.5], weight=[1],
    noise=column(1), next_noise=column(1),
)  # fmt: skip


def test_sac():
    engine = engine_with(SAC(hidden=()), ONE, **SOFT)
    # Q' = min(1 + 4·0.761594, 1 + 2·0.761594 + 1) = 3.523188; + ½·0.551377 = 3.798877; y = 0.5 + 0.5·3.798877
    # Q₁ = −1, error 3.399438; Q₂ = 1, error 1.399438. ½·(11.556181 + 1.958428)
    close(engine.gradients("critic", SOFT_ROWS)[0], 6.757304)
    # ½·(−0.551377) − min(2 + 3·0.761594, 1)
    loss, gradients = engine.gradients("actor", SOFT_ROWS)
    close(loss, -1.275688)
    # Q₂ does not depend on the action. Half of d log π/d mean = 2 tanh 1 = 1.523188; of d log π/d log σ = −1 + 1.523188
    close(gradients["actor.dense.bias"], [0.761594, 0.261594])
    # −ln ½ · (−0.551377 − 1) = −0.693147·1.551377; its slope in ln α: 1.551377
    loss, gradients = engine.gradients("temperature", SOFT_ROWS)
    close(loss, -1.075333)
    close(next(iter(gradients.values())), [1.551377])


def test_sac_with_a_given_temperature_does_not_learn_it():
    assert [loss.name for loss in SAC(temperature=0.2).losses(ONE)] == ["critic", "actor"]


def test_cql_discrete():
    # Row 1: ln(e¹ + e²) − 1 = 1.313262. Row 2: Q = [2, 4], ln(e² + e⁴) − 4 = 0.126928, half of it. Mean 0.688363.
    engine = engine_with(CQL(hidden=(), alpha=2.0), TWO, **Q)
    loss, gradients = engine.gradients("q", DQN_ROWS)
    close(loss, 0.665 + 2 * 0.688363)
    # softmax − [a], times α·weight/2: row 1 [0.268941 − 1, 0.731059]; row 2 ½·[0.119203, 0.880797 − 1]; and DQN's
    close(gradients["q.dense.bias"], [-0.731059 + 0.059601 - 0.2, 0.731059 - 0.059601 + 0.25])
    close(shown(engine, "q", DQN_ROWS)["gap"], 0.688363)


def test_cql_without_its_term_is_offline_dqn():
    close(engine_with(CQL(hidden=(), alpha=0.0), TWO, **Q).gradients("q", DQN_ROWS)[0], 0.665)


def test_cql_continuous():
    engine = engine_with(CQL(hidden=(), alpha=2.0, samples=1), ONE, **SOFT)
    batch = {**SOFT_ROWS, **rows(random=[[[0.75]]], sample_noise=[[[0]]], next_sample_noise=[[[1]]])}
    # Actions 2·0.75 − 1 = 0.5, 0, 0.761594; log-densities −ln 2, −0.918939, −0.551377.
    # Critic 1: 3.5 + 0.693147, 2 + 0.918939, 4.284782 + 0.551377; ln((66.2308 + 18.5216 + 125.985)/3) = 4.252001;
    #           Q₁(s, a) = −1: gap 5.252001
    # Critic 2: 1 + the same; ln((5.436564 + 6.813721 + 4.717961)/3) = 1.732732; Q₂(s, a) = 1: gap 0.732732
    np.testing.assert_allclose(engine.gradients("critic", batch)[0], 6.757304 + 2 * (5.252001 + 0.732732), rtol=1e-5)
    close(engine.gradients("actor", batch)[0], -1.275688)


@pytest.mark.parametrize("case", CASES)
def test_without_noise_a_policy_gives_its_best_action(case):
    agent, spaces = CASES[case]
    engine = make_engine(agent, spaces)
    observation = make_batch(agent, spaces, 5)["observation"]
    action = engine.call(agent.policy, {"observation": observation, **no_noise(agent, spaces, 5)})["action"]
    head = next(name for name in ("policy", "actor", "q") if name in engine.networks)
    output = engine.call(lambda nets, batch: nets[head](batch["observation"]), {"observation": observation})
    if spaces.discrete:
        assert action.tolist() == output.argmax(axis=-1).tolist()
    else:
        best = output[:, : spaces.action_size]
        close(action, best if isinstance(agent, OnPolicy) else np.tanh(best))


# Actors and temperatures learn from observations alone, all alike; PPO's batches are never filled up.
WEIGHTED = [(case, name) for case, name in LOSSES if name not in ("actor", "temperature", "ppo")]


@pytest.mark.parametrize(("case", "name"), WEIGHTED)
def test_rows_without_weight_do_not_count(case, name):
    agent, spaces = CASES[case]
    engine = make_engine(agent, spaces)
    batch = make_batch(agent, spaces, 6)
    batch["weight"] = np.float32([1, 1, 0, 0.5, 0, 1])
    other = {k: np.array(v) for k, v in batch.items()}
    for key in ("observation", "reward", "advantage", "return"):
        if key in other:
            other[key][[2, 4]] += 3.0
    before, after = engine.gradients(name, batch), engine.gradients(name, other)
    close(before[0], after[0])
    for variable in before[1]:
        close(before[1][variable], after[1][variable])


@pytest.mark.parametrize("mean", [-60.0, -9.0, 0.0, 9.0, 60.0])
@pytest.mark.parametrize("log_deviation", [-60.0, 0.0, 60.0])
def test_squashed_actions_at_the_edge_have_finite_losses(mean, log_deviation):
    soft = {**SOFT, "actor": ([[0, 0]], [mean, log_deviation])}
    engine = engine_with(CQL(hidden=(), samples=1), ONE, **soft)
    batch = {**SOFT_ROWS, **rows(random=[[[0]]], sample_noise=[[[3]]], next_sample_noise=[[[-3]]])}
    for name in ("critic", "actor", "temperature"):
        loss, gradients = engine.gradients(name, batch)
        assert math.isfinite(loss)
        assert all(np.isfinite(g).all() for g in gradients.values())


@pytest.mark.parametrize("agent", [DDPG(noise=0.5), TD3(noise=0.5)])
def test_exploration_of_deterministic_actors(agent):
    engine = make_engine(agent, ONE)
    rng = np.random.default_rng(0)
    batch = {"observation": np.zeros((10_000, *ONE.observation), "float32"), **no_noise(agent, ONE, 10_000)}
    best = engine.call(agent.policy, batch)["action"]
    batch["noise"] = rng.standard_normal((10_000, 1), "float32")
    found = engine.call(agent.policy, batch)["action"]
    assert found.dtype == np.float32
    assert (found == -1.0).any() or (found == 1.0).any()  # cut somewhere
    np.testing.assert_allclose(found, np.clip(best + 0.5 * batch["noise"], -1.0, 1.0), atol=1e-6)


@pytest.mark.parametrize(("done", "chance"), [(0.0, 1.0), (0.05, 0.6), (0.1, 0.2), (1.0, 0.2)])
def test_exploration_of_q_learning_gets_rarer(done, chance):
    agent = DQN(explore_share=0.1, explore_first=1.0, explore_last=0.2)
    engine = make_engine(agent, TWO)
    rng = np.random.default_rng(0)
    batch = {"observation": np.zeros((20_000, *TWO.observation), "float32"), **no_noise(agent, TWO, 20_000)}
    best = int(engine.call(agent.policy, batch)["action"][0])
    batch.update({"dice": rng.random(20_000, "float32"), "choice": rng.random(20_000, "float32")})
    batch["remaining"] = np.float32(1.0 - done)
    counts = np.bincount(engine.call(agent.policy, batch)["action"], minlength=TWO.choices) / 20_000
    expected = np.full(TWO.choices, chance / TWO.choices)
    expected[best] += 1.0 - chance
    np.testing.assert_allclose(counts, expected, atol=0.02)
