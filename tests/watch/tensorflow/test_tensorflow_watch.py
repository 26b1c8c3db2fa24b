"""Watching TensorFlow: numbers against float64, events at the right update, and a training that is the same."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
np = pytest.importorskip("numpy")
tf = pytest.importorskip("tensorflow")
keras = pytest.importorskip("keras")

from whygrad.live import buckets
from whygrad.live.looks import INDEX
from whygrad.live.reading import Reading
from whygrad.live.tensorflow_pass import GraphPass
from whygrad.live.watching import watch

X = tf.constant(np.random.default_rng(1).normal(size=(32, 4)).astype("f"))
Y = tf.ones((32, 1))
MODES = ("eager", "graph", "xla")


def make(kind=keras.optimizers.SGD, **options):
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Dense(8, "tanh", name="hidden"), keras.layers.Dense(1, name="out")]
    net = keras.Sequential([keras.Input((4,)), *layers], name="net")
    return net, kind(0.01, **options)


def stepper(net, optimizer, mode="graph", loss=None, spoil=None):
    """A training step; `spoil(number, gradients)` changes gradients."""
    variables = net.trainable_variables

    def step(number):
        with tf.GradientTape() as tape:
            value = tf.reduce_mean(tf.square(net(X) - Y)) if loss is None else loss(net)
        gradients = tape.gradient(value, variables)
        if spoil is not None:
            gradients = spoil(number, gradients)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return gradients

    return step if mode == "eager" else tf.function(step, jit_compile=mode == "xla")


def train(step, updates, first=0):
    return [step(tf.constant(first + number)) for number in range(updates)]


def weights(net):
    return [v.numpy().copy() for v in net.trainable_variables]


@pytest.mark.parametrize("mode", MODES)
def test_numbers_equal_a_reference_in_float64(tmp_path, mode):
    net, optimizer = make()
    with watch(net, optimizer, run=tmp_path, every=1):
        step = stepper(net, optimizer, mode)
        gradients, held = [], [weights(net)]
        for number in range(12):
            gradients.append([g.numpy() for g in step(tf.constant(number))])
            held.append(weights(net))
    reading = Reading(tmp_path)
    (group,) = reading.groups()
    assert [v.name for v in group.variables] == ["hidden/kernel", "hidden/bias", "out/kernel", "out/bias"]
    assert (group.updates, group.looks) == (12, 12)
    looks = reading.looks(group.id)
    assert [one.first for one in looks] == list(range(12))
    for at, one in enumerate(looks):
        for row, gradient, before, after in zip(one.rows, gradients[at], held[at], held[at + 1], strict=True):
            check(row, gradient, before, after)
    counts = sum(one.counts for one in reading.spreads(group.id))
    expected = sum(np.stack([buckets.count(g) for g in one]) for one in gradients)
    assert (counts == expected).all()


def check(row, gradient, before=None, after=None):
    gradient = np.float64(gradient)
    expected = {
        "present": 1,
        "norm": np.linalg.norm(gradient),
        "peak": np.linalg.norm(gradient),
        "applied": np.linalg.norm(gradient),
        "largest": abs(gradient).max(),
        "zeros": (gradient == 0).mean(),
        "nans": np.isnan(gradient).sum(),
        "infs": np.isinf(gradient).sum(),
    }
    if before is not None:
        expected["weights"] = length = np.linalg.norm(np.float64(before))
        if length:
            expected["ratio"] = np.linalg.norm(np.float64(after) - before) / length
    for name, value in expected.items():
        np.testing.assert_allclose(row[INDEX[name]], value, rtol=1e-6, atol=1e-12, err_msg=name)
    # Where numbers cancel, what is lost is little beside the numbers, not beside their mean.
    size = abs(gradient).mean() if np.isfinite(gradient).all() else 0.0
    np.testing.assert_allclose(row[INDEX["mean"]], gradient.mean(), rtol=1e-6, atol=1e-8 * size)


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_the_pass_equals_float64_for_odd_shapes_and_numbers(jit, kind):
    from whygrad.live.ring_reading import filled

    rng = np.random.default_rng(0)
    arrays = [
        rng.normal(size=(300, 301)).astype(kind),  # large: a table of its own
        np.zeros((0, 3), kind),
        rng.normal(size=7).astype(kind) * 1e-25,  # whose squares vanish in float32
        np.array([[np.nan, 1, np.inf, -np.inf, 0, -0.0]], kind),
        (rng.normal(size=(130, 130)) * 1e25).astype(kind),
        np.array(-3.0, kind),
        np.zeros(65, kind),
        (rng.normal(size=(70_000,)) * 1e-25).astype(kind),
    ]
    given = [tf.Variable(array) for array in arrays]
    look = GraphPass(given)

    @tf.function(jit_compile=jit)
    def run():
        held = look.packed(given)
        return look.look([v.read_value() for v in given], None, held, held)

    rows, counts = run()
    rows = filled(rows.numpy(), np.array([a.size for a in arrays], float))
    for row, array, count in zip(rows, arrays, counts.numpy(), strict=True):
        if array.size:
            with np.errstate(invalid="ignore"):
                check(row, array)
            assert (count == buckets.count(array)).all()
        else:
            assert row[INDEX["present"]] == 1
            assert np.isnan(row[INDEX["norm"]])
            assert count.sum() == 0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("every", [1, None])
def test_training_is_the_same_bit_for_bit(tmp_path, mode, every):
    plain = make(keras.optimizers.Adam, global_clipnorm=0.1)
    train(stepper(*plain, mode), 40)
    watched = make(keras.optimizers.Adam, global_clipnorm=0.1)
    with watch(*watched, run=tmp_path, every=every):
        train(stepper(*watched, mode), 40)
    for one, other in zip(weights(plain[0]), weights(watched[0]), strict=True):
        assert (one == other).all()
    assert len(plain[1].variables) == len(watched[1].variables)


@pytest.mark.parametrize("jit", [False, True, "auto"])
def test_fit(tmp_path, jit):
    def fitted(run=None):
        net, optimizer = make(keras.optimizers.Adam)
        net.compile(optimizer, "mse", jit_compile=jit)
        watching = watch(net, run=run, every=1) if run else None
        net.fit(X, Y, batch_size=8, epochs=5, verbose=0, shuffle=False)
        if watching is not None:
            watching.close()
        return weights(net)

    for one, other in zip(fitted(), fitted(tmp_path), strict=True):
        assert (one == other).all()
    (group,) = Reading(tmp_path).groups()
    assert (group.name, group.updates, group.looks) == ("Adam", 20, 20)


@pytest.mark.parametrize("mode", MODES)
def test_nan_is_told_at_its_update(tmp_path, mode):
    net, optimizer = make()

    def spoil(number, gradients):
        factor = tf.where(number == 13, tf.constant(np.nan), 1.0)
        return [gradients[0] * factor, *gradients[1:]]

    with watch(net, optimizer, run=tmp_path, every=1) as watching:
        train(stepper(net, optimizer, mode, spoil=spoil), 20)
        watching.flush()
        first = watching.events[0]
    assert (first.at, first.code, first.variable) == (13, "W402", "hidden/kernel")
    assert "NaN" in first.text


def test_nan_is_told_at_its_update_between_looks(tmp_path):
    net, optimizer = make()

    def spoil(number, gradients):
        return [g * tf.where(number == 333, tf.constant(np.nan), 1.0) for g in gradients]

    with watch(net, optimizer, run=tmp_path, every=100):
        train(stepper(net, optimizer, spoil=spoil), 350)
    reading = Reading(tmp_path)
    assert [one.first for one in reading.looks(1)] == [0, 100, 200, 300, 333]
    assert [(one.at, one.code) for one in reading.events()] == [(333, "W402")]


@pytest.mark.parametrize("mode", MODES)
def test_a_layer_that_dies(tmp_path, mode):
    net, optimizer = make()

    def spoil(number, gradients):
        alive = tf.cast(number < 7, tf.float32)
        return [gradients[0] * alive, gradients[1] * alive, *gradients[2:]]

    with watch(net, optimizer, run=tmp_path, every=1):
        train(stepper(net, optimizer, mode, spoil=spoil), 30)
    events = Reading(tmp_path).events()
    assert [(e.at, e.code, e.variable) for e in events] == [(7, "W401", "hidden/kernel"), (7, "W401", "hidden/bias")]


@pytest.mark.filterwarnings("ignore:Gradients do not exist")
@pytest.mark.parametrize("mode", MODES)
def test_a_missing_gradient(tmp_path, mode):
    net, optimizer = make()

    def loss(net):
        return tf.reduce_mean(tf.square(net.layers[1](tf.stop_gradient(net.layers[0](X))) - Y))

    with watch(net, optimizer, run=tmp_path, every=1):
        train(stepper(net, optimizer, mode, loss=loss), 20)
    events = Reading(tmp_path).events()
    assert [(e.at, e.code, e.variable) for e in events] == [(0, "W105", "hidden/kernel"), (0, "W105", "hidden/bias")]
    one = Reading(tmp_path).looks(1)[-1].rows
    assert one[:, INDEX["present"]].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("mode", "clip"),
    [
        ("eager", {"global_clipnorm": 1e-6}),
        ("graph", {"clipnorm": 1e-6}),
        ("graph", {"clipvalue": 1e-8}),
        ("xla", {"global_clipnorm": 1e-6}),
    ],
)
def test_a_clip_that_takes_nearly_everything(tmp_path, mode, clip):
    net, optimizer = make(**clip)
    with watch(net, optimizer, run=tmp_path, every=1):
        train(stepper(net, optimizer, mode), 20)
    events = Reading(tmp_path).events()
    assert [(e.at, e.code) for e in events] == [(0, "W405")]
    one = Reading(tmp_path).looks(1)[-1].rows
    assert np.linalg.norm(one[:, INDEX["norm"]]) > 0.01
    if "global_clipnorm" in clip:
        assert np.linalg.norm(one[:, INDEX["applied"]]) == pytest.approx(1e-6, rel=1e-4)


def test_a_target_that_never_moves(tmp_path, monkeypatch):
    monkeypatch.setattr("whygrad.live.detecting.PATIENCE", 2_000)
    (net, optimizer), (still, _), (follows, _) = make(), make(), make()
    with watch(net, optimizer, run=tmp_path, targets={"still": still, "follows": follows}) as watching:
        step = stepper(net, optimizer)
        for _ in range(5):
            train(step, 600)
            follows.set_weights(net.get_weights())
            watching.flush()
    events = [e for e in Reading(tmp_path).events() if e.kind == "standing-target"]
    assert [(e.code, e.variable) for e in events] == [("W503", "still")]


def test_sparse_gradients_are_filled_up(tmp_path):
    keras.utils.set_random_seed(0)
    net = keras.Sequential([keras.Input((3,), dtype="int32"), keras.layers.Embedding(50, 4, name="words")])
    words = tf.constant([[1, 2, 2], [4, 1, 7]])
    optimizer = keras.optimizers.Adam(0.01)
    with watch(net, optimizer, run=tmp_path, every=1):

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                value = tf.reduce_sum(tf.square(net(words)))
            (gradient,) = tape.gradient(value, net.trainable_variables)
            assert isinstance(gradient, tf.IndexedSlices)
            optimizer.apply_gradients([(gradient, net.trainable_variables[0])])
            return tf.convert_to_tensor(gradient)

        dense = step().numpy()
    check(Reading(tmp_path).looks(1)[0].rows[0], dense)
    assert (dense == 0).mean() == 46 / 50


def test_by_itself_it_keeps_its_budget_and_says_what_it_saw(tmp_path, monkeypatch):
    # A look that takes a second is dearer than a hundred updates, however slow the machine is.
    monkeypatch.setattr("whygrad.live.tensorflow_watch.dearer", lambda look, nothing: 1.0)
    net, optimizer = make(keras.optimizers.Adam)
    with watch(net, optimizer, run=tmp_path) as watching:
        step = stepper(net, optimizer)
        for _ in range(3):
            train(step, 50)
            watching.flush()
        (group,) = Reading(tmp_path).groups()
        assert group.updates == 150
    looks = Reading(tmp_path).looks(1)
    assert [one.first for one in looks][:8] == list(range(8))
    assert group.looks == sum(one.count for one in looks) <= 100
    assert group.every > 50


def test_more_looks_than_the_ring_holds_are_not_made_up(tmp_path, monkeypatch):
    monkeypatch.setattr("whygrad.live.tensorflow_watch.rows_for", lambda variables: 16)
    net, optimizer = make()
    with watch(net, optimizer, run=tmp_path, every=1) as watching:
        step = stepper(net, optimizer)

        @tf.function
        def many():
            for number in tf.range(10_000):
                step(number)

        many()
        watching.flush()
    (group,) = Reading(tmp_path).groups()
    looks = Reading(tmp_path).looks(1)
    assert group.updates == 10_000
    assert group.looks == sum(one.count for one in looks) < 10_000
    assert looks[-1].last == 9_999
    spreads = Reading(tmp_path).spreads(1)
    assert sum(one.count for one in spreads) == 10_000
    assert sum(one.counts.sum() for one in spreads) == 10_000 * sum(v.size for v in weights(net))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_saving_knows_nothing_of_it(tmp_path):
    net, optimizer = make(keras.optimizers.Adam)
    net.compile(optimizer, "mse")
    with watch(net, run=tmp_path / "run", every=1):
        net.fit(X, Y, epochs=2, verbose=0)
        net.save(tmp_path / "net.keras")
        net.export(tmp_path / "exported", verbose=False)
        tf.saved_model.save(net, str(tmp_path / "saved"))
    again = keras.models.load_model(tmp_path / "net.keras")
    assert np.allclose(again.predict(X, verbose=0), net.predict(X, verbose=0))
    assert len(again.optimizer.variables) == len(optimizer.variables)
    again.fit(X, Y, verbose=0)
    assert not [name for name in vars(optimizer) if name in ("apply", "_clip_gradients")]
    net.fit(X, Y, epochs=2, verbose=0)


def test_two_optimizers_share_a_run_and_closing_twice_is_no_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (actor, one), (critic, other) = make(), make(keras.optimizers.Adam)
    first = watch({"actor": actor}, one, every=1)
    second = watch({"critic": critic}, other, every=1, name="critic")
    assert first.path == second.path
    train(stepper(actor, one), 3)
    train(stepper(critic, other), 4)
    for _ in range(2):
        first.close()
        second.close()
    groups = Reading(first.path).groups()
    assert [(g.name, g.updates, g.looks) for g in groups] == [("SGD", 3, 3), ("critic", 4, 4)]
    assert groups[0].variables[0].name == "actor/hidden/kernel"
    assert groups[0].variables[0].network == "actor"


def test_keras_2(tmp_path):
    tf_keras = pytest.importorskip("tf_keras")
    tf_keras.utils.set_random_seed(0)
    net = tf_keras.Sequential([tf_keras.Input((4,)), tf_keras.layers.Dense(1)])
    optimizer = tf_keras.optimizers.Adam(0.01, global_clipnorm=1e-3)
    net.compile(optimizer, "mse")
    with watch(net, run=tmp_path, every=1):
        net.fit(X, Y, epochs=3, verbose=0)
    (group,) = Reading(tmp_path).groups()
    assert (group.updates, group.looks) == (3, 3)
    one = Reading(tmp_path).looks(1)[0].rows
    assert np.linalg.norm(one[:, INDEX["applied"]]) == pytest.approx(1e-3, rel=1e-3)
    assert np.linalg.norm(one[:, INDEX["norm"]]) > 0.1


def test_mixed_precision_is_seen_unscaled(tmp_path):
    net, optimizer = make()
    scaled = keras.optimizers.LossScaleOptimizer(optimizer, initial_scale=1024.0)
    with watch(net, scaled, run=tmp_path, every=1):

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                value = tf.reduce_mean(tf.square(net(X) - Y))
                large = scaled.scale_loss(value)
            gradients = tape.gradient(large, net.trainable_variables)
            scaled.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
            return gradients[0] / 1024.0

        gradient = step().numpy()
    check(Reading(tmp_path).looks(1)[0].rows[0], gradient)


PROGRAM = """
    import os, signal, sys
    import numpy as np, tensorflow as tf, keras
    from whygrad.live.watching import watch

    net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.01)
    watching = watch(net, optimizer, run=sys.argv[1], every=1)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            value = tf.reduce_mean(tf.square(net(tf.ones((8, 4)))))
        variables = net.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(value, variables), variables))

    for _ in range(300):
        step()
    if sys.argv[2] == "killed":
        watching.flush()
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("end", ["ended", "killed"])
def test_a_program_that_ends_without_closing_loses_nothing(tmp_path, end):
    program = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path), end]
    found = subprocess.run(program, capture_output=True, text=True, timeout=120)
    assert found.returncode == (0 if end == "ended" else -9), found.stderr
    (group,) = Reading(tmp_path).groups()
    assert (group.updates, group.looks) == (300, 300)


def test_what_cannot_be_watched_is_said(tmp_path):
    with pytest.raises(TypeError, match="got no optimizer with int"):
        watch(3, run=tmp_path)
    with pytest.raises(TypeError, match=r"got builtins\.str with Sequential"):
        watch(make()[0], "adam", run=tmp_path)
