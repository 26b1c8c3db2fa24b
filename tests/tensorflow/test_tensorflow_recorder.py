"""The TensorFlow recorder: what ends up in a recording."""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
np = pytest.importorskip("numpy")
tf = pytest.importorskip("tensorflow")

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording
from whygrad.trace import tensorflow_recorder
from whygrad.trace.session import EnoughUpdates, Session

keras = tf.keras


class Run:
    """A session with one recorder, finished once."""

    def __init__(self, **options: Any) -> None:
        self.session = Session(**({"ring": 0} | options))
        self.recorder = tensorflow_recorder.start(self.session)
        self.recording: Recording | None = None

    def finish(self) -> Recording:
        if self.recording is None:
            self.recording = self.recorder.finish()
        return self.recording


@pytest.fixture
def run() -> Iterator[Run]:
    run = Run()
    yield run
    run.finish()
    assert run.session.notes == []


def named(recording: Recording, name: str) -> list[Op]:
    return [op for op in recording.ops.values() if op.name == name]


def wanted(recording: Recording, backward: Backward) -> list[str]:
    return [recording.variables[v].name for v in backward.wanted]


def cut_ops(recording: Recording, backward: Backward) -> list[Op]:
    missing = [v for v in backward.wanted if v not in backward.got]
    assert backward.loss is not None
    part = reach.backward_slice(recording, backward.loss, reach.producers(recording), backward.at)
    return [cut.op for cut in reach.cuts(recording, part, missing, backward.tape)]


def line_of(recording: Recording, stack: int) -> str:
    site = recording.stacks[stack][0]
    with open(site.file) as source:
        return source.readlines()[site.line - 1].strip()


def agrees(recording: Recording, backward: Backward) -> bool:
    """Whether the recording's own gradient flow gives what the tape gave."""
    assert backward.loss is not None
    part = reach.backward_slice(recording, backward.loss, reach.producers(recording), backward.at)
    reached = reach.gradient_reach(recording, part, backward.tape)
    return {v for v in backward.wanted if v in {recording.values[n].variable for n in reached}} == set(backward.got)


def dense() -> Any:
    return keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(2)])


def cut_by(run: Run, between: Callable[[Any], Any]) -> tuple[Recording, Op]:
    """One step whose only way from the variable to the loss goes through `between`."""
    w = tf.Variable([0.3, 0.7])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.cast(between(w * 2.0), tf.float32) * 3.0)
    assert tape.gradient(loss, [w]) == [None]
    recording = run.finish()
    [backward] = recording.backwards
    assert agrees(recording, backward)
    [op] = cut_ops(recording, backward)
    return recording, op


@pytest.mark.parametrize(
    ("between", "name", "kind"),
    [
        (lambda x: tf.stop_gradient(x), "stop_gradient", "stop"),
        (lambda x: tf.argmax(x), "argmax", "discrete"),
        (lambda x: x > 0.5, "greater", "discrete"),
        (lambda x: tf.cast(x, tf.int32), "cast", "discrete"),
        (lambda x: tf.round(x), "round", "discrete"),
        (lambda x: tf.random.categorical([x], 1), "random.categorical", "discrete"),
        (lambda x: tf.numpy_function(lambda a: a * 2, [x], tf.float32), "numpy_function", "enter"),
        (lambda x: tf.Variable(x), "Variable", "enter"),
    ],
)
def test_each_way_to_cut_is_one_operation_of_its_kind(run: Run, between: Any, name: str, kind: str) -> None:
    recording, op = cut_by(run, between)
    assert (op.name, op.kind) == (name, kind)
    assert "between" in line_of(recording, recording.backwards[0].stack) or op.stack is not None


@pytest.mark.parametrize(
    "way_out",
    [
        lambda x: x.numpy(),
        lambda x: np.asarray(x),
        lambda x: np.array(x),
        lambda x: np.sin(x),
        lambda x: np.mean(x),
        lambda x: np.array([float(x[0]), float(x[1])]),
        lambda x: np.stack([x, x]),
    ],
)
def test_a_numpy_round_trip_is_linked(run: Run, way_out: Any) -> None:
    w = tf.Variable([0.31, 0.77])
    with tf.GradientTape() as tape:
        out = way_out(w * 2.0)
        loss = tf.reduce_sum(tf.constant(out) * 3.0)
    tape.gradient(loss, [w])
    recording = run.finish()
    assert recording.handovers
    assert {op.kind for op in cut_ops(recording, recording.backwards[0])} == {"leave"}


