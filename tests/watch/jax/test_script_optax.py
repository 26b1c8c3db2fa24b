"""`whygrad run --watch` for JAX: an unmodified program's optimizers are watched, and it does what it does alone."""

from __future__ import annotations

import copy
import pickle

import pytest

np = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")
optax = pytest.importorskip("optax")

import jax.numpy as jnp

from whygrad.live.looks import INDEX
from whygrad.live.reading import Reading
from whygrad.live.script_watch import ScriptWatch
from whygrad.live.watching import watch
from whygrad.trace.session import Session

RNG = np.random.default_rng(1)
X, Y = jnp.asarray(RNG.normal(size=(32, 4)).astype("f")), jnp.ones((32, 1))


def make():
    rng = np.random.default_rng(0)
    sizes = {"hidden": (4, 8), "out": (8, 1)}
    return {
        name: {"kernel": jnp.asarray(rng.normal(size=size).astype("f")), "bias": jnp.zeros(size[1])}
        for name, size in sizes.items()
    }


def mse(params):
    hidden = jnp.tanh(X @ params["hidden"]["kernel"] + params["hidden"]["bias"])
    return jnp.mean(jnp.square(hidden @ params["out"]["kernel"] + params["out"]["bias"] - Y))


def stepper(tx, jit=True):
    def step(params, state):
        updates, state = tx.update(jax.grad(mse)(params), state, params)
        return optax.apply_updates(params, updates), state

    return jax.jit(step) if jit else step


def train(tx, updates, jit=True):
    params = make()
    state, step = tx.init(params), stepper(tx, jit)
    for _ in range(updates):
        params, state = step(params, state)
    return params, state


def same(one, other):
    leaves = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all((np.asarray(a) == np.asarray(b)).all() for a, b in leaves)


class Watched:
    """A program that runs under `--watch`, in this process."""

    def __init__(self):
        self.session = Session(whole_script=True)
        self._watch = ScriptWatch(self.session, "train", every=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._watch.close()

    @property
    def notes(self):
        return " ".join(self.session.notes)

    def groups(self):
        return [] if self._watch.run is None else Reading(self._watch.run.path).groups()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01),
    "momentum": lambda: optax.sgd(0.01, momentum=0.9),
    "clipped": lambda: optax.chain(optax.clip_by_global_norm(0.1), optax.adamw(0.01)),
    "scheduled": lambda: optax.adam(optax.linear_schedule(0.01, 0.0, 30)),
    "parts": lambda: optax.multi_transform({"a": optax.adam(0.01), "b": optax.sgd(0.1)}, {"hidden": "a", "out": "b"}),
    "steps": lambda: optax.MultiSteps(optax.adam(0.01), 3),
    "guarded": lambda: optax.apply_if_finite(optax.lion(0.01), 5),
    "one": lambda: optax.scale_by_adam(),
}


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_steps_by_hand_are_the_same_bit_for_bit(kind):
    plain, inner = train(OPTIMIZERS[kind](), 6, jit=False)
    with Watched() as program:
        tx = OPTIMIZERS[kind]()
        params, state = train(tx, 6, jit=False)
    assert same(plain, params)
    assert repr(inner) == repr(state)  # the same classes with the same fields
    assert [(g.name, g.updates, g.looks) for g in program.groups()] == [("tx", 6, 6)]
    assert program.notes == ""


@pytest.mark.parametrize("kind", ["sgd", "momentum", "clipped"])
def test_a_compiled_training_is_the_same_bit_for_bit(kind):
    plain, inner = train(OPTIMIZERS[kind](), 60)
    with Watched() as program:
        tx = OPTIMIZERS[kind]()
        params, state = train(tx, 60)
    assert same(plain, params)
    assert repr(inner) == repr(state)
    (group,) = program.groups()
    assert group.updates == group.looks == 60
    assert group.variables[1].name == "params['hidden']['kernel']"


