"""Networks that users bring: Keras models of any kind, torch modules on PyTorch, functions that make them."""

from __future__ import annotations

import keras
import numpy as np
import pytest
from battery import make_batch
from keras import layers, ops

from whygrad.rl.agent import Spaces
from whygrad.rl.agents.ddpg import DDPG
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.building import build
from whygrad.rl.engine import engine_class
from whygrad.rl.training import resume, train

pytestmark = pytest.mark.once

CHOICES = Spaces((3,), choices=4)
NUMBERS = Spaces((3,), low=(-1.0, -1.0), high=(1.0, 1.0))
AGENT = DQN(hidden=(8,), target_every=2, learning_rate=0.01)
TORCH = keras.backend.backend() == "torch"


def functional(spaces=CHOICES):
    inputs = keras.Input(spaces.observation)
    return keras.Model(inputs, layers.Dense(spaces.action_size)(layers.Dense(8, activation="tanh")(inputs)))


def sequential(spaces=CHOICES):
    return keras.Sequential([layers.Dense(8, activation="tanh"), layers.Dense(spaces.action_size)])


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = layers.Dense(8, activation="tanh"), layers.Dense(4)

    def call(self, inputs):
        return self.out(self.hidden(inputs))


class SubclassedDropout(keras.Model):
    def __init__(self, size=4):
        super().__init__()
        self.hidden, self.drop, self.out = layers.Dense(8), layers.Dropout(0.5), layers.Dense(size)

    def call(self, inputs):  # no `training`: Keras hands it on
        return self.out(self.drop(self.hidden(inputs)))


def torch_module(spaces=CHOICES):
    import torch

    return torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, spaces.action_size))


def torch_module_with_modes(spaces=CHOICES):
    import torch

    return torch.nn.Sequential(
        torch.nn.Linear(3, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.5), torch.nn.Linear(8, spaces.action_size)
    )


def with_modes(spaces=CHOICES):
    return keras.Sequential(
        [keras.Input(spaces.observation), layers.Dense(8), layers.BatchNormalization(momentum=0.5),
         layers.Activation("relu"), layers.Dropout(0.5), layers.Dense(spaces.action_size)]
    )  # fmt: skip


def with_a_seed(spaces=CHOICES):
    return keras.Sequential(
        [keras.Input(spaces.observation), layers.Dense(8), layers.Dropout(0.5, seed=1), layers.GaussianNoise(0.1),
         layers.Dense(spaces.action_size)]
    )  # fmt: skip


GIVEN = {
    "functional": functional,
    "sequential": sequential,
    "function of a subclassed model": lambda: lambda spaces: Subclassed(),
    "function of a functional model": lambda: functional,
    "class": lambda: lambda spaces: functional(spaces),
}
if TORCH:
    GIVEN["module"] = torch_module
    GIVEN["function of a module"] = lambda: torch_module


def engine_with(network, agent=AGENT, spaces=CHOICES):
    keras.utils.set_random_seed(0)
    return engine_class()(agent, build(agent, spaces, {"q": network}), spaces)


@pytest.mark.parametrize("kind", list(GIVEN))
def test_a_network_of_ones_own_is_trained_and_has_a_target(kind):
    engine = engine_with(GIVEN[kind]())
    batches = make_batch(AGENT, CHOICES, 1, 16)
    before = engine.state()
    own = [k for k in before if k.startswith("q.")]
    assert len(own) == 4
    for key in own:  # the target begins as a copy
        np.testing.assert_array_equal(before[key], before[key.replace("q.", "q_target.", 1)])
    engine.update(batches)
    middle = engine.state()
    for key in own:
        assert (middle[key] != before[key]).any(), key
        np.testing.assert_array_equal(middle[key.replace("q.", "q_target.", 1)], before[key])
    engine.update(batches)  # the second update copies
    after = engine.state()
    for key in own:
        np.testing.assert_array_equal(after[key.replace("q.", "q_target.", 1)], after[key])


def test_a_subclassed_model_that_cannot_be_copied_asks_for_a_function():
    with pytest.raises(ValueError, match=r"networks=\{'q': lambda spaces: Subclassed\(…\)\}"):
        build(AGENT, CHOICES, {"q": Subclassed()})


def test_wrong_networks_are_refused():
    with pytest.raises(ValueError, match="dqn has no network 'critic'; its networks are q"):
        build(AGENT, CHOICES, {"critic": functional()})
    with pytest.raises(ValueError, match=r"'q' gives an array of shape \(2, 5\) .*; dqn needs .*\(2, 4\)"):
        build(AGENT, CHOICES, {"q": functional(Spaces((3,), choices=5))})
    with pytest.raises(ValueError, match=r"'q' cannot be called with float32 of shape \(2, 3\)"):
        build(AGENT, CHOICES, {"q": functional(Spaces((7,), choices=4))})
    with pytest.raises(ValueError, match=r"'q' is a str"):
        build(AGENT, CHOICES, {"q": "mlp"})


MODES = {"keras": with_modes, "seeds": with_a_seed, "subclassed": lambda: lambda spaces: SubclassedDropout()}
if TORCH:
    MODES["module"] = torch_module_with_modes