def test_numpy_gives_the_same_things_while_it_is_watched(run: Run) -> None:
    x, s = tf.constant([1.0, 4.0]), tf.constant(4.0)
    seen = [np.sqrt(x), np.sqrt(s), np.mean(x), np.concatenate([x, x]), np.argmax(x), np.array([1.0, 2.0]) * x]
    run.finish()
    plain = [np.sqrt(x), np.sqrt(s), np.mean(x), np.concatenate([x, x]), np.argmax(x), np.array([1.0, 2.0]) * x]
    assert [type(thing) for thing in seen] == [type(thing) for thing in plain]
    assert all(np.array_equal(one, other) for one, other in zip(seen, plain, strict=True))


def test_py_function_is_differentiable_and_its_inside_is_seen(run: Run) -> None:
    w = tf.Variable([0.3, 0.7])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.py_function(lambda x: x * x, [w * 1.0], tf.float32))
    assert tape.gradient(loss, [w])[0] is not None
    recording = run.finish()
    assert agrees(recording, recording.backwards[0])


def test_custom_gradient_is_one_operation_over_arguments_and_variables(run: Run) -> None:
    w, scale = tf.Variable([0.3, 0.7]), tf.Variable(2.0)

    @tf.custom_gradient
    def straight_through(x: Any) -> Any:
        y = tf.round(x) * scale

        def grad(dy: Any, variables: Any = None) -> Any:
            return dy, [tf.reduce_sum(dy)]

        return y, grad

    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(straight_through(w))
    assert all(g is not None for g in tape.gradient(loss, [w, scale]))
    recording = run.finish()
    assert agrees(recording, recording.backwards[0])
    assert named(recording, "straight_through")[0].detail == "custom_gradient"


def test_recompute_grad_carries(run: Run) -> None:
    model = dense()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.recompute_grad(lambda x: model(x))(tf.ones((2, 3))))
    tape.gradient(loss, model.trainable_variables)
    recording = run.finish()
    assert len(recording.backwards[0].got) == 4
    assert agrees(recording, recording.backwards[0])


def test_the_forward_pass_before_the_tape_is_on_no_tape(run: Run) -> None:
    w = tf.Variable([0.3, 0.7])
    early = w * 2.0
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(early)
    assert tape.gradient(loss, w) is None
    recording = run.finish()
    [op] = cut_ops(recording, recording.backwards[0])
    assert op.tapes == () and op.at < recording.tapes[0].opened


def test_a_loss_after_the_tape_comes_after_it_closed(run: Run) -> None:
    w = tf.Variable([0.3, 0.7])
    with tf.GradientTape() as tape:
        out = w * 2.0
    loss = tf.reduce_sum(out)
    tape.gradient(loss, w)
    recording = run.finish()
    closed = recording.tapes[0].closed
    [op] = cut_ops(recording, recording.backwards[0])
    assert closed is not None and op.at > closed


def test_stop_recording_is_a_switch(run: Run) -> None:
    w = tf.Variable([0.3, 0.7])
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            out = w * 2.0
        loss = tf.reduce_sum(out)
    tape.gradient(loss, w)
    recording = run.finish()
    [op] = cut_ops(recording, recording.backwards[0])
    assert op.switch is not None and recording.switches[op.switch].name == "stop_recording"


def test_a_tape_used_twice_says_so(run: Run) -> None:
    w = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        loss = w * w
    tape.gradient(loss, w)
    with pytest.raises(RuntimeError):
        tape.gradient(loss, w)
    recording = run.finish()
    assert [bool(b.error) for b in recording.backwards] == [False, True]
    assert "persistent" in str(recording.backwards[1].error)


def test_reset_begins_another_tape(run: Run) -> None:
    w = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        loss = w * 2.0
        tape.reset()
        loss = loss + w
    tape.gradient(loss, w)
    recording = run.finish()
    assert len(recording.tapes) == 2 and recording.backwards[0].tape == 1