def test_nothing_is_compiled_anew():
    with Watched():
        tx = optax.adam(0.01)
        params = make()
        state, step = tx.init(params), stepper(tx)
        for _ in range(20):
            params, state = step(params, state)
            _, state = jax.jit(tx.update)(jax.grad(mse)(params), state)
        assert step._cache_size() == jax.jit(tx.update)._cache_size() == 1


def test_a_layer_that_dies():
    with Watched() as program:
        tx, params = optax.sgd(0.01), make()
        state = tx.init(params)
        for number in range(30):
            gradients = jax.grad(mse)(params)
            gradients["hidden"] = jax.tree.map(lambda g, alive=number < 7: g * alive, gradients["hidden"])
            updates, state = tx.update(gradients, state)
            params = optax.apply_updates(params, updates)
    events = Reading("runs/train-1").events()
    assert [(e.at, e.code, e.variable) for e in events] == [
        (7, "W401", f"params['hidden']['{leaf}']") for leaf in ("bias", "kernel")
    ]
    assert [g.updates for g in program.groups()] == [30]


def test_flax_and_equinox():
    pytest.importorskip("flax")
    eqx = pytest.importorskip("equinox")
    from flax import nnx
    from flax.training.train_state import TrainState

    with Watched() as program:
        held = TrainState.create(apply_fn=None, params=make(), tx=optax.adam(1e-3))
        step = jax.jit(lambda held: held.apply_gradients(grads=jax.grad(mse)(held.params)))
        for _ in range(11):
            held = step(held)
        assert (int(held.step), int(held.opt_state[0].count)) == (11, 11)

        model = nnx.Linear(4, 1, rngs=nnx.Rngs(0))
        optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)

        @nnx.jit
        def nnx_step(model, optimizer):
            optimizer.update(model, nnx.grad(lambda m: jnp.mean(jnp.square(m(X) - Y)))(model))

        for _ in range(12):
            nnx_step(model, optimizer)
        assert int(optimizer.opt_state[0].count[...]) == 12

        network, optim = eqx.nn.MLP(4, 1, 8, 1, key=jax.random.PRNGKey(0)), optax.adam(1e-3)
        state = optim.init(eqx.filter(network, eqx.is_inexact_array))

        @eqx.filter_jit
        def update(network, state, optim):  # a transformation is a pytree, and is put together anew
            gradients = eqx.filter_grad(lambda m: jnp.mean(jnp.square(jax.vmap(m)(X) - Y)))(network)
            updates, state = optim.update(gradients, state, eqx.filter(network, eqx.is_inexact_array))
            return eqx.apply_updates(network, updates), state

        for _ in range(13):
            network, state = update(network, state, optim)
    found = [(g.name, g.updates, g.looks, g.variables[0].name) for g in program.groups()]
    assert sorted(found, key=lambda group: group[1]) == [
        ("optimizer", 11, 11, "params['hidden']['bias']"),
        ("optimizer (2)", 12, 12, "params['bias']"),
        ("optim", 13, 13, "params.layers[0].weight"),
    ]
    assert program.notes == ""


def looked_into():
    """Everything that a program may do with its state; what came of it."""
    params, found = make(), []
    tx = optax.inject_hyperparams(optax.adam)(learning_rate=0.01)
    state, step = tx.init(params), stepper(tx, jit=False)
    for number in range(4):
        state.hyperparams["learning_rate"] = jnp.float32(0.01 * 0.9**number)
        params, state = step(params, state)
    adam = state.inner_state[0]
    found += [isinstance(adam, optax.ScaleByAdamState), int(adam.count), type(state.inner_state) is tuple]
    found.append(isinstance(state.inner_state[1], optax.EmptyState))
    for other in (
        state._replace(count=jnp.zeros([], jnp.int32)),
        state._replace(inner_state=(adam._replace(count=jnp.int32(7)), *state.inner_state[1:])),
        type(state)(*state),
        optax.tree_utils.tree_set(state, learning_rate=jnp.float32(0.5)),
        optax.tree_map_params(tx, lambda leaf: leaf * 2, state),
        optax.tree_map_params(tx, lambda leaf: leaf * 2, state, transform_non_params=lambda leaf: leaf),
        copy.deepcopy(state),
        copy.copy(state),
        pickle.loads(pickle.dumps(state)),
        jax.tree.map(lambda leaf: leaf, state),
        jax.tree.map(lambda a, b: (a + b) / 2, state, state),  # ours is no whole number any more
        jax.tree.map(jnp.zeros_like, state),
    ):
        found.append(step(params, other))
    found.append(optax.tree_utils.tree_get(state, "learning_rate"))
    init, update = optax.sgd(0.1)
    found.append(update(jax.grad(mse)(params), init(params))[0])
    return jax.tree.map(np.asarray, found), repr(found)


