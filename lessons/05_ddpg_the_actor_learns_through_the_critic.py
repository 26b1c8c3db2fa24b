# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Lesson 5: DDPG, the actor learns through the critic
#
# DDPG has two networks. The critic says what an action is worth in a state. The actor chooses the action. Nobody
# tells the actor what would have been right: it only sees in which direction the critic's value rises. So its
# gradient has to pass through the critic, into the action, into the actor, and anything on that way can cut it.
#
# The second half takes five causes that are often given for `No gradients provided` after somebody has modified an
# actor. Three of them can raise it. Two cannot: they fail in silence, which is worse.

# %%
import os

import torch  # before TensorFlow, when one process uses both

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import jax.numpy as jnp
import keras
import numpy as np
import tensorflow as tf
from keras import layers
from torch import nn

import whygrad
from whygrad.testing import assert_learns

torch.manual_seed(0)
keras.utils.set_random_seed(0)


def codes(report):
    return [finding.code for finding in report.findings]


def twice(step):
    step()
    step()


def show(report):
    print("raised:", (report.script_error or "nothing")[:80])
    print(report)


# %% [markdown]
# ## The way of the gradient
#
# The smallest actor: one weight w, and the action is a = tanh(w). The smallest critic: Q(a) = -(a - 0.5)², best at
# 0.5. The actor's loss is -Q. By the chain rule its gradient is the critic's slope times the actor's: 2 (a - 0.5) ·
# (1 - a²).

# %%
w = 1.0
a = np.tanh(w)
by_hand = 2 * (a - 0.5) * (1 - a**2)

w_torch = torch.tensor(w, requires_grad=True)
((torch.tanh(w_torch) - 0.5) ** 2).backward()

w_tf = tf.Variable(w)
with tf.GradientTape() as tape:
    loss = (tf.tanh(w_tf) - 0.5) ** 2

in_jax = jax.grad(lambda w: (jnp.tanh(w) - 0.5) ** 2)(w)

answers = [w_torch.grad.item(), float(tape.gradient(loss, w_tf)), float(in_jax)]
print(f"by hand {by_hand:.4f}; PyTorch, TensorFlow, JAX: {', '.join(f'{x:.4f}' for x in answers)}")
assert np.allclose(answers, by_hand, atol=1e-6)

# %% [markdown]
# ```text
# by hand 0.2197; PyTorch, TensorFlow, JAX: 0.2197, 0.2197, 0.2197
# ```
#
# Real networks are the same with more numbers. From here on it is Keras, as in the text that we check.

# %%
STATE, ACTION = 4, 2
states = tf.random.normal((32, STATE))


