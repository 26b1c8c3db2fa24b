"""`whygrad.contract` and `assert_learns` on TensorFlow with Keras 3."""

from __future__ import annotations

import keras
import pytest
import tensorflow as tf

import whygrad
from whygrad import BrokenContract
from whygrad.testing import assert_learns
from whygrad.trace import declared


@pytest.fixture(autouse=True)
def _nothing_declared_before(monkeypatch):
    monkeypatch.setattr(declared, "_by_line", {})
    monkeypatch.setattr(declared, "_alive", type(declared._alive)())


def mlp(inputs: int) -> keras.Sequential:
    return keras.Sequential([keras.Input((inputs,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])


class Agent:
    def __init__(self) -> None:
        keras.utils.set_random_seed(0)
        self.actor, self.critic = mlp(3), mlp(4)
        self.actor_optimizer, self.critic_optimizer = keras.optimizers.SGD(0.01), keras.optimizers.SGD(0.01)
        self.states, self.actions = tf.random.normal((8, 3)), tf.random.normal((8, 1))

    def critic_step(self) -> None:
        with tf.GradientTape() as tape:
            critic_loss = tf.reduce_mean(self.critic(tf.concat([self.states, self.actions], 1)) ** 2)
        gradients = tape.gradient(critic_loss, self.critic.trainable_variables)
        self.critic_optimizer.apply_gradients(zip(gradients, self.critic.trainable_variables, strict=True))

    def actor_loss(self, cut: bool = False) -> tf.Tensor:
        actions = self.actor(self.states)
        if cut:
            actions = tf.stop_gradient(actions)
        return -tf.reduce_mean(self.critic(tf.concat([self.states, actions], 1)))

    def actor_step(self, cut: bool = False, both: bool = False) -> None:
        with tf.GradientTape() as tape:
            actor_loss = self.actor_loss(cut)
        variables = self.actor.trainable_variables
        if both:
            variables = variables + self.critic.trainable_variables
        gradients = tape.gradient(actor_loss, variables)
        self.actor_optimizer.apply_gradients(zip(gradients, variables, strict=True))


@pytest.fixture
def agent() -> Agent:
    return Agent()


def contracts_of(agent: Agent, first: str = "actor loss") -> tuple[whygrad.Contract, whygrad.Contract]:
    return (
        whygrad.Contract(first, trains=[agent.actor], leaves=[agent.critic]),
        whygrad.Contract("critic loss", trains=agent.critic, leaves=agent.actor),
    )


def test_kept_also_when_compiled(agent):
    def update() -> None:
        agent.critic_step()
        agent.actor_step()

    with whygrad.checking(*contracts_of(agent)):
        update()
    compiled = whygrad.checking(*contracts_of(agent), updates=1)(tf.function(update))
    for _ in range(3):
        compiled()


@pytest.mark.parametrize("name", ["actor loss", "policy"])
def test_broken(agent, name):
    with pytest.raises(BrokenContract) as caught, whygrad.checking(*contracts_of(agent, name)):
        agent.critic_step()
        agent.actor_step(cut=True)
    assert isinstance(caught.value.__cause__, ValueError)  # Keras: no gradients provided for any variable
    (finding,) = caught.value.report.findings
    assert (finding.code, finding.contract) == ("W102", name)

    agent = Agent()
    with pytest.raises(BrokenContract) as caught, whygrad.checking(*contracts_of(agent, name)):
        agent.critic_step()
        agent.actor_step(both=True)
    (finding,) = [f for f in caught.value.report.findings if f.contract]
    assert (finding.code, finding.contract) == ("W205", name)
    assert "tape.gradient(actor_loss, variables)" in str(caught.value)


def test_an_asked_and_unapplied_gradient_is_no_leak(agent):
    actor, _ = contracts_of(agent)
    with actor:
        with tf.GradientTape() as tape:
            actor_loss = agent.actor_loss()
        wanted = agent.actor.trainable_variables
        gradients = tape.gradient(actor_loss, wanted + agent.critic.trainable_variables)
        agent.actor_optimizer.apply_gradients(zip(gradients[: len(wanted)], wanted, strict=True))


def test_on_demand(agent):
    actor, _ = contracts_of(agent)
    actor.check(agent.actor_loss)
    with pytest.raises(BrokenContract) as caught:
        actor.check(agent.actor_loss, cut=True)
    assert [f.code for f in caught.value.report.findings] == ["W102"]
    with tf.GradientTape(persistent=True) as tape:
        whole, cut = agent.actor_loss(), agent.actor_loss(cut=True)
    actor.check(tape, whole)
    with pytest.raises(BrokenContract) as caught:
        actor.check(tape, cut)
    assert len(caught.value.report.findings[0].variables) == 4
    with tf.GradientTape() as tape:
        whole = agent.actor_loss()
    with pytest.raises(TypeError, match="would use the tape up"):
        actor.check(tape, whole)


@pytest.mark.parametrize(
    "form",
    [
        lambda a: a.actor.trainable_variables,
        lambda a: a.actor.layers,
        lambda a: {"net": a.actor},
        lambda a: a.actor.layers[-1].kernel,
        lambda a: "actor",
        lambda a: [v.value for v in a.actor.trainable_variables],
    ],
)
def test_networks_in_every_form(agent, form):
    actor = agent.actor
    with whygrad.Contract("actor loss", trains=form(agent), leaves=agent.critic):
        agent.actor_step()
    with pytest.raises(BrokenContract), whygrad.Contract("actor loss", trains=form(agent), leaves=agent.critic):
        agent.actor_step(cut=True)
    assert actor is agent.actor


def test_a_frozen_network_is_told(agent):
    agent.actor.trainable = False
    contract = whygrad.Contract("actor loss", trains=agent.actor)
    with pytest.raises(BrokenContract) as caught, contract, tf.GradientTape() as tape:
        actor_loss = agent.actor_loss()
        tape.gradient(actor_loss, agent.critic.trainable_variables)
    assert [f.code for f in caught.value.report.findings] == ["W109"]


def half_step(agent: Agent) -> None:
    """Trains the first layer of the critic only."""
    with tf.GradientTape() as tape:
        critic_loss = tf.reduce_mean(agent.critic(tf.concat([agent.states, agent.actions], 1)) ** 2)
    body = agent.critic.layers[0].trainable_variables
    agent.critic_optimizer.apply_gradients(zip(tape.gradient(critic_loss, body), body, strict=True))


def test_what_nobody_asks_for_is_not_trained(agent):
    with pytest.raises(BrokenContract) as caught, whygrad.Contract("critic loss", trains=agent.critic):
        half_step(agent)
    assert [(f.code, len(f.variables)) for f in caught.value.report.findings] == [("W201", 2)]


def test_declared_intent_silences_the_rules(agent):
    assert [f.code for f in whygrad.explain(half_step, agent).findings] == ["W201"]
    body, head = agent.critic.layers
    whygrad.contract("critic loss", trains=[body], leaves=[head])
    assert whygrad.explain(half_step, agent).findings == ()


def test_assert_learns(agent):
    assert_learns(agent.actor_step, agent.actor)
    assert_learns(agent.critic_step, agent.critic.trainable_variables, updates=2)
    with pytest.raises(AssertionError, match="the step failed: ValueError: No gradients provided") as caught:
        assert_learns(agent.actor_step, agent.actor, cut=True)
    assert "error[W102]" in str(caught.value)
    with pytest.raises(AssertionError, match="4 variables do not learn") as caught:
        assert_learns(agent.critic_step, [agent.critic, agent.actor])
    assert "actor.dense.kernel" in str(caught.value) or "it did not change" in str(caught.value)
    assert_learns(agent.critic_step, [agent.critic, agent.actor], frozen=agent.actor)


def test_assert_learns_under_fit():
    model = mlp(3)
    model.compile("sgd", "mse")
    x, y = tf.random.normal((16, 3)), tf.random.normal((16, 1))
    assert_learns(model.fit, model, x, y, verbose=0)
