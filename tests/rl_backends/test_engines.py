"""What engines promise: the same names on each framework, updates in the right order, exact targets, moving states."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from battery import CASES, CHOICES, NUMBERS, make_batch, make_engine
from make_states import AGENT, NEXT, state_file

import whygrad.rl
from whygrad.rl.agent import no_noise
from whygrad.rl.agents.ddpg import DDPG
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.agents.ppo import PPO
from whygrad.rl.agents.td3 import TD3
from whygrad.rl.engine.last_step import last_steps

ENGINES = Path(whygrad.rl.__file__).parent / "engine"
BACKENDS = ("torch", "tensorflow", "jax")


def public_names(path, name="Engine"):
    """Public methods of a class with arguments and result; read, not imported."""
    tree = ast.parse(path.read_text("utf-8"))
    cls = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    methods = [node for node in cls.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return {m.name: (ast.unparse(m.args), ast.unparse(m.returns)) for m in methods}


@pytest.mark.parametrize("backend", BACKENDS)
def test_engines_have_the_names_of_the_interface(backend):
    assert public_names(ENGINES / f"{backend}_engine.py") == public_names(ENGINES / "interface.py")


@pytest.mark.parametrize("backend", BACKENDS)
def test_programs_see_the_same_names_everywhere(backend):
    known = public_names(ENGINES / "interface.py", "Inside")
    names = ["Inside", "Between"] if backend == "jax" else ["Inside"]
    for name in names:
        found = public_names(ENGINES / f"{backend}_program.py", name)
        assert {k: v for k, v in found.items() if k != "held"} == known


@pytest.mark.parametrize("backend", BACKENDS)
def test_engines_are_made_alike(backend):
    tree = ast.parse((ENGINES / f"{backend}_engine.py").read_text("utf-8"))
    found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    wanted = "self, agent: Agent, networks: dict[str, Any], spaces: Spaces"
    assert [ast.unparse(n.args).startswith(wanted) for n in found] == [True]


def arrays(report):
    return {f"{loss}/{k}": np.array(v) for loss, given in report.items() for k, v in given.items()}


@pytest.mark.parametrize("case", ["dqn", "ppo-continuous", "td3", "cql-continuous"])
def test_several_updates_at_once_are_the_same_as_one_by_one(case):
    agent, spaces = CASES[case]
    batches = make_batch(agent, spaces, 4, 8)
    batches.pop("remaining", None)
    together, apart = make_engine(agent, spaces), make_engine(agent, spaces)
    report = arrays(together.update(batches, 0.5))
    reports = [arrays(apart.update({k: v[i : i + 1] for k, v in batches.items()}, 0.5)) for i in range(4)]
    for key, found in report.items():
        one_by_one = np.concatenate([r[key] for r in reports])
        np.testing.assert_allclose(found, one_by_one, rtol=1e-4, atol=1e-5, err_msg=key)
    assert together.updates == apart.updates == 4
    states = together.state(), apart.state()
    assert list(states[0]) == list(states[1])
    for key in states[0]:
        np.testing.assert_allclose(states[0][key], states[1][key], rtol=1e-4, atol=1e-5, err_msg=key)


def first_moments(engine, loss):
    """After one update Adam's first moment is a tenth of the gradient as it was applied."""
    state = engine.state()
    return {name: 10.0 * state[f"adam/{loss}/first/{name}"] for name in engine.variable_names(loss)}


@pytest.mark.parametrize(("clip", "share"), [(0.1, 0.1), (1e6, None), (None, None)])
def test_clipping_scales_all_gradients_of_a_loss_together(clip, share):
    agent = DQN(hidden=(8,), clip=clip)
    engine = make_engine(agent, CHOICES)
    batch = make_batch(agent, CHOICES, 8)
    _, gradients = engine.gradients("q", batch)
    norm = np.sqrt(sum((g**2).sum() for g in gradients.values()))
    assert norm > 0.2  # or the clip of 0.1 would do nothing
    scale = 1.0 if share is None else share / norm
    report = engine.update({k: v[None] for k, v in batch.items()})["q"]
    for name, applied in first_moments(engine, "q").items():
        np.testing.assert_allclose(applied, scale * gradients[name], rtol=1e-4, atol=1e-6, err_msg=name)
    # What is shown is the norm before clipping.
    assert float(report["norm"][0]) == pytest.approx(norm, rel=1e-5)
    norms = [np.sqrt((gradients[name] ** 2).sum()) for name in engine.variable_names("q")]
    np.testing.assert_allclose(np.array(report["norms"])[0], norms, rtol=1e-5)