def test_a_program_may_look_into_its_state():
    plain, text = looked_into()
    with Watched() as program:
        found, shown = looked_into()
        assert shown == text
    assert same(plain[:4], found[:4])
    assert "float32" in program.notes  # of the mean of two states
    assert "a state of `tx` was not watched: it did not come from `init`" in program.notes  # it was read with pickle
    assert program.groups()[0].name == "tx"
    assert program.groups()[0].updates >= 4
    assert not Reading("runs/train-1").events()  # a state of zeros is no dead gradient


def test_files_are_those_of_the_program_alone(tmp_path):
    pytest.importorskip("flax")
    eqx = pytest.importorskip("equinox")
    orbax = pytest.importorskip("orbax.checkpoint")
    from flax import serialization

    def save(folder, params, state):
        folder.mkdir()
        eqx.tree_serialise_leaves(folder / "state.eqx", state)
        with orbax.StandardCheckpointer() as checkpointer:
            checkpointer.save(folder / "orbax", {"params": params, "state": state})
        (folder / "state.msgpack").write_bytes(serialization.to_bytes(state))
        (folder / "state.pkl").write_bytes(pickle.dumps(state))

    def read(folder, params, state):
        yield eqx.tree_deserialise_leaves(folder / "state.eqx", state)
        with orbax.StandardCheckpointer() as checkpointer:
            yield checkpointer.restore(folder / "orbax", {"params": params, "state": state})["state"]
            wanted = jax.tree.map(_abstract, {"params": params, "state": state})
            yield checkpointer.restore(folder / "orbax", wanted)["state"]
        yield serialization.from_bytes(state, (folder / "state.msgpack").read_bytes())
        yield pickle.loads((folder / "state.pkl").read_bytes())

    params, state = train(optax.adam(0.01), 5, jit=False)
    save(tmp_path / "plain", params, state)
    with Watched():
        tx = optax.adam(0.01)
        _, watched = train(tx, 5, jit=False)
        save(tmp_path / "watched", params, watched)
        fresh = tx.init(params)
        for number, found in enumerate(read(tmp_path / "plain", params, fresh)):
            assert same(found[0], state[0])
            stepper(tx)(params, found)
            assert (jax.tree.structure(found) == jax.tree.structure(fresh)) == (number < 4)  # pickle: as it was
    for found in read(tmp_path / "watched", params, optax.adam(0.01).init(params)):
        assert same(found, state)
        assert jax.tree.structure(found) == jax.tree.structure(state)
    for name in ("state.eqx", "state.msgpack"):
        assert (tmp_path / "plain" / name).read_bytes() == (tmp_path / "watched" / name).read_bytes()


def _abstract(leaf):
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=leaf.sharding)


def whole(updates=150):
    """A training in one function, as in PureJaxRL."""

    def run(seed):
        params = jax.tree.map(lambda leaf: leaf * (1 + seed), make())
        tx = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(1e-2))

        def body(carry, number):
            params, state = carry
            updates, after = tx.update(jax.grad(mse)(params), state, params)
            return jax.lax.cond(
                number % 2 == 0, lambda: (optax.apply_updates(params, updates), after), lambda: (params, after)
            ), None

        return jax.lax.scan(body, (params, tx.init(params)), jnp.arange(updates))[0]

    return run


