"""Watching Keras on PyTorch: numbers against float64, events at the right update, and a training that is the same."""

from __future__ import annotations

import os

import numpy as np
import pytest
import torch

os.environ["KERAS_BACKEND"] = "torch"
keras = pytest.importorskip("keras")
if keras.config.backend() != "torch":
    pytest.skip("Keras was loaded with another backend", allow_module_level=True)

from whygrad.live import buckets, detecting
from whygrad.live.looks import INDEX
from whygrad.live.reading import Reading
from whygrad.live.script_watch import ScriptWatch
from whygrad.live.watching import watch
from whygrad.trace.session import Session

X = np.random.default_rng(1).normal(size=(32, 4)).astype("f")
Y = np.ones((32, 1), "f")
NAMES = ["hidden/kernel", "hidden/bias", "out/kernel", "out/bias"]


def make(kind=keras.optimizers.SGD, **options):
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Dense(8, "tanh", name="hidden"), keras.layers.Dense(1, name="out")]
    net = keras.Sequential([keras.Input((4,)), *layers], name="net")
    net.compile(kind(0.01, **options), "mse")
    return net


def fit(net, epochs=5):
    net.fit(X, Y, batch_size=8, epochs=epochs, verbose=0, shuffle=False)
    return weights(net)


def weights(net):
    return [v.value.detach().numpy().copy() for v in net.trainable_variables]


def step(net, change=lambda gradients: gradients):
    """One update by hand; gradients, as they were given to the optimizer."""
    net.zero_grad()
    loss = torch.mean(torch.square(net(torch.tensor(X)) - torch.tensor(Y)))
    loss.backward()
    given = change([v.value.grad for v in net.trainable_variables])
    with torch.no_grad():
        net.optimizer.apply(given, net.trainable_variables)
    return [None if g is None else g.numpy().copy() for g in given]


def test_numbers_equal_a_reference_in_float64(tmp_path):
    net = make()
    gradients, held = [], [weights(net)]
    with watch(net, run=tmp_path, every=1):
        for _ in range(12):
            gradients.append(step(net))
            held.append(weights(net))
    reading = Reading(tmp_path)
    (group,) = reading.groups()
    assert ([v.name for v in group.variables], group.name) == (NAMES, "SGD")
    assert (group.updates, group.looks) == (12, 12)
    for at, one in enumerate(reading.looks(group.id)):
        for row, gradient, before, after in zip(one.rows, gradients[at], held[at], held[at + 1], strict=True):
            exact, length = np.float64(gradient), np.linalg.norm(np.float64(before))
            expected = {
                "present": 1,
                "norm": np.linalg.norm(exact),
                "applied": np.linalg.norm(exact),
                "mean": exact.mean(),
                "largest": abs(exact).max(),
                "weights": length,
            }
            if length:
                expected["ratio"] = np.linalg.norm(np.float64(after) - before) / length
            for name, value in expected.items():
                np.testing.assert_allclose(row[INDEX[name]], value, rtol=1e-6, atol=1e-9, err_msg=name)
    counts = sum(one.counts for one in reading.spreads(group.id))
    assert (counts == sum(np.stack([buckets.count(g) for g in one]) for one in gradients)).all()


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize("every", [1, None])
def test_fit_is_the_same_bit_for_bit_and_nothing_is_left_behind(tmp_path, every):
    plain = fit(make(keras.optimizers.Adam, global_clipnorm=0.1))
    net = make(keras.optimizers.Adam, global_clipnorm=0.1)
    with watch(net, run=tmp_path, every=every):
        watched = fit(net)
        net.save(tmp_path / "net.keras")
    for one, other in zip(plain, watched, strict=True):
        assert (one == other).all()
    assert not {"apply", "_clip_gradients"} & set(vars(net.optimizer))
    assert Reading(tmp_path).groups()[0].updates == 20
    again = keras.models.load_model(tmp_path / "net.keras")
    assert len(again.optimizer.variables) == len(net.optimizer.variables)


def test_norms_before_and_after_clipping(tmp_path):
    net = make(global_clipnorm=1e-2)
    with watch(net, run=tmp_path, every=1):
        fit(net)
    for one in Reading(tmp_path).looks(1):
        assert np.linalg.norm(one.rows[:, INDEX["applied"]]) == pytest.approx(1e-2, rel=1e-3)
        assert np.linalg.norm(one.rows[:, INDEX["norm"]]) > 0.02


