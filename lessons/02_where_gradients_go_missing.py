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
# # Lesson 2: where gradients go missing
#
# A network learns from one thing only: the gradient of a loss with respect to its variables. Sometimes there is none.
# Then TensorFlow returns `None`, PyTorch leaves `.grad` at `None`, and JAX returns zeros. Now and then one of them
# raises an error. Often all of them are silent, and the loss of the *other* networks keeps falling.
#
# There are nine ways to lose a gradient. whygrad calls them W101 to W109. Below is one small program for each: what
# the framework says, what whygrad finds, and the repair. Run the cells in order and read the reports.
#
# `whygrad.explain(step)` runs one training step and returns a report. If the step raises, the error is kept in
# `report.script_error`, so we see what the framework had to say.

# %%
import os
import warnings

import torch  # before TensorFlow, when one process uses both

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import jax.numpy as jnp
import keras
import numpy as np
import tensorflow as tf
from torch import nn

import whygrad

torch.manual_seed(0)
keras.utils.set_random_seed(0)

rng = np.random.default_rng(0)
states_np = rng.normal(size=(8, 4)).astype("float32")
targets_np = rng.normal(size=(8, 1)).astype("float32")


def codes(report):
    """The codes of the findings, such as ['W101']."""
    return [finding.code for finding in report.findings]


def show(report):
    print("raised:", report.script_error or "nothing")
    print(report)


# %% [markdown]
# The same small network three times: 4 numbers in, 16 hidden units, 1 number out. Keras, PyTorch, plain JAX.


# %%
def make_keras():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])


def make_torch(inputs=4, outputs=1):
    return nn.Sequential(nn.Linear(inputs, 16), nn.Tanh(), nn.Linear(16, outputs))


def jax_net(params, x):
    return jnp.tanh(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]


jax_params = {
    "w1": jnp.asarray(rng.normal(size=(4, 16)) / 2, jnp.float32),
    "b1": jnp.zeros(16),
    "w2": jnp.asarray(rng.normal(size=(16, 1)) / 4, jnp.float32),
    "b2": jnp.zeros(1),
}

tf_states, tf_targets = tf.constant(states_np), tf.constant(targets_np)
torch_states, torch_targets = torch.from_numpy(states_np), torch.from_numpy(targets_np)
jax_states, jax_targets = jnp.asarray(states_np), jnp.asarray(targets_np)

# %% [markdown]
# ## W101: nobody recorded it
#
# A framework differentiates what it recorded and nothing else. A forward pass before the tape is opened, under
# `torch.no_grad()`, or outside of the function that JAX differentiates, is a constant.
#
# One fault, three answers. TensorFlow gives `None` for every variable, and it is the Keras optimizer that then raises
# the famous `No gradients provided for any variable`. PyTorch raises at `backward()`. JAX says nothing.

# %%
net_tf = make_keras()
optimizer_tf = keras.optimizers.Adam(1e-3)


def step_tf():
    predictions = net_tf(tf_states)  # too early
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((predictions - tf_targets) ** 2)
    grads = tape.gradient(loss, net_tf.trainable_variables)
    assert grads == [None] * 4
    optimizer_tf.apply_gradients(zip(grads, net_tf.trainable_variables, strict=True))


report = whygrad.explain(step_tf)
show(report)
assert "No gradients provided for any variable" in report.script_error
assert codes(report) == ["W101"]

# %%
net = make_torch()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def step_torch():
    with torch.no_grad():  # meant for evaluation, left around the training
        predictions = net(torch_states)
    loss = ((predictions - torch_targets) ** 2).mean()
    loss.backward()
    optimizer.step()


report = whygrad.explain(step_torch)
show(report)
assert "does not require grad and does not have a grad_fn" in report.script_error
assert codes(report) == ["W101"]


# %%
def step_jax(params):
    predictions = jax_net(params, jax_states)  # outside of the function that is differentiated

    def loss_function(params):
        return jnp.mean((predictions - jax_targets) ** 2)

    grads = jax.grad(loss_function)(params)
    assert all((g == 0).all() for g in jax.tree.leaves(grads))  # zeros, and not a word
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


report = whygrad.explain(step_jax, jax_params)
show(report)
assert report.script_error is None
assert codes(report) == ["W101"]


# %% [markdown]
# The repair is the same everywhere: call the network where the recording is on.


# %%
def repaired_tf():
    with tf.GradientTape() as tape:
        predictions = net_tf(tf_states)
        loss = tf.reduce_mean((predictions - tf_targets) ** 2)
    grads = tape.gradient(loss, net_tf.trainable_variables)  # after the block: that is allowed, and usual
    optimizer_tf.apply_gradients(zip(grads, net_tf.trainable_variables, strict=True))
    return grads