def test_watched_and_unwatched_tensors(run: Run) -> None:
    x, y, w = tf.constant(2.0), tf.constant(3.0), tf.Variable(1.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([x, w])
        loss = x * y * w
    tape.gradient(loss, [x, y, w])
    recording = run.finish()
    [backward] = recording.backwards
    tape_seen = recording.tapes[0]
    assert not tape_seen.watches_variables
    assert len(backward.asked_values) == 2 and backward.got_values == frozenset(backward.asked_values[:1])
    assert set(backward.wanted) <= tape_seen.watched and backward.asked_values[0] in tape_seen.watched


def test_nested_tapes_connect_through_the_inner_gradient(run: Run) -> None:
    w, x = tf.Variable(0.5), tf.constant(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = w * x * x
        slope = inner.gradient(y, x)
        loss = slope**2
    assert outer.gradient(loss, w) is not None
    recording = run.finish()
    assert [b.implicit for b in recording.backwards] == [True, False]
    assert agrees(recording, recording.backwards[1])


def test_zeros_for_the_unconnected_are_not_taken_for_gradients(run: Run) -> None:
    w, unused = tf.Variable(0.5), tf.Variable(0.5)
    with tf.GradientTape() as tape:
        loss = w * w
    tape.gradient(loss, [w, unused], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    recording = run.finish()
    assert recording.backwards[0].got == frozenset(recording.backwards[0].wanted[:1])


def test_several_losses_and_nested_sources(run: Run) -> None:
    a, b = tf.Variable(0.5), tf.Variable(0.5)
    with tf.GradientTape() as tape:
        one, two = a * 2.0, b * 3.0
    tape.gradient([one, two], {"a": a, "rest": [b]})
    recording = run.finish()
    assert len(recording.backwards[0].got) == 2
    assert agrees(recording, recording.backwards[0])


def test_names_are_the_users(run: Run) -> None:
    class Actor(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.hidden = keras.layers.Dense(4)
            self.heads = [keras.layers.Dense(2), keras.layers.Dense(2)]

        def call(self, x: Any) -> Any:
            x = self.hidden(x)
            return self.heads[0](x) + self.heads[1](x)

    actor, critic, log_alpha = Actor(), dense(), tf.Variable(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(actor(tf.ones((2, 3)))) + tf.reduce_sum(critic(tf.ones((2, 3)))) * log_alpha
    tape.gradient(loss, [*actor.trainable_variables, *critic.trainable_variables, log_alpha])
    recording = run.finish()
    names = wanted(recording, recording.backwards[0])
    assert {"actor.hidden.kernel", "actor.heads[1].bias", "log_alpha"} <= set(names)
    assert sum(name.startswith("critic.dense") for name in names) == 4
    kernel = next(v for v in recording.variables.values() if v.name == "actor.hidden.kernel")
    assert (kernel.network, kernel.owner, kernel.registered) == ("actor", "actor.hidden", True)
    assert kernel.created is not None and "keras.layers.Dense(4)" in line_of(recording, kernel.created)


def test_a_layer_in_a_plain_object_is_not_registered(run: Run) -> None:
    class Block:
        def __init__(self) -> None:
            self.up = keras.layers.Dense(3)

    class Tower(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.block = Block()
            self.head = keras.layers.Dense(1)

        def call(self, x: Any) -> Any:
            return self.head(self.block.up(x))

    tower = Tower()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tower(tf.ones((2, 3))))
    tape.gradient(loss, tower.trainable_variables)
    recording = run.finish()
    hidden = {v.name: v for v in recording.variables.values() if not v.registered}
    assert set(hidden) == {"tower.block.up.kernel", "tower.block.up.bias"}
    assert all(v.keeper.endswith("Tower") for v in hidden.values())


def test_frozen_layers_name_the_line(run: Run) -> None:
    model = dense()
    model.layers[0].trainable = False
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(tf.ones((2, 3))))
    tape.gradient(loss, model.weights)
    recording = run.finish()
    frozen = [v for v in recording.variables.values() if not v.trainable]
    assert len(frozen) == 2
    assert all(v.frozen is not None and "trainable = False" in line_of(recording, v.frozen) for v in frozen)


def test_steps_of_a_keras_optimizer(run: Run) -> None:
    model, unused = dense(), tf.Variable(1.0)
    optimizer = keras.optimizers.Adam(0.1)
    variables = [*model.trainable_variables, unused]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(tf.ones((2, 3))))
    with pytest.warns(UserWarning, match="Gradients do not exist") if _keras_3() else _nothing():
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    recording = run.finish()
    [step] = recording.steps
    assert (len(step.applied), len(step.without)) == (4, 1)
    assert recording.optimizers[step.optimizer].holds == step.applied | step.without
    assert {w.variable for w in recording.writes} == step.applied
    assert all(v.parameter for v in recording.variables.values())


def test_an_update_without_any_gradient_keeps_its_error(run: Run) -> None:
    w = tf.Variable(1.0)
    optimizer = keras.optimizers.SGD(0.1)
    with pytest.raises(ValueError, match="No gradients provided"):
        optimizer.apply_gradients([(None, w)])
    recording = run.finish()
    assert "No gradients provided" in str(recording.steps[0].error)


def test_v1_optimizers(run: Run) -> None:
    w = tf.Variable(1.0)
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
    optimizer.minimize(lambda: w * w, var_list=[w])
    recording = run.finish()
    assert len(recording.steps[0].applied) == 1 and len(recording.backwards[0].got) == 1


def test_legacy_keras(run: Run) -> None:
    legacy = pytest.importorskip("tf_keras")
    run.session.imported("tf_keras")
    model = legacy.Sequential([legacy.layers.Dense(3, input_shape=(3,)), legacy.layers.Dense(1)])
    optimizer = legacy.optimizers.Adam(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(tf.ones((2, 3))))
    optimizer.minimize(loss, model.trainable_variables, tape=tape)
    recording = run.finish()
    assert agrees(recording, recording.backwards[0])
    assert len(recording.steps[0].applied) == 4
    assert all(name.startswith("model.dense") for name in wanted(recording, recording.backwards[0]))


def test_loss_function_that_legacy_keras_rewrites_is_shown_as_it_was_written(run: Run) -> None:
    legacy = pytest.importorskip("tf_keras")
    run.session.imported("tf_keras")

    def loss(wanted: Any, given: Any) -> Any:
        return tf.reduce_mean(wanted * tf.sign(given))

    model = legacy.Sequential([legacy.layers.Dense(1, input_shape=(3,))])
    model.compile(loss=loss, optimizer="sgd")
    model.train_on_batch(np.ones((2, 3), "float32"), np.ones((2, 1), "float32"))
    [op] = named(run.finish(), "sign")
    assert "tf.sign(given)" in line_of(run.finish(), op.stack)
    assert run.finish().stacks[op.stack][0].function.endswith("loss")


def test_predict_leaves_at_the_users_line(run: Run) -> None:
    model = dense()
    if not _keras_3():  # Keras 2 cannot predict inside a tape at all
        with pytest.raises(LookupError), tf.GradientTape():
            model.predict(np.ones((2, 3), "float32"), verbose=0)
        assert run.recorder.recording.failures[0].kind == "predict"
        return
    with tf.GradientTape() as tape:
        q = model.predict(np.ones((2, 3), "float32"), verbose=0)
        loss = tf.reduce_sum(tf.constant(q))
    tape.gradient(loss, model.trainable_variables)
    recording = run.finish()
    [op] = cut_ops(recording, recording.backwards[0])
    assert (op.name, op.kind) == ("predict", "leave")
    assert "model.predict" in line_of(recording, op.stack)


def test_fit_is_followed_and_lets_go(run: Run) -> None:
    model = dense()
    model.compile(optimizer="adam", loss="mse")
    x = np.ones((8, 3), "float32")
    model.fit(x, x[:, :2], batch_size=1, epochs=1, verbose=0)
    assert not run.recorder.deep
    recording = run.finish()
    assert len(recording.steps) == 4 and all(len(s.applied) == 4 for s in recording.steps)
    assert all(agrees(recording, b) for b in recording.backwards)


@pytest.mark.parametrize("jit", [False, True])
def test_compiled_functions_are_seen(run: Run, jit: bool) -> None:
    w = tf.Variable([0.3, 0.7])

    @tf.function(jit_compile=jit)
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.stop_gradient(w) * x)
        return tape.gradient(loss, w, unconnected_gradients=tf.UnconnectedGradients.ZERO)

    step(np.array([1.0, 2.0], "float32"))
    recording = run.finish()
    [backward] = recording.backwards
    assert backward.got == frozenset()
    assert [op.name for op in cut_ops(recording, backward)] == ["stop_gradient"]


def test_vectorized_map_still_works(run: Run) -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.vectorized_map(lambda x: x * w, tf.constant([1.0, 2.0])))
    assert tape.gradient(loss, w).numpy() == 3.0
    recording = run.finish()
    assert agrees(recording, recording.backwards[0])


def test_writes_and_copies(run: Run) -> None:
    online, target, step_by_hand = tf.Variable(1.0), tf.Variable(1.0), tf.Variable(1.0)
    slot = tf.Variable(0.0, trainable=False)
    with tf.GradientTape() as tape:
        slot.assign(online * 0.5)
        loss = slot * target * step_by_hand
    tape.gradient(loss, [online, target, step_by_hand])
    target.assign(0.9 * target + 0.1 * online)
    step_by_hand.assign_sub(0.1 * 0.3)
    recording = run.finish()
    copied = {v.name for v in recording.variables.values() if v.copied}
    assert "target" in copied and "step_by_hand" not in copied
    assert [op.kind for op in cut_ops(recording, recording.backwards[0])] == ["write"]
    assert {w.by for w in recording.writes} >= {"assign", "assign_sub"}


def train(seed: int, steps: int) -> list[Any]:
    keras.utils.set_random_seed(seed)
    model = dense()
    optimizer = keras.optimizers.Adam(0.05)
    for _ in range(steps):
        x = tf.random.normal((4, 3))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - tf.cast(np.asarray(x)[:, :2] * np.random.rand(), tf.float32)) ** 2)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
    return [*model.get_weights(), np.random.rand(3), tf.random.normal((3,)).numpy()]