def test_the_first_step_of_adam_by_hand():
    # m = 0.1 g and v = 0.001 g², both corrected to g and g²: the step is −η g / (|g| + tiny) = −η sign(g).
    agent = DQN(hidden=(), learning_rate=0.01, clip=None)
    engine = make_engine(agent, CHOICES)
    batch = make_batch(agent, CHOICES, 8)
    before = engine.state()
    _, gradients = engine.gradients("q", batch)
    engine.update({k: v[None] for k, v in batch.items()})
    after = engine.state()
    for name, gradient in gradients.items():
        large = np.abs(gradient) > 1e-3
        np.testing.assert_allclose((after[name] - before[name])[large], -0.01 * np.sign(gradient[large]), rtol=1e-3)


def test_a_learning_rate_that_decays_follows_what_remains():
    agent = PPO(hidden=(), learning_rate=0.01, decay=True, clip=None)
    engine = make_engine(agent, CHOICES)
    batch = make_batch(agent, CHOICES, 8)
    batch.pop("remaining")
    before = engine.state()
    engine.update({k: v[None] for k, v in batch.items()}, 0.25)
    after = engine.state()
    steps = np.concatenate([np.abs(after[n] - before[n]).ravel() for n in engine.variable_names("ppo")])
    assert steps.max() == pytest.approx(0.01 * 0.25, rel=1e-2)


def changed(before, after, network):
    return any((before[k] != after[k]).any() for k in before if k.startswith(f"{network}."))


def test_a_loss_that_is_not_due_trains_nothing_and_reports_nan():
    agent = TD3(hidden=(4,), policy_delay=3)
    engine = make_engine(agent, NUMBERS)
    batches = make_batch(agent, NUMBERS, 6, 8)
    moved = []
    for i in range(6):
        before = engine.state()
        report = engine.update({k: v[i : i + 1] for k, v in batches.items()})
        after = engine.state()
        moved.append([changed(before, after, n) for n in ("critic_1", "actor", "actor_target", "critic_1_target")])
        due = i % 3 == 2
        assert np.isnan(np.array(report["actor"]["loss"])).tolist() == [not due]
        assert np.isnan(np.array(report["actor"]["norms"])).tolist() == [[not due] * 4]
        assert np.isfinite(np.array(report["critic"]["loss"])).all()
    assert moved == [[True, False, False, False], [True, False, False, False], [True, True, True, True]] * 2
    assert engine.state()["adam/actor/steps"] == 2
    assert engine.state()["adam/critic/steps"] == 6


def test_a_loss_that_is_due_now_and_then_within_one_round():
    agent = TD3(hidden=(4,), policy_delay=2)
    report = make_engine(agent, NUMBERS).update(make_batch(agent, NUMBERS, 5, 8))
    assert np.isnan(np.array(report["actor"]["norm"])).tolist() == [True, False, True, False, True]
    assert np.array(report["actor"]["norms"]).shape == (5, 4)


def test_a_hard_target_is_a_copy_to_the_bit():
    agent = DQN(hidden=(8,), target_every=2)
    engine = make_engine(agent, CHOICES)
    batches = make_batch(agent, CHOICES, 4, 8)
    start = engine.state()
    engine.update({k: v[:1] for k, v in batches.items()})
    first = engine.state()
    assert not changed(start, first, "q_target")
    engine.update({k: v[1:2] for k, v in batches.items()})
    second = engine.state()
    names = [k for k in second if k.startswith("q.")]
    assert names
    for name in names:
        np.testing.assert_array_equal(second[name.replace("q.", "q_target.", 1)], second[name])
    engine.update({k: v[2:3] for k, v in batches.items()})
    assert not changed(second, engine.state(), "q_target")


def test_a_polyak_target_takes_over_its_share():
    # θ' becomes θ' + τ (θ − θ'), with θ after its step.
    agent = DDPG(hidden=(8,), tau=0.25)
    engine = make_engine(agent, NUMBERS)
    before = engine.state()
    engine.update(make_batch(agent, NUMBERS, 1, 8))
    after = engine.state()
    for net in ("actor", "critic"):
        for name in [k for k in after if k.startswith(f"{net}.")]:
            target = name.replace(net, f"{net}_target", 1)
            wanted = before[target] + 0.25 * (after[name] - before[target])
            np.testing.assert_allclose(after[target], wanted, rtol=1e-6, atol=1e-7, err_msg=name)