class Actor(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden1 = layers.Dense(64, activation="relu")
        self.hidden2 = layers.Dense(32, activation="relu")
        self.action = layers.Dense(ACTION, activation="tanh")

    def call(self, state):
        return self.action(self.hidden2(self.hidden1(state)))


critic = keras.Sequential([keras.Input((STATE + ACTION,)), layers.Dense(32, "relu"), layers.Dense(1)])


def worth(actions):
    return tf.reduce_mean(critic(tf.concat([states, actions], axis=1)))


def apply(optimizer, grads, variables):
    optimizer.apply_gradients(zip(grads, variables, strict=True))


# %% [markdown]
# One step of the actor. Its optimizer gets the actor's variables alone, so the critic, through which the gradient
# passes, stays as it is.

# %%
actor, optimizer = Actor(), keras.optimizers.Adam(1e-3)


def actor_step():
    with tf.GradientTape() as tape:
        loss = -worth(actor(states))
    grads = tape.gradient(loss, actor.trainable_variables)
    apply(optimizer, grads, actor.trainable_variables)


report = whygrad.explain(actor_step)
assert codes(report) == []

before, critic_before = float(worth(actor(states))), critic.get_weights()
for _ in range(50):
    actor_step()
after = float(worth(actor(states)))
print(f"the critic's opinion of the actor: {before:.3f} before, {after:.3f} after 50 steps")
assert after > before
assert all((x == y).all() for x, y in zip(critic_before, critic.get_weights(), strict=True))

# %% [markdown]
# A squared distance to "target actions" also gives the actor gradients, and is sometimes offered as its loss. But
# DDPG has no target actions. That loss is imitation, and the critic has no part in it:

# %%
with tf.GradientTape() as tape:
    loss = tf.reduce_mean((actor(states) - tf.zeros((32, ACTION))) ** 2)
assert tape.gradient(loss, critic.trainable_variables) == [None] * 4

# %% [markdown]
# ## Cause 1: a layer outside of the model
#
# The new layer is used by the actor and does not belong to it. The claim is that this raises `No gradients provided`.
# It raises nothing. Three quarters of the actor learn, and the new layer keeps its random weights. W201:

# %%
extra = layers.Dense(16, activation="relu")  # made beside the model


class WithStranger(Actor):
    def call(self, state):
        return self.action(extra(self.hidden2(self.hidden1(state))))


actor, optimizer = WithStranger(), keras.optimizers.Adam(1e-3)
actor(states)
extra_before = extra.get_weights()[0].copy()
report = whygrad.explain(actor_step)
show(report)
assert report.script_error is None
assert codes(report) == ["W201"]
assert len(actor.trainable_variables) == 6  # of the 8 that are in use
for _ in range(20):
    actor_step()
assert (extra.get_weights()[0] == extra_before).all()

# %% [markdown]
# The advice that comes with the claim is `actor.add(layer)`. A subclassed model has no `add`. A `Sequential` has one,
# but it puts the layer *after* the tanh, and the actions are no longer actions: 16 of them, and none is negative.

# %%
assert not hasattr(actor, "add")
try:
    _ = actor.hidden2.output  # to put a layer on it: another piece of advice that is going round
except AttributeError as error:
    print(error)
else:
    raise AssertionError("a layer of a subclassed model should have no `output`")

sequential = keras.Sequential([keras.Input((STATE,)), layers.Dense(ACTION, activation="tanh")])
sequential.add(layers.Dense(16, activation="relu"))
assert sequential(states).shape == (32, 16)
assert float(tf.reduce_min(sequential(states))) >= 0.0

# %% [markdown]
# Right: make the layer in `__init__`, as an attribute, and use it before the output. Then it is the model's own, and
# `assert_learns` confirms that every variable gets a finite gradient that is not zero, and changes.


# %%
class WithOwnLayer(Actor):
    def __init__(self):
        super().__init__()
        self.extra = layers.Dense(16, activation="relu")

    def call(self, state):
        return self.action(self.extra(self.hidden2(self.hidden1(state))))


actor, optimizer = WithOwnLayer(), keras.optimizers.Adam(1e-3)
actor(states)
assert len(actor.trainable_variables) == 8
assert_learns(actor_step, actor)

# %% [markdown]
# ## Cause 2: a detached action
#
# True, and the error is raised. Only the word is wrong: TensorFlow tensors have no `.detach()`. There it is
# `tf.stop_gradient` (W102), or a detour through NumPy to clip the actions or to add noise (W103).

# %%
assert not hasattr(actor(states), "detach")


def stopped_step():
    with tf.GradientTape() as tape:
        actions = tf.stop_gradient(actor(states))
        loss = -worth(actions)
    grads = tape.gradient(loss, actor.trainable_variables)
    apply(optimizer, grads, actor.trainable_variables)


def numpy_step():
    with tf.GradientTape() as tape:
        actions = np.clip(actor(states).numpy(), -1.0, 1.0)
        loss = -worth(actions)
    grads = tape.gradient(loss, actor.trainable_variables)
    apply(optimizer, grads, actor.trainable_variables)


for step, code in ((stopped_step, "W102"), (numpy_step, "W103")):
    report = whygrad.explain(step)
    show(report)
    assert "No gradients provided" in report.script_error
    assert codes(report) == [code]

# %% [markdown]
# ## Cause 3: clipping
#
# The claim: clipping can zero the gradients, "leading to this error". It cannot lead to it. A zero is a gradient; the
# error is about `None`. Clipped to a norm of 0 the actor stands still and nobody says a word, except whygrad (W405).

# %%
actor, optimizer = Actor(), keras.optimizers.Adam(1e-3)
actor(states)


def clipped_step(limit=0.0):
    with tf.GradientTape() as tape:
        loss = -worth(actor(states))
    grads = tape.gradient(loss, actor.trainable_variables)
    clipped, norm = tf.clip_by_global_norm(grads, limit)
    apply(optimizer, clipped, actor.trainable_variables)
    return float(norm), float(tf.linalg.global_norm(clipped))


weights = actor.get_weights()
report = whygrad.explain(clipped_step)
show(report)
assert report.script_error is None
assert codes(report) == ["W405"]
raw, left = clipped_step()
assert raw > 0.0 and left == 0.0
assert all((x == y).all() for x, y in zip(weights, actor.get_weights(), strict=True))

# %% [markdown]
# Clipped "before the gradient computation" it is not a gradient that is clipped, but a value. Where every action is
# out of range the clip is flat and the gradient exactly zero: W401, again without an error. (One update may be zero
# by chance, so whygrad wants to see two.)

# %%
far_out = keras.Sequential(
    [
        keras.Input((STATE,)),
        layers.Dense(32, "relu"),
        layers.Dense(ACTION, bias_initializer=keras.initializers.Constant(5.0)),
    ]
)
far_optimizer = keras.optimizers.Adam(1e-3)
assert float(tf.reduce_min(far_out(states))) > 1.0


def clipped_values_step():
    with tf.GradientTape() as tape:
        actions = tf.clip_by_value(far_out(states), -1.0, 1.0)
        loss = -worth(actions)
    grads = tape.gradient(loss, far_out.trainable_variables)
    apply(far_optimizer, grads, far_out.trainable_variables)
    return float(tf.linalg.global_norm(grads))


report = whygrad.explain(twice, clipped_values_step)
show(report)
assert codes(report) == ["W401"]
assert clipped_values_step() == 0.0


# %% [markdown]
# ## Cause 4: a loss that does not depend on the actor
#
# True, and the error is raised. The usual form: the critic is asked about the actions of the replay memory, and not
# about those that the actor would choose now. W105:

# %%
replayed = tf.random.uniform((32, ACTION), -1.0, 1.0)


def unrelated_step():
    with tf.GradientTape() as tape:
        loss = -worth(replayed)
    grads = tape.gradient(loss, actor.trainable_variables)
    apply(optimizer, grads, actor.trainable_variables)


report = whygrad.explain(unrelated_step)
show(report)
assert "No gradients provided" in report.script_error
assert codes(report) == ["W105"]

# %% [markdown]
# ## Cause 5: the optimizer's variables
#
# Half true. If the list of variables is that of an actor that has been replaced since, the gradients are `None` and
# the error is raised. If the *optimizer* was built for the old actor, Keras raises another one, and no gradient is
# missing (W202). And the advice to give the optimizer its variables when it is created does not work in Keras: it has
# no such argument.

# %%
old_actor, actor = Actor(), Actor()
old_actor(states)
with tf.GradientTape() as tape:
    loss = -worth(actor(states))
assert tape.gradient(loss, old_actor.trainable_variables) == [None] * 6  # the first case

# %%
optimizer = keras.optimizers.Adam(1e-3)
actor_step()  # builds the optimizer for this actor
actor = Actor()  # modified, and made anew
actor(states)
report = whygrad.explain(actor_step)
show(report)
assert "can only be called for the variables it was originally built with" in report.script_error
assert codes(report) == ["W202"]

try:
    keras.optimizers.Adam(actor.trainable_variables)
except ValueError as error:
    print(str(error)[:44])
else:
    raise AssertionError("Keras should have refused a list of variables")

# %% [markdown]
# PyTorch's optimizers do take the parameters when they are made. There the same slip is silent: the optimizer goes on
# with the old tensors, which get no gradient, and steps over nothing.

# %%
torch_critic = nn.Linear(STATE + ACTION, 1)
torch_states = torch.randn(32, STATE)


def torch_step():
    actions = torch_actor(torch_states)
    loss = -torch_critic(torch.cat([torch_states, actions], dim=1)).mean()
    torch_optimizer.zero_grad()
    loss.backward()
    torch_optimizer.step()


with whygrad.record() as run:  # from the making of the networks on, as `whygrad run` sees it
    torch_actor = nn.Sequential(nn.Linear(STATE, 16), nn.Tanh(), nn.Linear(16, ACTION), nn.Tanh())
    torch_optimizer = torch.optim.Adam(torch_actor.parameters(), lr=1e-3)
    torch_actor[2] = nn.Linear(16, ACTION)  # a new head; the optimizer holds the old one
    new_head = torch_actor[2].weight.detach().clone()
    torch_step()
show(run.report)
assert run.report.script_error is None
assert codes(run.report) == ["W202"]
assert torch_actor[2].weight.grad is not None  # it gets a gradient
assert torch.equal(torch_actor[2].weight, new_head)  # and nobody applies it

# %% [markdown]
# ## A saturated tanh
#
# An actor can also lose its gradient with everything connected. The slope of tanh at x is 1 - tanh²(x): 0.0099 at 3,
# and at 10 nothing is left in float32, where tanh(10) is exactly 1. States that are not scaled bring most actions
# there, a last layer that has drifted away all of them. W401:

# %%
x = torch.tensor([0.0, 3.0, 10.0], requires_grad=True)
torch.tanh(x).sum().backward()
print("slope of tanh at 0, 3 and 10:", x.grad.numpy().round(4))
assert np.allclose(x.grad.numpy(), [1.0, 0.0099, 0.0], atol=1e-4)
assert x.grad[2] == 0.0


def saturated_step():
    actions = torch_actor(torch_states)
    loss = -torch_critic(torch.cat([torch_states, actions], dim=1)).mean()
    torch_optimizer.zero_grad()
    loss.backward()
    torch_optimizer.step()


torch_actor = nn.Sequential(nn.Linear(STATE, 16), nn.ReLU(), nn.Linear(16, ACTION), nn.Tanh())
torch_optimizer = torch.optim.Adam(torch_actor.parameters(), lr=1e-3)
at_the_end = (torch_actor(1_000.0 * torch_states).abs() == 1.0).float().mean().item()
print(f"states that are 1,000 times too large: {at_the_end:.0%} of the actions at the flat end")
assert at_the_end > 0.8

with torch.no_grad():
    torch_actor[2].bias += 20.0  # a last layer that has drifted far out
report = whygrad.explain(twice, saturated_step)
show(report)
assert codes(report) == ["W401"]

# %% [markdown]
# The repair is to keep what goes into the tanh near zero: scale the states, begin with a small last layer, and do not
# put a second tanh behind the first.
#
# ## A modified actor, done right
#
# The whole of it: layers as attributes, normalised inside, a small last layer, optimizers made after the networks,
# each with its own variables, and a contract that says what the loss trains. The contract is checked on the first
# updates and then steps out of the way.


# %%
class Modified(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = [layers.Dense(64, "relu"), layers.LayerNormalization(), layers.Dense(32, "relu")]
        self.action = layers.Dense(ACTION, "tanh", kernel_initializer=keras.initializers.RandomUniform(-3e-3, 3e-3))

    def call(self, state):
        for layer in self.body:
            state = layer(state)
        return self.action(state)


actor = Modified()
actor(states)
assert len(actor.trainable_variables) == 8  # Keras tracks layers in a list, too
assert float(tf.reduce_max(tf.abs(actor(states)))) < 0.1  # far from the flat ends

optimizer = keras.optimizers.Adam(1e-3)
checked_step = whygrad.contract("actor loss", trains=[actor], leaves=[critic])(actor_step)
before = float(worth(actor(states)))
for _ in range(20):
    checked_step()
after = float(worth(actor(states)))
print(f"the critic's opinion of the modified actor: {before:.3f}, then {after:.3f}")
assert after > before

# %% [markdown]
# With whygrad's own DDPG the actor is given as a network, and everything else stays: `train(DDPG(), "Pendulum-v1",
# steps=20_000, networks={"actor": make_actor})`. There the actor ends before the tanh, which the agent adds itself.
#
# ## What to take away
#
# | claimed cause | raises `No gradients provided`? | whygrad |
# |---|---|---|
# | a layer that the model does not own | no, silent | W201 |
# | a stopped or NumPy action | yes | W102, W103 |
# | clipping | no, silent | W405, W401 |
# | a loss without the actor | yes | W105 |
# | variables of another actor | yes, or another error; silent in PyTorch | W105, W202 |
#
# **Try it.** In `WithStranger`, put the layer into a plain Python object, `self.parts = SimpleNamespace(extra=…)`.
# Does Keras track it? Which code does whygrad give?