report = whygrad.explain(repaired_tf)
print(report)
assert codes(report) == []
assert all(g is not None for g in repaired_tf())

# %% [markdown]
# A popular "repair" in PyTorch is `loss.requires_grad = True`. It silences the error and trains nothing: the loss
# becomes a leaf of its own, and behind it there is still no network.

# %%
with torch.no_grad():
    loss = ((net(torch_states) - torch_targets) ** 2).mean()
loss.requires_grad = True
loss.backward()  # no error any more
assert all(p.grad is None for p in net.parameters())  # and no gradient either

# %% [markdown]
# ## W102: it was stopped
#
# `.detach()`, `tf.stop_gradient` and `jax.lax.stop_gradient` return the same numbers as a constant. On a target that
# is right. On the only way to the network it is fatal, and where something else in the loss has parameters, PyTorch
# says nothing. Here the critic gets a gradient, the actor none.

# %%
actor, critic = make_torch(4, 2), make_torch(6, 1)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)


def value(critic, states, actions):
    return critic(torch.cat([states, actions], dim=1))


def step():
    chosen = actor(torch_states).detach()
    loss = -value(critic, torch_states, chosen).mean()
    actor_optimizer.zero_grad()
    loss.backward()
    actor_optimizer.step()


report = whygrad.explain(step)
show(report)
assert report.script_error is None
assert codes(report) == ["W102"]
assert all(p.grad is None for p in actor.parameters())
assert all(p.grad is not None for p in critic.parameters())


# %%
def repaired():
    loss = -value(critic, torch_states, actor(torch_states)).mean()
    actor_optimizer.zero_grad()
    loss.backward()
    actor_optimizer.step()


assert codes(whygrad.explain(repaired)) == []
assert all(p.grad is not None for p in actor.parameters())

# %% [markdown]
# TensorFlow tensors have no `detach`; the word there is `tf.stop_gradient`.

# %%
assert not hasattr(tf_states, "detach")
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = tf.stop_gradient(x) ** 2
assert tape.gradient(y, x) is None
assert jax.grad(lambda x: jax.lax.stop_gradient(x) ** 2)(3.0) == 0.0

# %% [markdown]
# ## W103: it left the framework
#
# A Python number and a NumPy array have no history. What went through `.item()`, `.numpy()` or Keras' `predict()`
# comes back as a constant: right as a number, nothing to the gradient.


# %%
def step():
    with tf.GradientTape() as tape:
        predictions = net_tf.predict(states_np, verbose=0)  # a NumPy array
        loss = tf.reduce_mean((tf_targets - predictions) ** 2)
    grads = tape.gradient(loss, net_tf.trainable_variables)
    optimizer_tf.apply_gradients(zip(grads, net_tf.trainable_variables, strict=True))


report = whygrad.explain(step)
show(report)
assert isinstance(net_tf.predict(states_np, verbose=0), np.ndarray)
assert "No gradients provided" in report.script_error
assert codes(report) == ["W103"]

# %% [markdown]
# The repair: call the model, `net(states, training=True)`, as in `repaired_tf` above. Wrapping the number in a new
# tensor with `requires_grad=True` is no repair: the gradient ends at the new tensor.

# %%
net.zero_grad()
wrapped = torch.tensor(net(torch_states).tolist(), requires_grad=True)
((wrapped - torch_targets) ** 2).mean().backward()
assert wrapped.grad is not None
assert all(p.grad is None for p in net.parameters())

# %% [markdown]
# ## W104: it has no derivative
#
# Which entry is the largest does not change when the entries move a little. So `argmax` has nothing to give, and
# neither have casts to int, comparisons, `round` and plain sampling. PyTorch refuses, if nothing else in the loss has
# parameters; JAX returns zeros without a word.

# %%
q_net = make_torch(4, 3)
q_optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)


def step():
    best = q_net(torch_states).argmax(dim=1)
    loss = -best.float().mean()
    q_optimizer.zero_grad()
    loss.backward()
    q_optimizer.step()


report = whygrad.explain(step)
show(report)
assert "does not require grad" in report.script_error
assert codes(report) == ["W104"]

grad = jax.grad(lambda x: jnp.argmax(x).astype(jnp.float32))(jnp.array([0.1, 0.7, 0.2]))
assert (grad == 0).all()

x = torch.tensor([0.3, 0.7], requires_grad=True)
assert not any(made.requires_grad for made in (x.int(), x > 0.5, torch.multinomial(x, 1)))
x.round().sum().backward()
assert (x.grad == 0).all()  # `round` has a gradient, and it is zero