def test_training_is_bit_identical_under_observation() -> None:
    plain = train(3, 6)
    run = Run()
    watched = train(3, 6)
    run.finish()
    assert all(np.array_equal(one, other) for one, other in zip(plain, watched, strict=True))
    assert run.session.notes == []


def test_no_tensor_is_kept_alive(run: Run) -> None:
    w = tf.Variable(tf.ones((10,)))
    with tf.GradientTape() as tape:
        middle = w * 2.0
        loss = tf.reduce_sum(middle)
    tape.gradient(loss, w)
    watch = [weakref.ref(middle), weakref.ref(loss), weakref.ref(w)]
    del middle, loss, w, tape
    gc.collect()
    assert [reference() for reference in watch] == [None, None, None]


def one_step(optimizer: Any, w: Any, other: Any = None) -> None:
    with tf.GradientTape() as tape:
        loss = w * w if other is None else w * other
    variables = [w] if other is None else [w, other]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))


def test_letting_go_and_looking_again(run: Run) -> None:
    w, late = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = keras.optimizers.SGD(0.01)
    for _ in range(4):
        one_step(optimizer, w)
    assert not run.recorder.deep
    seen = len(run.recorder.recording.ops)
    one_step(optimizer, w)
    assert len(run.recorder.recording.ops) == seen
    second = keras.optimizers.SGD(0.01)
    assert run.recorder.deep
    one_step(second, late)
    recording = run.finish()
    assert {s.optimizer for s in recording.steps} == {0, 1}