def test_a_program_that_clips_by_itself(tmp_path):
    net = make()
    with watch(net, run=tmp_path, every=1):
        for _ in range(3):
            step(net, lambda gradients: [g * 1e-3 for g in gradients])
    for one in Reading(tmp_path).looks(1):
        assert one.rows[:, INDEX["applied"]] == pytest.approx(1e-3 * one.rows[:, INDEX["norm"]], rel=1e-4)


def test_nan_is_told_at_its_update_between_looks(tmp_path):
    net = make()
    with watch(net, run=tmp_path, every=100):
        for number in range(150):
            step(net, lambda gradients, at=number: [g * (float("nan") if at == 133 else 1.0) for g in gradients])
    events = Reading(tmp_path).events()
    assert {(one.at, one.code) for one in events} == {(133, "W402")}


def test_a_missing_gradient(tmp_path):
    net = make()
    with watch(net, run=tmp_path, every=1):
        for _ in range(12):
            with pytest.warns(UserWarning, match="Gradients do not exist"):
                step(net, lambda gradients: [None, *gradients[1:]])
    assert [(e.at, e.code, e.variable) for e in Reading(tmp_path).events()] == [(0, "W105", NAMES[0])]


def test_a_target_that_never_moves(tmp_path, monkeypatch):
    monkeypatch.setattr(detecting, "PATIENCE", 50)
    net = make()
    with watch(net, run=tmp_path, every=10, targets={"target": make()}) as watching:
        for _ in range(6):
            fit(net)
            watching.flush()
    assert [(e.code, e.variable) for e in Reading(tmp_path).events()] == [("W503", "target")]


def test_a_scaled_loss_is_told_unscaled(tmp_path):
    net = make()
    net.compile(keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=1024.0), "mse")
    with watch(net, run=tmp_path, every=1):
        fit(net, epochs=1)
    plain = make()
    with watch(plain, run=tmp_path / "plain", every=1):
        fit(plain, epochs=1)
    expected = Reading(tmp_path / "plain").looks(1)
    for one, other in zip(Reading(tmp_path).looks(1), expected, strict=True):
        np.testing.assert_allclose(
            one.rows[:, INDEX["norm"]], other.rows[:, INDEX["norm"]], rtol=1e-5, err_msg=str(one.first)
        )


def script(program):
    """Run a function as `whygrad run --watch` does a script; what its run holds, and what was said."""
    session = Session(whole_script=True)
    watching = ScriptWatch(session, "train", every=1)
    try:
        program()
    finally:
        watching.close()
    return Reading(watching.run.path), session.notes


@pytest.mark.parametrize("options", [{}, {"clipnorm": 0.01}])
def test_a_script_with_fit(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    plain, found = fit(make(**options)), []
    reading, notes = script(lambda: found.extend(fit(make(**options))))
    assert all((a == b).all() for a, b in zip(plain, found, strict=True))
    (group,) = reading.groups()
    assert (group.name, group.updates, group.looks) == ("SGD of net", 20, 20)
    assert [v.name for v in group.variables][:2] == ["net.hidden.kernel", "net.hidden.bias"]
    last = reading.looks(group.id)[-1].rows
    assert (last[:, INDEX["applied"]] < last[:, INDEX["norm"]]).all() == bool(options)
    assert notes == []


def test_a_script_with_steps_by_hand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def program():
        class Agent:
            critic = make()

        agent = Agent()
        for number in range(30):
            step(agent.critic, lambda given, bad=number == 21: [g * float("nan") if bad else g for g in given])
            if number == 21:
                for variable in agent.critic.trainable_variables:
                    variable.assign(torch.full(tuple(variable.shape), 0.1))

    reading, _ = script(program)
    (group,) = reading.groups()
    assert group.updates == 30
    assert [(e.at, e.code) for e in reading.events()] == [(21, "W402")]


def test_a_script_that_scales_its_loss(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def program():
        net = make()
        net.compile(keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01)), "mse")
        fit(net)

    reading, _ = script(program)
    plain, _ = script(lambda: fit(make()))
    (group,) = reading.groups()
    assert (group.name, group.updates) == ("SGD of net", 20)
    ours, theirs = (one.looks(1)[0].rows[:, INDEX["norm"]] for one in (reading, plain))
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_keras_is_as_before_when_it_is_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    base = keras.src.optimizers.base_optimizer.BaseOptimizer
    before, nets = base.apply, []
    script(lambda: (nets.append(make()), fit(nets[0])))
    assert base.apply is before
    assert not {"apply", "_clip_gradients"} & vars(nets[0].optimizer).keys()