# %% [markdown]
# The repair is to use the value and not its index. For a sampled action it is the log-probability: lesson 4.


# %%
def repaired():
    loss = -q_net(torch_states).max(dim=1).values.mean()
    q_optimizer.zero_grad()
    loss.backward()
    q_optimizer.step()


assert codes(whygrad.explain(repaired)) == []

# %% [markdown]
# ## W105: the loss ignores it
#
# The value head is computed and then dropped. It keeps its random weights, and the agent uses them all the same when
# it bootstraps. Nothing is raised. Keras warns, with a name that it made up: which head is `dense_4`? PyTorch does
# not even warn: its `.grad` is `None` and the optimizer passes over it.

# %%
inputs = keras.Input((4,))
features = keras.layers.Dense(16, "tanh")(inputs)
agent = keras.Model(inputs, [keras.layers.Dense(3)(features), keras.layers.Dense(1)(features)])
agent_optimizer = keras.optimizers.Adam(1e-3)
taken = tf.constant([0, 1, 2, 0, 1, 2, 0, 1])


def apply(tape, loss):
    grads = tape.gradient(loss, agent.trainable_variables)
    agent_optimizer.apply_gradients(zip(grads, agent.trainable_variables, strict=True))


def step():
    with tf.GradientTape() as tape:
        logits, _values = agent(tf_states)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(taken, logits))
    apply(tape, loss)


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    report = whygrad.explain(step)
[warning] = [str(w.message) for w in caught if "Gradients do not exist" in str(w.message)]
print(warning)
show(report)
assert "/kernel" in warning and "agent" not in warning
assert codes(report) == ["W105"]

# %%
value_head = nn.Linear(16, 1)
all_parameters = torch.optim.Adam([*net.parameters(), *value_head.parameters()], lr=1e-3)
with warnings.catch_warnings():
    warnings.simplefilter("error")  # a warning would stop us here
    ((net(torch_states) - torch_targets) ** 2).mean().backward()
    all_parameters.step()
assert value_head.weight.grad is None


# %% [markdown]
# The repair is a term of the loss that uses the head. If the head is not to be trained, leave it out of the
# optimizer.


# %%
def repaired():
    with tf.GradientTape() as tape:
        logits, values = agent(tf_states)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(taken, logits))
        loss += 0.5 * tf.reduce_mean((values - tf_targets) ** 2)
    apply(tape, loss)


assert codes(whygrad.explain(repaired)) == []

# %% [markdown]
# ## W106: nothing watches it
#
# Gradients are kept for trainable variables and watched tensors (TensorFlow), for leaves (PyTorch), for the arguments
# of the differentiated function (JAX). The usual victim is a loose number, such as a temperature.


# %%
def ask():
    log_alpha = tf.constant(0.0)
    with tf.GradientTape() as tape:
        loss = tf.exp(log_alpha) * 2.0
    return tape.gradient(loss, log_alpha)


report = whygrad.explain(ask)
show(report)
assert report.script_error is None
assert codes(report) == ["W106"]
assert ask() is None  # no error: just None

# %% [markdown]
# It is often said that constants do not get gradients. They do, if the tape watches them. In PyTorch the trap is a
# tensor that looks like a leaf and is the result of an operation.

# %%
variable, constant = tf.Variable(0.0), tf.constant(0.0)
with tf.GradientTape() as tape:
    tape.watch(constant)
    loss = tf.exp(variable) * 2.0 + tf.exp(constant) * 3.0
of_variable, of_constant = tape.gradient(loss, [variable, constant])
assert of_variable == 2.0  # the usual repair: a variable
assert of_constant == 3.0  # and a constant that is watched

weights = jnp.array(2.0)
assert jax.grad(lambda other: weights**2)(weights) == 0.0  # reads a global in place of its argument

log_alpha = torch.zeros(1, requires_grad=True) - 1.0  # the subtraction makes it a result
assert not log_alpha.is_leaf
log_alpha = torch.full((1,), -1.0, requires_grad=True)  # the repair
assert log_alpha.is_leaf
(2.0 * log_alpha.exp()).sum().backward()
assert log_alpha.grad is not None

# %% [markdown]
# ## W107: it was used up
#
# A backward pass frees the values that it used. Here a hidden state is carried into the next update, and with it the
# graph of the update before. PyTorch's error comes at `backward()`; the fault is the line that carried the state
# over.

# %%
cell = nn.GRUCell(4, 16)
cell_optimizer = torch.optim.Adam(cell.parameters(), lr=1e-3)


