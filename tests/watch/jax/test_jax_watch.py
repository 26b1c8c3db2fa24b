"""Watching JAX: numbers against float64, events at the right update, and a training that is the same as without."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

np = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")
optax = pytest.importorskip("optax")

import jax.numpy as jnp

from whygrad.live import buckets, jax_hosts, jax_pass
from whygrad.live.looks import INDEX
from whygrad.live.reading import Reading
from whygrad.live.ring_reading import filled
from whygrad.live.watching import watch

RNG = np.random.default_rng(1)
X, Y = jnp.asarray(RNG.normal(size=(32, 4)).astype("f")), jnp.ones((32, 1))
NAMES = [f"params['{layer}']['{leaf}']" for layer in ("hidden", "out") for leaf in ("bias", "kernel")]


def make():
    rng = np.random.default_rng(0)
    sizes = {"hidden": (4, 8), "out": (8, 1)}
    return {
        name: {"kernel": jnp.asarray(rng.normal(size=size).astype("f")), "bias": jnp.zeros(size[1])}
        for name, size in sizes.items()
    }


def mse(params, x=X):
    hidden = jnp.tanh(x @ params["hidden"]["kernel"] + params["hidden"]["bias"])
    return jnp.mean(jnp.square(hidden @ params["out"]["kernel"] + params["out"]["bias"] - Y))


def stepper(tx, spoil=None, jit=True, loss=mse, **options):
    """A training step; `spoil(number, gradients)` changes gradients."""

    def step(params, state, number):
        gradients = jax.grad(loss)(params)
        if spoil is not None:
            gradients = spoil(number, gradients)
        updates, state = tx.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, gradients

    return jax.jit(step, **options) if jit else step


def train(tx, updates, params=None, **options):
    params = make() if params is None else params
    state, step = tx.init(params), stepper(tx, **options)
    for number in range(updates):
        params, state, _ = step(params, state, number)
    return params, state


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def same(one, other):
    return all((a == b).all() for a, b in zip(leaves(one), leaves(other), strict=True))


def check(row, gradient, before=None, after=None):
    gradient = np.float64(gradient)
    size = abs(gradient).mean() if np.isfinite(gradient).all() else 0.0
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
            # The new weights are rounded to float32, the step is not.
            ratio = np.linalg.norm(np.float64(after) - before) / length
            np.testing.assert_allclose(row[INDEX["ratio"]], ratio, rtol=1e-4)
    for name, value in expected.items():
        np.testing.assert_allclose(row[INDEX[name]], value, rtol=1e-6, atol=1e-30, err_msg=name)
    # Where numbers cancel, what float32 loses is little beside the numbers, not beside their mean.
    np.testing.assert_allclose(row[INDEX["mean"]], gradient.mean(), rtol=1e-6, atol=1e-6 * size)


@pytest.mark.parametrize("jit", [True, False])
def test_numbers_equal_a_reference_in_float64(tmp_path, jit):
    tx = watch(make(), optax.sgd(0.01), run=tmp_path, every=1)
    step, params = stepper(tx, jit=jit), make()
    state, gradients, held = tx.init(params), [], [leaves(params)]
    for number in range(12):
        params, state, gradient = step(params, state, number)
        gradients.append(leaves(gradient))
        held.append(leaves(params))
    tx.close()
    reading = Reading(tmp_path)
    (group,) = reading.groups()
    assert [v.name for v in group.variables] == NAMES
    assert (group.updates, group.looks) == (12, 12)
    looks = reading.looks(group.id)
    assert [one.first for one in looks] == list(range(12))
    for at, one in enumerate(looks):
        for row, gradient, before, after in zip(one.rows, gradients[at], held[at], held[at + 1], strict=True):
            check(row, gradient, before, after)
    counts = sum(one.counts for one in reading.spreads(group.id))
    expected = sum(np.stack([buckets.count(g) for g in one]) for one in gradients)
    assert (counts == expected).all()


@pytest.mark.parametrize("few", [True, False])
def test_the_pass_equals_float64_for_odd_shapes_and_numbers(few, monkeypatch):
    if not few:
        monkeypatch.setattr(jax_pass, "_FEW", 0)
    rng = np.random.default_rng(0)
    arrays = [
        rng.normal(size=(1000, 301)).astype("f"),  # large: a table of its own
        np.zeros((0, 3), "f"),
        (rng.normal(size=(70_000,)) * 1e-25).astype("f"),  # whose squares vanish
        np.array([[np.nan, 1, np.inf, -np.inf, 0, -0.0]], "f"),
        rng.normal(size=(130, 130)).astype("f"),
        np.array(-3.0, "f"),
        np.zeros(65, "f"),
        (rng.normal(size=(70_000,)) * 1e25).astype("f"),  # whose squares overflow
        np.arange(1, 65536, dtype="f"),
    ]
    given = [jnp.asarray(array) for array in arrays]
    rows, counts = jax.jit(lambda g: jax_pass.look(g, None, g, g))(given)
    rows = filled(np.asarray(rows, np.float64), np.array([a.size for a in arrays], float))
    for row, array, count in zip(rows, arrays, np.asarray(counts), strict=True):
        if array.size:
            with np.errstate(invalid="ignore"):
                check(row, array)
            assert (count == buckets.count(array)).all()
        else:
            assert row[INDEX["present"]] == 1
            assert np.isnan(row[INDEX["norm"]])


def test_a_tiny_gradient_beside_a_large_one_is_not_dead():
    given = [jnp.full(5, 1e-35), jnp.full(5, 1e5)]
    rows, _ = jax_pass.look(given, None, given, given)
    assert filled(np.asarray(rows), np.array([5.0, 5.0]))[0, INDEX["norm"]] > 0


@pytest.mark.parametrize("donated", [(), (0, 1)])
@pytest.mark.parametrize("every", [1, 3, None])
@pytest.mark.parametrize("kind", ["clipped adam", "momentum", "adamw"])
def test_training_is_the_same_bit_for_bit(tmp_path, every, kind, donated):
    optimizer = {
        "clipped adam": optax.chain(optax.clip_by_global_norm(0.1), optax.adam(1e-2)),
        "momentum": optax.sgd(1e-2, momentum=0.9),
        "adamw": optax.adamw(1e-3),
    }[kind]
    plain, inner = train(optimizer, 60, donate_argnums=donated)
    with watch(None, optimizer, run=tmp_path, every=every) as tx:
        params, state = train(tx, 60, donate_argnums=donated)
    assert same(plain, params)
    assert same(inner, jax_hosts.find(state, "optimizer/").inner)
    (group,) = Reading(tmp_path).groups()
    assert group.updates == 60
    assert group.looks == (60 if every == 1 else 20 if every == 3 else 11)


def test_nothing_is_compiled_anew(tmp_path, monkeypatch):
    # A look that takes a second is dearer than a hundred updates, however slow the machine is.
    monkeypatch.setattr("whygrad.live.jax_training.dearer", lambda look, nothing: 1.0)
    with watch(None, optax.adam(1e-3), run=tmp_path) as tx:
        params = make()
        state, step = tx.init(params), stepper(tx)
        for number in range(150):
            params, state, _ = step(params, state, number)
            if number % 50 == 49:
                tx.flush()
        assert step._cache_size() == 1
        (group,) = Reading(tmp_path).groups()
    looks = Reading(tmp_path).looks(1)
    assert [one.first for one in looks][:8] == list(range(8))
    assert group.updates == 150
    assert group.looks == sum(one.count for one in looks) <= 100
    assert group.every > 50


@pytest.mark.parametrize("every", [1, 50])
def test_nan_is_told_at_its_update(tmp_path, every):
    def spoil(number, gradients):
        return jax.tree.map(lambda g: jnp.where(number == 133, jnp.nan, g), gradients)

    with watch(None, optax.sgd(0.0), run=tmp_path, every=every) as tx:
        train(tx, 140, spoil=spoil)
        tx.flush()
        (event,) = tx.events
    assert (event.at, event.code, event.variable) == (133, "W402", NAMES[0])
    assert "NaN" in event.text


def test_a_layer_that_dies(tmp_path):
    def spoil(number, gradients):
        return gradients | {"hidden": jax.tree.map(lambda g: g * (number < 7), gradients["hidden"])}

    with watch(None, optax.sgd(0.01), run=tmp_path, every=1) as tx:
        train(tx, 30, spoil=spoil)
    events = Reading(tmp_path).events()
    assert [(e.at, e.code, e.variable) for e in events] == [(7, "W401", name) for name in NAMES[:2]]


@pytest.mark.parametrize("clip", [optax.clip_by_global_norm(1e-6), optax.clip(1e-8), optax.adaptive_grad_clip(1e-8)])
def test_a_clip_that_takes_nearly_everything(tmp_path, clip):
    with watch(None, optax.chain(clip, optax.sgd(0.01)), run=tmp_path, every=1) as tx:
        train(tx, 20)
    assert [(e.at, e.code) for e in Reading(tmp_path).events()] == [(0, "W405")]
    one = Reading(tmp_path).looks(1)[-1].rows
    assert np.linalg.norm(one[:, INDEX["norm"]]) > 0.01
    assert np.linalg.norm(one[:, INDEX["applied"]]) < 1e-4


def test_a_target_that_never_moves(tmp_path, monkeypatch):
    monkeypatch.setattr("whygrad.live.detecting.PATIENCE", 2_000)
    held = {"follows": make()}
    targets = {"still": make(), "follows": lambda: held["follows"]}
    with watch(None, optax.sgd(1e-3), run=tmp_path, targets=targets) as tx:
        params = make()
        state, step = tx.init(params), stepper(tx)
        for _ in range(5):
            for number in range(600):
                params, state, _ = step(params, state, number)
            held["follows"] = params
            tx.flush()
    events = [e for e in Reading(tmp_path).events() if e.kind == "standing-target"]
    assert [(e.code, e.variable) for e in events] == [("W503", "still")]


def test_inside_a_chain_and_unpacked(tmp_path):
    with watch(None, optax.adam(1e-3), run=tmp_path, every=1) as tx:
        whole = optax.chain(optax.scale(2.0), tx)
        train(whole, 3)
        init, update = tx
        assert isinstance(init(make())[1], optax.EmptyState)
        assert callable(update)
        assert isinstance(tx, optax.GradientTransformationExtraArgs)
    assert Reading(tmp_path).groups()[0].looks == 3


def test_scan_vmap_and_grad_through_an_update(tmp_path):
    with watch(None, optax.adam(1e-3), run=tmp_path, every=1) as tx:

        def body(carry, number):
            params, state = carry
            updates, state = tx.update(jax.grad(mse)(params), state, params)
            return (optax.apply_updates(params, updates), state), number

        def run(params):
            return jax.lax.scan(body, (params, tx.init(params)), jnp.arange(40))[0]

        params, _ = jax.jit(run)(make())
        assert same(params, jax.jit(lambda p: run_plain(p, 40))(make()))
        many = jax.tree.map(lambda leaf: jnp.stack([leaf, 2 * leaf, 3 * leaf]), make())
        lanes, _ = jax.jit(jax.vmap(run))(many)
        assert lanes["out"]["kernel"].shape == (3, 8, 1)

        def after(params):
            (params, _), _ = body((params, tx.init(params)), 0)
            return mse(params)

        assert np.isfinite(leaves(jax.jit(jax.grad(after))(make()))[0]).all()
        jax.eval_shape(tx.init, make())
        tx.flush()
    groups = Reading(tmp_path).groups()
    assert [(g.updates, g.looks) for g in groups] == [(40, 40), (40, 40)]
    lanes = Reading(tmp_path).looks(groups[1].id)[0]
    assert np.isfinite(lanes.rows[:, INDEX["norm"]]).all()


def run_plain(params, updates):
    tx = optax.adam(1e-3)

    def body(carry, number):
        params, state = carry
        step, state = tx.update(jax.grad(mse)(params), state, params)
        return (optax.apply_updates(params, step), state), number

    return jax.lax.scan(body, (params, tx.init(params)), jnp.arange(updates))[0][0]


def test_a_loop_longer_than_the_ring_is_not_made_up(tmp_path):
    with watch(None, optax.sgd(1e-3), run=tmp_path, every=1) as tx:

        @jax.jit
        def many(params):
            def body(number, carry):
                params, state = carry
                updates, state = tx.update(jax.grad(mse)(params), state, params)
                return optax.apply_updates(params, updates), state

            return jax.lax.fori_loop(0, 1000, body, (params, tx.init(params)))

        many(make())
        tx.flush()
    (group,) = Reading(tmp_path).groups()
    looks = Reading(tmp_path).looks(group.id)
    assert group.updates == 1000
    assert group.looks == sum(one.count for one in looks) < 1000
    assert looks[-1].last == 999
    assert sum(one.count for one in Reading(tmp_path).spreads(group.id)) == 1000


def test_a_fresh_state_goes_together_with_an_old_one(tmp_path):
    with watch(None, optax.adam(1e-3), run=tmp_path, every=1) as tx:
        _, state = train(tx, 5)
        fresh = tx.init(make())
        chosen = jax.jit(lambda a, b, old: jax.lax.cond(old, lambda: a, lambda: b))(state, fresh, True)
        assert same(chosen, state)
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), state, fresh)
        assert jax.tree.structure(stacked) == jax.tree.structure(state)


def test_two_networks_with_one_optimizer(tmp_path):
    with watch(None, optax.adam(1e-3), run=tmp_path, every=1) as tx:
        step, both = stepper(tx), [make(), make()]
        states = [tx.init(params) for params in both]
        for number in range(300):
            for at in range(2):
                both[at], states[at], _ = step(both[at], states[at], number)
    groups = Reading(tmp_path).groups()
    assert [(g.name, g.updates, g.looks) for g in groups] == [("optimizer", 300, 300), ("optimizer (2)", 300, 300)]


@pytest.mark.parametrize("donated", [(), (0, 1)])
def test_every_update_of_a_long_training_is_there(tmp_path, donated):
    with watch(None, optax.adam(1e-3), run=tmp_path, every=1) as tx:
        train(tx, 3000, donate_argnums=donated)
    (group,) = Reading(tmp_path).groups()
    assert (group.updates, group.looks) == (3000, 3000)


def test_flax_and_equinox(tmp_path):
    pytest.importorskip("flax")
    eqx = pytest.importorskip("equinox")
    from flax.training.train_state import TrainState

    tx = watch(None, optax.adam(1e-3), run=tmp_path / "linen", every=1)
    held = TrainState.create(apply_fn=None, params=make(), tx=tx)
    step = jax.jit(lambda held: held.apply_gradients(grads=jax.grad(mse)(held.params)))
    for _ in range(20):
        held = step(held)
    from flax import serialization

    again = serialization.from_bytes(held, serialization.to_bytes(held))
    assert same(again.params, held.params)
    tx.close()
    assert Reading(tmp_path / "linen").groups()[0].looks == 20

    tx = watch(None, optax.adam(1e-3), run=tmp_path / "eqx", every=1)
    model = eqx.nn.MLP(4, 1, 8, 1, key=jax.random.PRNGKey(0))
    state = tx.init(eqx.filter(model, eqx.is_inexact_array))

    @eqx.filter_jit
    def update(model, state):
        gradients = eqx.filter_grad(lambda m: jnp.mean(jnp.square(jax.vmap(m)(X) - Y)))(model)
        updates, state = tx.update(gradients, state, eqx.filter(model, eqx.is_inexact_array))
        return eqx.apply_updates(model, updates), state

    for _ in range(20):
        model, state = update(model, state)
    tx.close()
    (group,) = Reading(tmp_path / "eqx").groups()
    assert group.looks == 20
    assert group.variables[0].name == "params.layers[0].weight"


@pytest.mark.parametrize("jit", [True, False])
def test_nnx(tmp_path, jit):
    pytest.importorskip("flax")
    from flax import nnx

    tx = watch(None, optax.adam(1e-3), run=tmp_path, every=1)
    model = nnx.Linear(4, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, tx, wrt=nnx.Param)

    def step(model, optimizer):
        gradients = nnx.grad(lambda m: jnp.mean(jnp.square(m(X) - Y)))(model)
        optimizer.update(model, gradients)

    step = nnx.jit(step) if jit else step
    for _ in range(150 if jit else 10):
        step(model, optimizer)
    tx.close()
    (group,) = Reading(tmp_path).groups()
    assert (group.updates, group.looks) == ((150, 150) if jit else (10, 10))
    assert group.variables[0].name == "params['bias']"


def test_two_optimizers_share_a_run_and_closing_twice_is_no_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, second = watch(None, optax.sgd(0.1), every=1, name="actor"), watch(None, optax.adam(1e-3), name="critic")
    assert first.path == second.path
    train(first, 3)
    train(second, 4)
    first.log(loss=1.0)
    for _ in range(2):
        first.close()
        second.close()
    groups = Reading(first.path).groups()
    assert sorted((g.name, g.updates, g.looks) for g in groups) == [("actor", 3, 3), ("critic", 4, 4)]
    train(first, 2)  # goes on, unwatched


PROGRAM = """
    import os, signal, sys
    import jax, jax.numpy as jnp, optax
    from whygrad.live.watching import watch

    tx = watch(None, optax.sgd(0.01), run=sys.argv[1], every=1)
    params = {"w": jnp.ones((4, 4))}
    state = tx.init(params)

    @jax.jit
    def step(params, state):
        updates, state = tx.update(jax.grad(lambda p: jnp.sum(p["w"] ** 2))(params), state, params)
        return optax.apply_updates(params, updates), state

    for _ in range(300):
        params, state = step(params, state)
    if sys.argv[2] == "killed":
        tx.flush()
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("end", ["ended", "killed"])
def test_a_program_that_ends_without_closing_loses_nothing(tmp_path, end):
    program = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path), end]
    found = subprocess.run(program, capture_output=True, text=True, timeout=120)
    assert found.returncode == (0 if end == "ended" else -9), found.stderr
    (group,) = Reading(tmp_path).groups()
    assert (group.updates, group.looks) == (300, 300)


def test_without_optax_anything_with_init_and_update_will_do(tmp_path):
    class Plain:
        def init(self, params):
            return ()

        def update(self, gradients, state, params=None):
            return jax.tree.map(lambda g: -0.01 * g, gradients), state

    with watch(None, Plain(), run=tmp_path, every=1) as tx:
        train(tx, 3)
    assert Reading(tmp_path).groups()[0].looks == 3