@pytest.mark.parametrize("case", ["dqn", "reinforce-continuous", "td3", "sac"])
def test_a_state_put_back_gives_the_same_next_update_to_the_bit(case):
    agent, spaces = CASES[case]
    engine = make_engine(agent, spaces)
    batches = make_batch(agent, spaces, 3, 8)
    batches.pop("remaining", None)
    engine.update(batches)
    kept = engine.state()
    as_it_was = {k: np.array(v) for k, v in kept.items()}
    first = arrays(engine.update(batches)), engine.state()
    for key, value in kept.items():  # a state is a copy: later updates do not reach into it
        np.testing.assert_array_equal(value, as_it_was[key], err_msg=key)
    other = make_engine(agent, spaces)
    for again in (engine, other):
        again.load(kept)
        assert again.updates == 3
        second = arrays(again.update(batches)), again.state()
        for found, wanted in zip(second, first, strict=True):
            assert list(found) == list(wanted)
            for key in wanted:
                np.testing.assert_array_equal(found[key], wanted[key], err_msg=key)
    for key, value in kept.items():
        np.testing.assert_array_equal(value, as_it_was[key], err_msg=key)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_state_of_another_backend_can_be_loaded(backend):
    with np.load(state_file(backend), allow_pickle=False) as file:
        stored = {key: file[key] for key in file.files}
    before = {k.removeprefix("before/"): v for k, v in stored.items() if k.startswith("before/")}
    engine = make_engine(AGENT, NUMBERS)
    engine.load(before)
    found = engine.state()
    assert sorted(found) == sorted(before)
    for key, value in before.items():
        np.testing.assert_array_equal(found[key], value, err_msg=key)
    engine.update(NEXT)
    for key, value in engine.state().items():
        np.testing.assert_allclose(value, stored[f"after/{key}"], rtol=1e-4, atol=1e-5, err_msg=key)


def test_gradients_change_nothing():
    agent, spaces = CASES["td3"]
    engine = make_engine(agent, spaces)
    before = engine.state()
    engine.gradients("critic", make_batch(agent, spaces, 8))
    for key, value in engine.state().items():
        np.testing.assert_array_equal(value, before[key], err_msg=key)


def test_a_policy_sees_updates():
    agent, spaces = CASES["ddpg"]
    engine = make_engine(agent, spaces)
    batch = {"observation": make_batch(agent, spaces, 4)["observation"], **no_noise(agent, spaces, 4)}
    before = engine.call(agent.policy, batch)["action"].copy()
    engine.update(make_batch(agent, spaces, 1, 8))
    assert (engine.call(agent.policy, batch)["action"] != before).any()
    state = engine.state()
    net = engine.networks["actor"]  # after `write_back` the user's own network has what was learned
    engine.write_back()
    found = dict(zip([k for k in state if k.startswith("actor.")], net.get_weights(), strict=True))
    for key, value in found.items():
        np.testing.assert_array_equal(value, state[key])


@pytest.mark.parametrize("case", ["dqn", "ppo-continuous", "td3", "sac"])
def test_the_last_step_is_how_far_the_weights_went(case):
    agent, spaces = CASES[case]
    engine = make_engine(agent, spaces)
    assert all(last_steps(loss, engine.variable_names(loss.name), engine.state()) == {} for loss in engine.losses)
    batches = make_batch(agent, spaces, 4, 8)
    batches.pop("remaining", None)
    engine.update({k: v[:3] for k, v in batches.items()})
    before = engine.state()
    engine.update({k: v[3:] for k, v in batches.items()})
    after = engine.state()
    for loss in engine.losses:
        found = last_steps(loss, engine.variable_names(loss.name), after)
        assert list(found) == engine.variable_names(loss.name)
        for name, moved in found.items():
            gone = np.linalg.norm((after[name].astype("float64") - before[name]).reshape(-1))
            assert moved.step == pytest.approx(gone, rel=1e-3, abs=1e-7)
            assert moved.weights == pytest.approx(np.linalg.norm(before[name].reshape(-1)), rel=1e-5, abs=1e-7)