def updates(cut):
    hidden = torch.zeros(8, 16)
    for _ in range(2):
        hidden = cell(torch_states, hidden.detach() if cut else hidden)
        loss = hidden.pow(2).mean()
        cell_optimizer.zero_grad()
        loss.backward()
        cell_optimizer.step()


report = whygrad.explain(updates, cut=False)
show(report)
assert "backward through the graph a second time" in report.script_error
assert codes(report) == ["W107"]
assert codes(whygrad.explain(updates, cut=True)) == []

# %% [markdown]
# A `GradientTape` is used up by its first `gradient()`. That is the rule; where the call stands is free. Some texts
# forbid `tape.gradient` after the `with` block. It is what everybody does, and it works. What must be inside is the
# computation of the loss.

# %%
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x**2
assert tape.gradient(y, x) == 4.0  # after the block
try:
    tape.gradient(y, x)
except RuntimeError as error:
    print(error)
else:
    raise AssertionError("the second question should have been refused")

with tf.GradientTape() as tape:
    y = x**2
late = y * 3.0  # after the block: not recorded
assert tape.gradient(late, x) is None

# %% [markdown]
# ## W108: it was overwritten
#
# The gradient of a product needs the factors as they were. Between the actor's forward pass and its backward pass the
# critic's optimizer writes new weights in place. PyTorch notices the write and refuses, but its message does not say
# who wrote.

# %%
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
actions = torch.zeros(8, 2)


def step():
    actor_loss = -value(critic, torch_states, actor(torch_states)).mean()
    critic_loss = ((value(critic, torch_states, actions) - torch_targets) ** 2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()  # writes the critic's weights
    actor_optimizer.zero_grad()
    actor_loss.backward()  # needs them as they were
    actor_optimizer.step()


report = whygrad.explain(step)
show(report)
assert "modified by an inplace operation" in report.script_error
assert "critic_optimizer" not in report.script_error
assert codes(report) == ["W108"]


# %% [markdown]
# The repair is the order: compute the actor's loss after the critic's step.


# %%
def repaired():
    critic_loss = ((value(critic, torch_states, actions) - torch_targets) ** 2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    actor_loss = -value(critic, torch_states, actor(torch_states)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()


assert codes(whygrad.explain(repaired)) == []

# %% [markdown]
# ## W109: it is frozen
#
# The body was frozen for a warm-up, and nobody thawed it. PyTorch's optimizer passes over frozen parameters without a
# word. `net.train()` does not thaw them. This time we watch a block with `whygrad.record()`, so that the freezing is
# seen as well as the step.

# %%
body, head = make_torch(4, 16), nn.Linear(16, 1)
both = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)


def step():
    loss = ((head(body(torch_states)) - torch_targets) ** 2).mean()
    both.zero_grad()
    loss.backward()
    both.step()


with whygrad.record() as run:
    body.requires_grad_(False)
    step()
show(run.report)
assert run.report.script_error is None
assert codes(run.report) == ["W109"]
before = [p.clone() for p in body.parameters()]
body.train()
step()
assert all(torch.equal(a, b) for a, b in zip(before, body.parameters(), strict=True))

# %%
body.requires_grad_(True)
assert codes(whygrad.explain(step)) == []
assert all(not torch.equal(a, b) for a, b in zip(before, body.parameters(), strict=True))

# %% [markdown]
# ## What to take away
#
# | | cause | first question |
# |---|---|---|
# | W101 | unrecorded | was the tape open, was `no_grad` off, when the network was called? |
# | W102 | stopped | is the stop on the target's side of the loss, or on the network's? |
# | W103 | left the framework | does a `.numpy()`, `.item()`, `predict()` stand between network and loss? |
# | W104 | no derivative | do I use an index where I mean a value? |
# | W105 | ignored | which term of the loss trains this layer? |
# | W106 | not watched | is it a variable, a leaf, an argument? |
# | W107 | used up | does something old come along into this update? |
# | W108 | overwritten | who writes between forward and backward? |
# | W109 | frozen | who thaws it? |
#
# `None` and zero are not the same. `None` (or an error) means that there is no way from the loss to the variable. A
# zero in PyTorch and TensorFlow is a way with nothing on it: dead units, saturated ones, an advantage of zero. That
# is another family, W4xx, which lessons 4 and 5 meet. In JAX both are zeros, and whygrad tells them apart.
#
# On your own script: `whygrad run train.py`. For the manual page of a code: `whygrad explain W104`.
#
# **Try it.** In the cell of W102, put the `.detach()` around the value instead of the action. Which code do you
# expect? And what does PyTorch say this time?