def test_a_gradient_that_comes_later_is_noticed(run: Run) -> None:
    w, late = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.01)
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = w * w
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, late]), [w, late], strict=True))
    assert not run.recorder.deep

    @tf.function
    def compiled() -> None:
        one_step(optimizer, w, late)

    compiled()
    recording = run.finish()
    assert {recording.variables[v].name for v in recording.later_gradients} == {"late"}


def test_the_program_is_stopped_after_the_updates_asked_for() -> None:
    run = Run(stop_after=2)
    w, optimizer = tf.Variable(1.0), keras.optimizers.SGD(0.01)
    with pytest.raises(EnoughUpdates):
        for _ in range(5):
            one_step(optimizer, w)
    assert run.finish().updates == 2


def test_a_failure_of_ours_is_a_note_and_the_program_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run()

    def broken(*_: Any) -> None:
        raise KeyError("inside whygrad")

    monkeypatch.setattr(run.recorder, "_note", broken)
    assert float(tf.constant(2.0) * 3.0) == 6.0
    run.finish()
    assert len(run.session.notes) == 1 and "inside whygrad" in run.session.notes[0]


def test_a_function_that_works_in_a_graph_alone_stays_compiled() -> None:
    run = Run()
    w, optimizer = tf.Variable(3.0), keras.optimizers.SGD(0.1)

    @tf.function
    def slope(x: Any) -> Any:
        return tf.gradients(w * x * x, x)[0]  # 2 w x, which TensorFlow refuses to give eagerly

    @tf.function
    def train(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = slope(x) ** 2
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])

    for _ in range(3):
        train(tf.constant(1.0))
    assert run.finish().updates == 3
    assert float(w) == pytest.approx(3.0 * 0.2**3)  # w - 0.1 * 8 w, three times
    assert len(run.session.notes) == 1
    assert run.session.notes[0].startswith("whygrad cannot look into slope(), which only works compiled: tf.gradients")


def test_everything_is_put_back() -> None:
    from tensorflow.python.framework import ops

    before = (np.array, tf.GradientTape.gradient, ops._EagerTensorBase.numpy, keras.layers.Layer.add_weight)
    Run().finish()
    assert before == (np.array, tf.GradientTape.gradient, ops._EagerTensorBase.numpy, keras.layers.Layer.add_weight)
    assert not hasattr(ops._EagerTensorBase, "__array_function__")


def test_threads_that_start_while_we_look_are_seen(run: Run) -> None:
    import threading

    w = tf.Variable(1.0)
    done: list[Any] = []

    def work() -> None:
        with tf.GradientTape() as tape:
            loss = w * 2.0
        done.append(tape.gradient(loss, w))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    recording = run.finish()
    assert done and agrees(recording, recording.backwards[0])


def _keras_3() -> bool:
    return hasattr(keras, "ops")


class _nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: Any) -> None: ...
