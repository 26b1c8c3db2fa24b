"""Watching Keras on JAX: numbers against float64, events at the right update, and an optimizer that stays as it was."""

from __future__ import annotations

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

os.environ["KERAS_BACKEND"] = "jax"
keras = pytest.importorskip("keras")
if keras.config.backend() != "jax":
    pytest.skip("Keras was loaded with another backend", allow_module_level=True)

from whygrad.live import buckets, detecting
from whygrad.live.looks import INDEX
from whygrad.live.reading import Reading
from whygrad.live.watching import watch

X = np.random.default_rng(1).normal(size=(32, 4)).astype("f")
Y = np.ones((32, 1), "f")
NAMES = ["hidden/kernel", "hidden/bias", "out/kernel", "out/bias"]


def make(kind=keras.optimizers.SGD, dtype=None, **options):
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Dense(8, "tanh", name="hidden", dtype=dtype), keras.layers.Dense(1, name="out")]
    net = keras.Sequential([keras.Input((4,)), *layers], name="net")
    net.compile(kind(0.01, **options) if isinstance(kind, type) else kind, "mse")
    return net


def fit(net, epochs=5, y=Y):
    net.fit(X, y, batch_size=8, epochs=epochs, verbose=0, shuffle=False)
    return weights(net)


def weights(net):
    return [np.array(v.value) for v in net.trainable_variables]


def by_hand(net, steps, spoil=lambda number, gradients: gradients):
    """The loop of Keras' own guide: a compiled step of lists, which are put back at the end."""
    net.optimizer.build(net.trainable_variables)

    def loss(trained, rest):
        outputs, _ = net.stateless_call(trained, rest, X)
        return jnp.mean((outputs - Y) ** 2)

    @jax.jit
    def step(number, trained, rest, state):
        gradients = spoil(number, jax.grad(loss)(trained, rest))
        return gradients, *net.optimizer.stateless_apply(state, gradients, trained)

    trained, rest = ([v.value for v in held] for held in (net.trainable_variables, net.non_trainable_variables))
    state = [v.value for v in net.optimizer.variables]
    seen, held = [], [[np.array(w) for w in trained]]
    for number in range(steps):
        gradients, trained, state = step(number, trained, rest, state)
        seen.append([np.array(g) for g in gradients])
        held.append([np.array(w) for w in trained])
    for variable, value in zip(net.optimizer.variables, state, strict=True):
        variable.assign(value)
    return seen, held, step


def test_numbers_equal_a_reference_in_float64(tmp_path):
    net = make(global_clipnorm=0.1)
    with watch(net, run=tmp_path, every=1):
        gradients, held, step = by_hand(net, 12)
    assert step._cache_size() == 1  # our part of the state has one form from the beginning
    reading = Reading(tmp_path)
    (group,) = reading.groups()
    assert ([v.name for v in group.variables], group.name) == (NAMES, "SGD")
    assert (group.updates, group.looks) == (12, 12)
    looks = reading.looks(group.id)
    assert len(looks) == 12
    for at, one in enumerate(looks):
        total = np.sqrt(sum(np.square(np.float64(g)).sum() for g in gradients[at]))
        for row, gradient, before, after in zip(one.rows, gradients[at], held[at], held[at + 1], strict=True):
            exact, length = np.float64(gradient), np.linalg.norm(np.float64(before))
            expected = {
                "present": 1,
                "norm": np.linalg.norm(exact),
                "applied": np.linalg.norm(exact) * min(1.0, 0.1 / total),
                "mean": exact.mean(),
                "largest": abs(exact).max(),
                "weights": length,
            }
            for name, value in expected.items():
                np.testing.assert_allclose(row[INDEX[name]], value, rtol=2e-6, atol=1e-8, err_msg=name)
            if length:
                moved = np.linalg.norm(np.float64(after) - before) / length
                np.testing.assert_allclose(row[INDEX["ratio"]], moved, rtol=1e-4)
    counts = sum(one.counts for one in reading.spreads(group.id))
    assert (counts == sum(np.stack([buckets.count(g) for g in one]) for one in gradients)).all()


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize("every", [1, None])
def test_fit_learns_the_same_and_nothing_is_left_behind(tmp_path, every):
    plain = make(keras.optimizers.Adam, global_clipnorm=0.1)
    expected = fit(plain)
    net = make(keras.optimizers.Adam, global_clipnorm=0.1)
    with watch(net, run=tmp_path, every=every):
        watched = fit(net)
        net.train_on_batch(X[:8], Y[:8])
        net.save(tmp_path / "net.keras")
        net.load_weights(tmp_path / "net.keras")
    for one, other in zip(expected, watched, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)  # the last bit is XLA's
    methods = {"apply", "build", "stateless_apply", "_clip_gradients", "save_own_variables", "load_own_variables"}
    assert not methods & set(vars(net.optimizer))
    assert Reading(tmp_path).groups()[0].updates == 21
    again = keras.models.load_model(tmp_path / "net.keras")
    assert len(again.optimizer.variables) == len(plain.optimizer.variables)
    assert int(again.optimizer.iterations.value) == 21
    fit(net, 1)
    assert int(net.optimizer.iterations.value) == 25
    assert Reading(tmp_path).groups()[0].updates == 21


