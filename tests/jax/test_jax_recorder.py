"""The JAX recorder: what ends up in a recording, and that nothing changes under observation."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

np = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")
flax = pytest.importorskip("flax")
optax = pytest.importorskip("optax")
eqx = pytest.importorskip("equinox")

import jax.numpy as jnp
from flax import linen, nnx

from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording
from whygrad.trace import jax_recorder
from whygrad.trace.session import DEPTH, RING, Session


class Run:
    """A session with one recorder, finished once."""

    def __init__(self, **options: Any) -> None:
        self.session = Session(**options)
        self.recorder = jax_recorder.start(self.session)
        self.session.recorders["jax"] = self.recorder
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


def names(recording: Recording) -> list[str]:
    return [v.name for v in recording.variables.values()]


def layer(key: int, n_in: int, n_out: int) -> dict[str, Any]:
    return {"w": jax.random.normal(jax.random.key(key), (n_in, n_out)) * 0.3, "b": jnp.zeros(n_out)}


def squares(params: Any, x: Any) -> Any:
    return jnp.mean((x @ params["w"] + params["b"]) ** 2)


X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)
VJP = jax.vjp


def sgd(params: Any, grads: Any) -> Any:
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


# --- what is seen -------------------------------------------------------------------------------------------------


def test_gradient_of_a_pytree_is_a_backward_pass(run: Run) -> None:
    params = layer(0, 4, 2)
    jax.grad(squares)(params, X)
    recording = run.finish()
    [backward] = recording.backwards
    assert names(recording) == ["params['b']", "params['w']"]
    assert backward.got == set(backward.wanted) == {0, 1}
    assert recording.values[backward.loss].shape == ()
    assert all(numbers.norm > 0 for numbers in backward.gradients.values())


def test_stopped_leaf_is_wanted_and_not_reached(run: Run) -> None:
    params = layer(0, 4, 2)
    jax.grad(lambda p: jnp.sum(jax.lax.stop_gradient(p["w"]) * 2) + jnp.sum(p["b"]))(params)
    recording = run.finish()
    [backward] = recording.backwards
    assert [recording.variables[v].name for v in backward.got] == ["params['b']"]
    assert [op.kind for op in named(recording, "stop_gradient")] == ["stop"]


def test_compiled_step_is_written_down_for_every_call(run: Run) -> None:
    @jax.jit
    def step(params: Any, x: Any) -> Any:
        return sgd(params, jax.grad(squares)(params, x))

    params = layer(0, 4, 2)
    for _ in range(3):
        params = step(params, X)
    recording = run.finish()
    assert len(recording.backwards) == len(recording.steps) == 3
    assert names(recording) == ["params['b']", "params['w']"]
    assert recording.backwards[1].read == recording.steps[0].after
    lines = {recording.stacks[op.stack][0].function.split(".")[-1] for op in named(recording, "matmul")}
    assert lines == {"squares"}


def test_numbers_are_seen_inside_a_compiled_step(run: Run) -> None:
    @jax.jit
    def step(params: Any, x: Any) -> Any:
        return sgd(params, jax.grad(squares)(params, x))

    params = layer(0, 4, 2)
    expected = jax.grad(squares)(params, X)
    step(params, X)
    recording = run.finish()
    last = recording.backwards[-1]
    by_name = {recording.variables[v].name: numbers for v, numbers in last.gradients.items()}
    assert by_name["params['w']"].norm == pytest.approx(float(jnp.linalg.norm(expected["w"])), rel=1e-5)
    assert recording.values[last.loss].numbers is not None


def test_scan_carries_the_gradient_through_its_steps(run: Run) -> None:
    def loss(params: Any) -> Any:
        def cell(h: Any, x: Any) -> Any:
            h = jnp.tanh(x @ params["w"] + h @ params["r"])
            return h, h.sum()

        _, outs = jax.lax.scan(cell, jnp.zeros(3), X)
        return outs.sum()

    params = {"w": jnp.ones((4, 3)) * 0.1, "r": jnp.eye(3) * 0.1}
    jax.jit(jax.grad(loss))(params)
    [backward] = run.finish().backwards
    assert len(backward.got) == 2


def test_vmap_and_nested_gradients_stay_connected(run: Run) -> None:
    def loss(params: Any) -> Any:
        slopes = jax.vmap(jax.grad(lambda x: jnp.tanh(x @ params["w"]).sum()))(X)
        return jnp.mean(slopes**2)

    jax.grad(loss)(layer(0, 4, 2))
    recording = run.finish()
    outer = [b for b in recording.backwards if not b.implicit]
    assert len(outer) == 1
    assert [recording.variables[v].name for v in outer[0].got] == ["params['w']"]


@pytest.mark.parametrize("transform", [jax.checkpoint, jax.jit])
def test_wrapped_functions_are_looked_into(run: Run, transform: Any) -> None:
    def body(w: Any) -> Any:
        return jnp.sum(jax.lax.stop_gradient(w) * 2.0)

    jax.grad(transform(body))(jnp.ones(3))
    recording = run.finish()
    assert recording.backwards[0].got == frozenset()
    assert len(named(recording, "stop_gradient")) == 1


# --- names --------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    actor: Any
    critic: Any


def test_names_follow_the_pytree(run: Run) -> None:
    params = {"actor": {"Dense_1": {"kernel": jnp.ones((4, 2))}}, "critic": {"Dense_1": {"kernel": jnp.ones((4, 1))}}}
    jax.grad(lambda p: jnp.sum(X @ p["actor"]["Dense_1"]["kernel"]))(params)
    recording = run.finish()
    assert names(recording) == ["params['actor']['Dense_1']['kernel']", "params['critic']['Dense_1']['kernel']"]
    assert {v.network for v in recording.variables.values()} == {"params['actor']", "params['critic']"}


def test_names_of_tuples_and_of_an_agent(run: Run) -> None:
    class Agent:
        def __init__(self) -> None:
            self.nets = Pair([jnp.ones(3)], [jnp.ones(4)])

        def update(self) -> None:
            jax.grad(lambda p: p.actor[0].sum() + p.critic[0].sum())(self.nets)

    Agent().update()
    recording = run.finish()
    assert names(recording) == ["nets.actor[0]", "nets.critic[0]"]
    assert {v.network for v in recording.variables.values()} == {"nets.actor", "nets.critic"}


def test_names_of_equinox_models(run: Run) -> None:
    model = eqx.nn.MLP(4, 2, 8, 1, key=jax.random.key(0))
    eqx.filter_grad(lambda m: jax.vmap(m)(X).sum())(model)
    assert names(run.finish()) == [
        "model.layers[0].weight", "model.layers[0].bias", "model.layers[1].weight", "model.layers[1].bias",
    ]  # fmt: skip


def test_names_of_flax_models(run: Run) -> None:
    class Net(nnx.Module):
        def __init__(self) -> None:
            self.linear1 = nnx.Linear(4, 2, rngs=nnx.Rngs(0))

        def __call__(self, x: Any) -> Any:
            return self.linear1(x)

    model = Net()
    nnx.grad(lambda m: m(X).sum())(model)
    net = linen.Dense(2)
    variables = net.init(jax.random.key(0), X)
    jax.grad(lambda v: net.apply(v, X).sum())(variables)
    found = names(run.finish())
    assert found[:2] == ["model.linear1.bias", "model.linear1.kernel"]
    assert found[2:] == ["variables['params']['bias']", "variables['params']['kernel']"]


# --- nothing changes ----------------------------------------------------------------------------------------------


def _train() -> tuple[list[bytes], str]:
    tx = optax.adam(1e-2)

    @jax.jit
    def step(params: Any, state: Any, x: Any, key: Any) -> Any:
        noise = jax.random.normal(key, x.shape)
        loss, grads = jax.value_and_grad(squares)(params, x + noise)
        updates, state = tx.update(grads, state)
        return optax.apply_updates(params, updates), state, loss

    params, key = layer(0, 4, 2), jax.random.key(3)
    state = tx.init(params)
    out = []
    for _ in range(DEPTH + 3):
        key, sub = jax.random.split(key)
        params, state, loss = step(params, state, X, sub)
        eager = jax.grad(squares)(params, X)
        out += [np.asarray(a).tobytes() for a in jax.tree.leaves((params, loss, eager))]
    return out, step.lower(params, state, X, key).as_text()


def test_results_and_compiled_code_are_the_same_to_the_bit() -> None:
    plain = _train()
    run = Run()
    watched = _train()
    run.finish()
    assert watched == plain
    assert run.session.notes == []


def test_python_side_of_a_compiled_function_runs_once(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    @jax.jit
    def step(params: Any, x: Any) -> Any:
        print("traced")
        return sgd(params, jax.grad(squares)(params, x))

    params = layer(0, 4, 2)
    for _ in range(3):
        params = step(params, X)
    assert capsys.readouterr().out == "traced\n"


def test_function_with_side_effects_runs_once(run: Run) -> None:
    seen: list[float] = []

    @jax.jit
    def step(params: Any, x: Any) -> Any:
        loss, grads = jax.value_and_grad(squares)(params, x)
        jax.debug.callback(lambda value: seen.append(float(value)), loss)
        return sgd(params, grads)

    step(layer(0, 4, 2), X)
    jax.effects_barrier()
    assert len(seen) == 1


def test_donated_arguments(run: Run) -> None:
    step = jax.jit(lambda p, x: sgd(p, jax.grad(squares)(p, x)), donate_argnums=0)
    params = layer(0, 4, 2)
    for _ in range(3):
        params = step(params, X)
    assert len(run.finish().steps) == 3


def test_no_tracer_leaks(run: Run) -> None:
    with jax.checking_leaks():
        jax.jit(lambda p: sgd(p, jax.grad(squares)(p, X)))(layer(0, 4, 2))


def test_no_array_is_kept_alive(run: Run) -> None:
    params = layer(0, 4, 2)
    jax.grad(squares)(params, X)
    gone = weakref.ref(params["w"])
    del params
    gc.collect()
    assert gone() is None


def test_lets_go_after_a_few_updates(run: Run) -> None:
    original = jax._src.core.Primitive.bind
    params = layer(0, 4, 2)
    for update in range(DEPTH + 2 + RING):
        params = sgd(params, jax.grad(squares)(params, X))
        if update == DEPTH + 1:
            assert run.recorder.ring.running  # for the numbers alone
            assert jax._src.core.Primitive.bind is original
    assert not run.recorder.deep
    assert jax._src.core.Primitive.bind is not original
    recording = run.finish()
    assert DEPTH <= len(recording.steps) <= DEPTH + 1
    assert recording.late is not None
    assert len(recording.late.steps) > DEPTH + 2
    assert len(recording.late.ops) < 20 * len(recording.ops)


def test_a_line_that_asks_for_gradients_late_begins_a_recording_of_its_own(run: Run) -> None:
    params = layer(0, 4, 2)
    for _ in range(DEPTH + 2 + RING):
        params = sgd(params, jax.grad(squares)(params, X))
    assert not run.recorder.deep
    head = layer(1, 4, 2)
    step = jax.jit(lambda head: sgd(head, jax.grad(squares)(head, X)))
    for _ in range(DEPTH):
        head = step(head)
    later = run.session.recorders["jax"]
    assert later is not run.recorder
    [first, second] = run.session.finish()
    assert len(first.steps) <= DEPTH + 1 < len(first.late.steps)
    assert len(second.steps) == DEPTH
    assert second.earlier == first.all_updates
    assert jax.vjp is VJP


def test_a_function_that_is_compiled_late_and_asks_for_no_gradient_changes_nothing(run: Run) -> None:
    params = layer(0, 4, 2)
    for _ in range(DEPTH + 2 + RING):
        params = sgd(params, jax.grad(squares)(params, X))
    bind = jax._src.core.Primitive.bind
    jax.jit(lambda x: jnp.tanh(x).sum())(jnp.ones(3))
    assert jax._src.core.Primitive.bind is bind
    assert run.session.recorders["jax"] is run.recorder
    assert len(run.session.finish()) == 1


def test_retraced_functions_are_counted(run: Run) -> None:
    for size in (3, 4, 5):
        jax.jit(lambda x: jnp.tanh(x).sum())(jnp.ones(3))
        assert size
    [retrace] = run.finish().retraces
    assert retrace.count == 3
    assert retrace.reason == "new function"