def test_a_scan_that_holds_the_training_and_many_seeds():
    seeds = jnp.arange(3.0)
    plain, lanes = jax.jit(whole())(1.0)[0], jax.jit(jax.vmap(whole()))(seeds)[0]
    with Watched() as program:
        assert same(jax.jit(whole())(1.0)[0], plain)
        found = jax.jit(jax.vmap(whole()))(seeds)[0]
        # Compiled together with a look, the same product may be rounded otherwise in its last bit.
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5), found, lanes)
    groups = program.groups()
    assert [(g.name, g.updates) for g in groups] == [("tx", 150), ("tx (2)", 150)]
    last = Reading("runs/train-1").looks(groups[1].id)[-1]
    assert last.last == 149
    assert np.isfinite(last.rows[:, INDEX["norm"]]).all()


def test_a_state_that_never_comes_out_is_said():
    with Watched() as program:
        jax.jit(lambda seed: whole(5)(seed)[0])(1.0)
    assert "never came out of a compiled function" in program.notes
    assert program.groups() == []


def test_what_cannot_be_watched_goes_on_and_is_said():
    def update(gradients, state, params=None):
        return jax.tree.map(lambda g: -0.01 * g, gradients), {"count": state["count"] + 1}

    def by_hand():
        return optax.GradientTransformation(lambda params: {"count": jnp.zeros([])}, update)

    plain, _ = train(by_hand(), 5)
    with Watched() as program:
        tx = by_hand()
        params, state = train(tx, 5)
    assert same(plain, params)
    assert state == {"count": 5}
    assert program.notes.startswith("`tx` was not watched: its state is no named tuple")


def test_an_optimizer_around_another_is_watched_once():
    def twice(inner):
        def init(params):
            return {"inner": inner.init(params)}

        def update(gradients, state, params=None):
            _, state = inner.update(gradients, state["inner"], params)
            updates, state = inner.update(gradients, state, params)
            return updates, {"inner": state}

        return optax.GradientTransformation(init, update)

    plain, _ = train(twice(optax.adam(0.01)), 5, jit=False)
    with Watched() as program:
        tx = twice(optax.adam(0.01))
        params, state = train(tx, 5, jit=False)
    assert same(plain, params)
    assert int(state["inner"][0].count) == 10
    assert [(g.name, g.updates) for g in program.groups()] == [("tx", 5)]


def test_a_program_that_watches_by_itself_is_watched_once(tmp_path):
    with Watched() as program:
        with watch(None, optax.adam(0.01), run=tmp_path / "own", every=1) as tx:
            train(tx, 4)
        assert [(g.name, g.updates) for g in Reading(tmp_path / "own").groups()] == [("optimizer", 4)]
    assert program.groups() == []


def test_an_optimizer_that_is_made_anew_goes_on_with_the_state():
    with Watched() as program:
        params = make()
        state = optax.adam(0.01).init(params)
        for _ in range(9):
            params, state = stepper(optax.adam(0.01), jit=False)(params, state)
    assert [(g.updates, g.looks) for g in program.groups()] == [(9, 9)]
    assert program.notes == ""


def test_optax_is_as_before_when_it_is_over():
    fields = {name: vars(optax.GradientTransformation)[name] for name in ("init", "update")}
    setting, init = optax.tree_utils.tree_set, optax.MultiSteps.init
    with Watched():
        tx = optax.adam(0.01)
        params, state = train(tx, 2)
        assert vars(optax.GradientTransformation)["init"] is not fields["init"]
    assert {name: vars(optax.GradientTransformation)[name] for name in ("init", "update")} == fields
    assert (optax.tree_utils.tree_set, optax.MultiSteps.init) == (setting, init)
    assert "__iter__" not in vars(optax.GradientTransformation)
    stepper(tx)(params, state)  # goes on with what it holds