def test_an_optimizer_that_has_trained_before_goes_on_from_where_it_was(tmp_path):
    plain, net = make(keras.optimizers.Adam), make(keras.optimizers.Adam)
    fit(plain, 2)
    fit(net, 1)
    with watch(net, run=tmp_path, every=1):
        fit(net, 1)
    for one, other in zip(weights(plain), weights(net), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)
    assert Reading(tmp_path).groups()[0].looks == 4


def test_steps_that_are_not_compiled(tmp_path):
    net = make(global_clipnorm=1e-2)
    net.compile(net.optimizer, "mse", run_eagerly=True)
    with watch(net, run=tmp_path, every=1):
        fit(net, 1)
        net.optimizer.apply([jnp.ones(v.shape) for v in net.trainable_variables], net.trainable_variables)
    (group,) = Reading(tmp_path).groups()
    assert (group.updates, group.looks) == (5, 5)
    for one in Reading(tmp_path).looks(group.id):
        assert np.linalg.norm(one.rows[:, INDEX["applied"]]) == pytest.approx(1e-2, rel=1e-3)


def test_a_scaled_loss(tmp_path):
    """Of float16 the gradients are those that the step is made of, not those of the scaled loss."""
    plain = make(keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01)), "mixed_float16")
    expected = fit(plain)
    net = make(keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01)), "mixed_float16")
    with watch(net, run=tmp_path, every=1):
        watched = fit(net)
    for one, other in zip(expected, watched, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
    (group,) = Reading(tmp_path).groups()
    last = Reading(tmp_path).looks(group.id)[-1].rows
    assert (group.looks, len(last)) == (20, 4)
    assert last[:, INDEX["norm"]].max() < 10  # the scale is 32768
    assert not {"stateless_apply", "save_own_variables"} & {*vars(net.optimizer), *vars(net.optimizer.inner_optimizer)}


def test_gradients_that_are_gathered_over_batches_and_an_average_of_weights(tmp_path):
    options = {"gradient_accumulation_steps": 2, "use_ema": True}
    expected = fit(make(keras.optimizers.Adam, **options))
    net = make(keras.optimizers.Adam, **options)
    with watch(net, run=tmp_path, every=1):
        watched = fit(net)
    for one, other in zip(expected, watched, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)
    assert Reading(tmp_path).groups()[0].looks == 20


def test_nan_is_told_at_its_update_between_looks(tmp_path):
    net = make()
    with watch(net, run=tmp_path, every=100):
        by_hand(net, 150, lambda at, gradients: [jnp.where(at == 133, jnp.nan, g) for g in gradients])
    assert ((133, "W402")) in {(one.at, one.code) for one in Reading(tmp_path).events()}


def test_a_layer_that_gets_nothing(tmp_path):
    net = make()
    with watch(net, run=tmp_path, every=1):
        by_hand(net, 12, lambda at, gradients: [g * 0 if n < 2 else g for n, g in enumerate(gradients)])
    events = [(e.at, e.code, e.variable) for e in Reading(tmp_path).events()]
    assert events == [(0, "W401", NAMES[0]), (0, "W401", NAMES[1])]


def test_a_target_that_never_moves(tmp_path, monkeypatch):
    monkeypatch.setattr(detecting, "PATIENCE", 8)
    net = make()
    with watch({"critic": net}, net.optimizer, run=tmp_path, every=1, targets={"old": make()}) as watching:
        for _ in range(6):
            fit(net, 1)
            watching.flush()
    assert [(e.code, e.variable) for e in Reading(tmp_path).events()] == [("W503", "old")]
    assert [v.name for v in Reading(tmp_path).groups()[0].variables] == [f"critic/{name}" for name in NAMES]


def test_gradients_that_a_program_leaves_out_are_no_update_of_all(tmp_path):
    net = make()
    with watch(net, run=tmp_path, every=1):
        first = net.trainable_variables[:2]
        net.optimizer.build(net.trainable_variables)
        net.optimizer.apply([jnp.ones(v.shape) for v in first], first)
        fit(net, 1)
    assert Reading(tmp_path).groups()[0].updates == 4


SCRIPT = """
import os
os.environ["KERAS_BACKEND"] = "jax"
import keras, numpy as np
from whygrad.live.script_watch import ScriptWatch
from whygrad.trace.session import Session

watch = ScriptWatch(Session(), "script")
keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, name="out")], name="net")
inner = keras.optimizers.Adam(0.01)
net.compile(keras.optimizers.LossScaleOptimizer(inner) if {scaled} else inner, "mse")
net.fit(np.ones((32, 4), "f"), np.ones((32, 1), "f"), batch_size=8, epochs=2, verbose=0)
watch.close()
assert len(inner.variables) == 6, inner.variables
"""


@pytest.mark.parametrize("scaled", [False, True])
def test_a_script_that_knows_nothing_of_it(tmp_path, scaled):
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT.replace("{scaled}", str(scaled))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (group,) = Reading(tmp_path / "runs" / "script-1").groups()
    assert (group.name, group.updates) == ("Adam", 8)
    assert [(v.name, v.network) for v in group.variables] == [("net/out/kernel", "net"), ("net/out/bias", "net")]