@pytest.mark.parametrize("kind", list(MODES))
def test_losses_train_in_training_mode_and_policies_act(kind):
    engine = engine_with(MODES[kind]())
    batches = make_batch(AGENT, CHOICES, 1, 32)
    seen = {"observation": batches["observation"][0]}

    def values(nets, batch):
        return nets["q"](batch["observation"])

    # A policy sees no Dropout: twice the same.
    np.testing.assert_array_equal(engine.call(values, seen), engine.call(values, seen))
    one = {k: v[0] for k, v in batches.items()}
    before = engine.state()
    engine.gradients("q", one)
    for key, value in engine.state().items():  # asking for gradients changes nothing, averages included
        np.testing.assert_array_equal(value, before[key], err_msg=key)
    # A loss sees Dropout: with the same weights and batch, another mask gives another loss.
    frozen = DQN(hidden=(8,), target_every=1000, learning_rate=0.0)
    engine = engine_with(MODES[kind](), frozen)
    losses = [float(np.asarray(engine.update(batches)["q"]["loss"])[0]) for _ in range(3)]
    assert len(set(losses)) == 3
    together = engine.update({k: np.concatenate([v] * 3) for k, v in batches.items()})
    assert len(set(np.asarray(together["q"]["loss"]).tolist())) == 3


def test_batch_normalization_learns_its_averages():
    # Averages with momentum 0.5 of the outputs of a layer that is the identity: 0.5 · 0 + 0.5 · mean, then again.
    agent = DQN(hidden=(8,), target_every=2, learning_rate=0.0, double=False)
    keras.utils.set_random_seed(0)
    network = keras.Sequential([keras.Input((3,)), layers.BatchNormalization(momentum=0.5), layers.Dense(4)])
    engine = engine_with(network, agent)
    batches = make_batch(agent, CHOICES, 1, 32)
    mean = batches["observation"][0].mean(axis=0)
    engine.update(batches)
    state = engine.state()
    np.testing.assert_allclose(state["q.batch_normalization.moving_mean"], 0.5 * mean, atol=1e-6)
    np.testing.assert_array_equal(state["q_target.batch_normalization.moving_mean"], 0.0)
    engine.update(batches)
    state = engine.state()
    np.testing.assert_allclose(state["q.batch_normalization.moving_mean"], 0.75 * mean, atol=1e-6)
    np.testing.assert_allclose(state["q_target.batch_normalization.moving_mean"], 0.75 * mean, atol=1e-6)
    engine.write_back()
    np.testing.assert_allclose(ops.convert_to_numpy(network.layers[0].moving_mean), 0.75 * mean, atol=1e-6)


@pytest.mark.parametrize("kind", [k for k in MODES if k != "subclassed"])
def test_a_polyak_target_follows_averages_and_leaves_seeds_alone(kind):
    agent = DDPG(hidden=(8,), tau=0.25)
    nets = build(agent, NUMBERS, {"actor": lambda spaces: MODES[kind](spaces)})
    engine = engine_class()(agent, nets, NUMBERS)
    before = engine.state()
    engine.update(make_batch(agent, NUMBERS, 2, 16))
    after = engine.state()
    changed = [k for k in after if k.startswith("actor_target.") and (after[k] != before[k]).any()]
    assert not [k for k in changed if "seed" in k]
    for key in (k for k in after if k.startswith("actor_target.") and "moving" in k):
        assert key in changed


@pytest.mark.parametrize("kind", list(MODES))
def test_runs_with_such_networks_resume_to_the_bit(kind, tmp_path, monkeypatch):
    from runs import OPTIONS, REPLAY
    from test_resume import Stopped, assert_same_runs, only_run, stop_at

    agent = DQN(target_every=8, **REPLAY)
    cart = {"subclassed": lambda spaces: SubclassedDropout(2), "module": torch_for_cart}
    networks = {"q": cart.get(kind, MODES[kind])}
    whole = train(agent, "CartPole-v1", networks=networks, root=tmp_path / "whole", **{**OPTIONS, "check": True})
    with monkeypatch.context() as patched, pytest.raises(Stopped):
        stop_at(patched, 150)
        train(agent, "CartPole-v1", networks=networks, root=tmp_path / "parts", **{**OPTIONS, "check": True})
    resume(only_run(tmp_path / "parts"), networks=networks, quiet=True)
    assert_same_runs(whole.path, only_run(tmp_path / "parts"))


def torch_for_cart(spaces):
    import torch

    first, last = torch.nn.Linear(4, 8), torch.nn.Linear(8, 2)
    return torch.nn.Sequential(first, torch.nn.BatchNorm1d(8), torch.nn.Dropout(), last)


def test_networks_of_ones_own_have_to_be_given_again(tmp_path):
    from runs import OPTIONS, REPLAY

    from whygrad.rl.resuming import CannotResume

    run = train(DQN(**REPLAY), "CartPole-v1", networks={"q": with_modes}, root=tmp_path, **{**OPTIONS, "steps": 64})
    with pytest.raises(CannotResume, match=r"Networks of your own have to be given again"):
        resume(run.path, quiet=True)
    with pytest.raises(ValueError, match=r"the network .q. cannot be called with"):
        resume(run.path, networks={"q": lambda spaces: with_modes(CHOICES)}, quiet=True)


@pytest.mark.skipif(TORCH, reason="there it is welcome")
def test_a_torch_module_belongs_on_pytorch():
    pytest.importorskip("torch")
    with pytest.raises(ValueError, match=r"is a torch.nn.Module and Keras runs on \w+ here: set KERAS_BACKEND=torch"):
        build(AGENT, CHOICES, {"q": torch_module()})
