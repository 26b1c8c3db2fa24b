"""`whygrad.contract` and `assert_learns` on JAX: plain pytrees, Flax, Equinox, Optax."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import optax
import pytest

import whygrad
from whygrad import BrokenContract
from whygrad.testing import assert_learns
from whygrad.trace import declared


@pytest.fixture(autouse=True)
def _nothing_declared_before(monkeypatch):
    monkeypatch.setattr(declared, "_by_line", {})
    monkeypatch.setattr(declared, "_alive", type(declared._alive)())


def layer(seed: int, inputs: int, outputs: int) -> dict[str, jax.Array]:
    return {"w": 0.3 * jax.random.normal(jax.random.key(seed), (inputs, outputs)), "b": jnp.zeros(outputs)}


def dense(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    return x @ params["w"] + params["b"]


STATES = jax.random.normal(jax.random.key(9), (8, 3))
OPTIMIZER = optax.sgd(0.1)


def actor_loss(params: dict, states: jax.Array, cut: bool = False) -> jax.Array:
    actions = jnp.tanh(dense(params["actor"], states))
    if cut:
        actions = jax.lax.stop_gradient(actions)
    return -jnp.mean(dense(params["critic"], jnp.concatenate([states, actions], 1)))


def both_step(params: dict, cut: bool = False) -> dict:
    """One optimizer for everything: the actor's loss moves the critic too."""
    gradients = jax.grad(actor_loss)(params, STATES, cut)
    updates, _ = OPTIMIZER.update(gradients, OPTIMIZER.init(params))
    return optax.apply_updates(params, updates)


def actor_step(actor: dict, critic: dict, cut: bool = False) -> dict:
    gradients = jax.grad(lambda a: actor_loss({"actor": a, "critic": critic}, STATES, cut))(actor)
    updates, _ = OPTIMIZER.update(gradients, OPTIMIZER.init(actor))
    return optax.apply_updates(actor, updates)


@pytest.fixture
def params() -> dict:
    return {"actor": layer(0, 3, 1), "critic": layer(1, 4, 1)}


def test_kept_and_broken(params):
    contract = whygrad.Contract("actor loss", trains=params["actor"], leaves=params["critic"])
    with contract:
        actor_step(params["actor"], params["critic"])
    with pytest.raises(BrokenContract) as caught, contract:
        actor_step(params["actor"], params["critic"], cut=True)
    (finding,) = [f for f in caught.value.report.findings if f.contract]
    assert finding.code == "W102"
    assert "stop_gradient(actions)" in str(caught.value)


def test_what_is_to_be_left_alone(params):
    contract = whygrad.Contract("actor loss", trains=params["actor"], leaves=params["critic"])
    with pytest.raises(BrokenContract) as caught, contract:
        both_step(params)
    (finding,) = [f for f in caught.value.report.findings if f.contract]
    assert finding.code == "W205"
    assert len(finding.variables) == 2


def test_networks_by_name(params):
    for names in (("actor", "critic"), ("params['actor']", "params['critic']")):
        contract = whygrad.Contract("actor loss", trains=names[0], leaves=names[1])
        with pytest.raises(BrokenContract), contract:
            both_step(params)


def test_on_demand(params):
    contract = whygrad.Contract("actor loss", trains=params["actor"])
    contract.check(actor_loss, params, STATES)
    with pytest.raises(BrokenContract) as caught:
        contract.check(actor_loss, params, STATES, cut=True)
    assert [f.code for f in caught.value.report.findings if f.contract] == ["W102"]
    contract.check(both_step, params)


def test_a_decorated_step_gets_out_of_the_way(params):
    step = whygrad.Contract("actor loss", trains=params["actor"], updates=2)(jax.jit(both_step))
    for _ in range(4):
        params = step(params)


def test_equinox(params):
    eqx = pytest.importorskip("equinox")
    net = eqx.nn.MLP(3, 1, 8, 1, key=jax.random.key(0))

    def step(net, cut=False):
        def loss(net):
            out = jax.vmap(net)(STATES)
            return jnp.mean((jax.lax.stop_gradient(out) if cut else out) ** 2 + 0 * STATES.sum())

        gradients = eqx.filter_grad(loss)(net)
        return eqx.apply_updates(net, jax.tree.map(lambda g: -0.1 * g, gradients))

    with whygrad.Contract("loss", trains=net):
        step(net)
    with pytest.raises(BrokenContract), whygrad.Contract("loss", trains=net):
        step(net, cut=True)


def test_assert_learns(params):
    new = assert_learns(both_step, params)
    assert set(new) == {"actor", "critic"}
    assert_learns(both_step, params, updates=3)
    with pytest.raises(AssertionError, match="2 variables do not learn") as caught:
        assert_learns(both_step, params, cut=True)
    assert "W102" in str(caught.value) or "params['actor']['w']" in str(caught.value)
    assert_learns(both_step, params, cut=True, frozen=params["actor"])
