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
# # Lesson 1: networks and a training step
#
# A training step is five lines: forward pass, loss, gradient, update, and again. This lesson builds them from the
# bottom, in Keras with TensorFlow, and beside it in PyTorch and JAX. Eight exercises are scattered over it. Each has
# its worked solution in the cell below it: cover it, try, compare.

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
from torch import nn

import whygrad

keras.utils.set_random_seed(0)


def plot(name, losses):
    """A picture in the notebook, or as a file in the folder that WHYGRAD_LESSONS_OUT names."""
    folder = os.environ.get("WHYGRAD_LESSONS_OUT")
    if not folder and "get_ipython" not in globals():
        return
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    axes.plot(losses)
    axes.set(xlabel="step", ylabel="loss", title=name.replace("_", " "))
    if folder:
        os.makedirs(folder, exist_ok=True)
        figure.savefig(os.path.join(folder, f"lesson_1_{name}.png"))
    else:
        plt.show()
    plt.close(figure)


# %% [markdown]
# ## Two ways to make a network
#
# **Exercise 1.** Make a `Sequential` with one hidden layer (64 units, ReLU) for 4 numbers in and 2 out. What is the
# shape of its output for 10 states? How many parameters has it?
#
# `keras.Input((4,))` tells it the shape, so that it is built at once: 4 · 64 + 64 weights and biases, then 64 · 2 +
# 2.

# %%
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(2)])
assert model(tf.random.normal((10, 4))).shape == (10, 2)
assert model.count_params() == 4 * 64 + 64 + 64 * 2 + 2 == 450
model.summary()

# %% [markdown]
# A subclassed model says in `call` what it does. It does not know the shape of its input before it is called, so it
# has no variables until then. Whoever takes `trainable_variables` too early gets an empty list.


# %%
class QNetwork(keras.Model):
    def __init__(self, n_actions=2):
        super().__init__()
        self.d1 = keras.layers.Dense(64, activation="relu")
        self.d2 = keras.layers.Dense(64, activation="relu")
        self.out = keras.layers.Dense(n_actions)

    def call(self, x):
        return self.out(self.d2(self.d1(x)))


q_network = QNetwork()
assert q_network.trainable_variables == []
q_network(tf.zeros((1, 4)))
assert len(q_network.trainable_variables) == 6  # a kernel and a bias for each layer

# %% [markdown]
# ## Forward pass and loss
#
# The mean squared error is what its name says.

# %%
states, targets = tf.random.normal((32, 4)), tf.random.normal((32, 2))
loss = tf.reduce_mean((model(states) - targets) ** 2)
by_hand = np.mean((model(states).numpy() - targets.numpy()) ** 2)
assert np.isclose(loss, by_hand)

# %% [markdown]
# ## The tape
#
# **Exercises 2 and 6.** Find the derivative of x² at 3 and at 2 with a `GradientTape`.
#
# A tape records what happens while it is open. Asked afterwards, it answers. "Afterwards" is meant: you may read that
# `tape.gradient` must not stand after the `with` block. That is where it belongs. What has to be inside is the
# computation.

# %%
for at, slope in ((3.0, 6.0), (2.0, 4.0)):
    x = tf.Variable(at)
    with tf.GradientTape() as tape:
        y = x**2
    assert tape.gradient(y, x) == slope

# %% [markdown]
# With `tf.constant(3.0)` in place of the variable the answer is `None`, and nothing is raised. A tape watches
# trainable variables by itself; a constant it watches when it is told to. A Python number it cannot watch at all.

# %%
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x**2
assert tape.gradient(y, x) is None

with tf.GradientTape() as tape:
    tape.watch(x)
    y = x**2
assert tape.gradient(y, x) == 6.0

with tf.GradientTape() as tape:
    y = 3.0**2
try:
    tape.gradient(y, 3.0)
except AttributeError as error:
    print("a Python number:", error)
else:
    raise AssertionError("a Python number should have been refused")

# %% [markdown]
# PyTorch has no tape that you open: it records whatever has to do with a tensor that requires a gradient. JAX
# differentiates a function, not a computation that has happened.

# %%
x = torch.tensor(3.0, requires_grad=True)
(x**2).backward()
assert x.grad == 6.0
assert jax.grad(lambda x: x**2)(3.0) == 6.0

# %% [markdown]
# ## A training step
#
# **Exercise 3.** Write a step that takes states (32, 4) and targets (32, 2), and run it 50 times with Adam. Print the
# loss every 10 steps.
#
# Model and optimizer are made once, outside. The tape is made anew in each step.

# %%
optimizer = keras.optimizers.Adam(learning_rate=1e-3)


def train_step(states, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(states) - targets) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
    return loss


first_weights = [w.copy() for w in model.get_weights()]
report = whygrad.explain(train_step, states, targets)
print(report)
assert report.findings == ()

losses = [float(train_step(states, targets)) for _ in range(50)]
for step in range(0, 50, 10):
    print(f"step {step:2d}  loss {losses[step]:.4f}")
assert losses[-1] < losses[0]

# %% [markdown]
# The same step in PyTorch and JAX, from the same weights. A kernel of Keras is the transpose of a weight of PyTorch.
# The loss and every gradient agree.

# %%
w1, b1, w2, b2 = first_weights
states_np, targets_np = states.numpy(), targets.numpy()

net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
with torch.no_grad():
    for parameter, value in zip(net.parameters(), (w1.T, b1, w2.T, b2), strict=True):
        parameter.copy_(torch.tensor(value))
loss_torch = ((net(torch.tensor(states_np)) - torch.tensor(targets_np)) ** 2).mean()
loss_torch.backward()
grads_torch = [p.grad.numpy() for p in net.parameters()]


def jax_loss(params):
    w1, b1, w2, b2 = params
    return jnp.mean((jax.nn.relu(states_np @ w1 + b1) @ w2 + b2 - targets_np) ** 2)


loss_jax, grads_jax = jax.value_and_grad(jax_loss)([jnp.asarray(w) for w in first_weights])

model.set_weights(first_weights)
with tf.GradientTape() as tape:
    loss_tf = tf.reduce_mean((model(states) - targets) ** 2)
grads_tf = tape.gradient(loss_tf, model.trainable_variables)

print(f"TensorFlow {float(loss_tf):.6f}  PyTorch {loss_torch.item():.6f}  JAX {float(loss_jax):.6f}")
assert np.allclose([float(loss_tf), loss_torch.item()], float(loss_jax), atol=1e-6)
for in_tf, in_torch, in_jax in zip(grads_tf, grads_torch, grads_jax, strict=True):
    assert np.allclose(in_tf, in_jax, atol=1e-6)
    assert np.allclose(in_tf, in_torch.T, atol=1e-6)

# %% [markdown]
# ## Adam
#
# Adam divides a running mean of the gradients by the root of a running mean of their squares. So the *size* of a
# gradient cancels out. At the first step every weight moves by the learning rate, whether its gradient is 1000 or
# 0.001.

# %%
weights = tf.Variable([0.0, 0.0])
adam = keras.optimizers.Adam(learning_rate=0.01)
adam.apply_gradients([(tf.constant([1000.0, 0.001]), weights)])
assert np.allclose(weights.numpy(), [-0.01, -0.01], rtol=0.01)

# %% [markdown]
# The whole of it by hand, against Keras, over three steps:

# %%
weights = tf.Variable([0.0, 0.0])
adam = keras.optimizers.Adam(learning_rate=0.01)
mine, mean, square = np.zeros(2), np.zeros(2), np.zeros(2)
for t, g in enumerate(([1000.0, 0.001], [-500.0, 0.002], [20.0, 0.003]), start=1):
    adam.apply_gradients([(tf.constant(g), weights)])
    mean = 0.9 * mean + 0.1 * np.array(g)
    square = 0.999 * square + 0.001 * np.array(g) ** 2
    rate = 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)  # both means begin at zero: this makes up for it
    mine -= rate * mean / (np.sqrt(square) + 1e-7)
print("Keras", weights.numpy().round(4), "by hand", mine.round(4))
assert np.allclose(weights.numpy(), mine, atol=1e-5)

# %% [markdown]
# ## `tf.function`
#
# `@tf.function` runs the Python code once, writes down the TensorFlow operations (it *traces*), and from then on runs
# what was written down. Python code that is no TensorFlow operation, such as appending to a list, runs while tracing
# only.

# %%
seen = []


@tf.function
def compiled_step(states, targets):
    seen.append("traced")
    return train_step(states, targets)


for _ in range(5):
    compiled_step(states, targets)
assert seen == ["traced"]  # five calls, one entry

# %% [markdown]
# When is it traced again? For a tensor of a new shape or type. And for **every new Python number**, whatever its
# shape: numbers and lists of numbers are part of the program, by their value.


# %%
def count_traces(arguments):
    traces = []

    @tf.function
    def total(values):
        traces.append(1)
        return tf.reduce_sum(tf.convert_to_tensor(values))

    for argument in arguments:
        total(argument)
    return len(traces)


assert count_traces([tf.constant([i, 1.0]) for i in range(5)]) == 1  # tensors of one shape
assert count_traces([tf.zeros(i + 1) for i in range(5)]) == 5  # of five shapes
assert count_traces([tf.constant(1), tf.constant(1.0)]) == 2  # of two types
assert count_traces([float(i) for i in range(5)]) == 5  # Python numbers
assert count_traces([[float(i), 1.0] for i in range(5)]) == 5  # lists, all of one length

# %% [markdown]
# In a training loop that is a step which compiles at every call. TensorFlow warns, eventually. whygrad says which
# argument it is (W506):


# %%
@tf.function
def weighted_step(states, targets, weight):
    with tf.GradientTape() as tape:
        loss = weight * tf.reduce_mean((model(states) - targets) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
    return loss


def anneal(as_tensor):
    for step in range(6):
        weight = 1.0 - 0.1 * step
        weighted_step(states, targets, tf.constant(weight) if as_tensor else weight)


report = whygrad.explain(anneal, as_tensor=False)
print(report)
assert [finding.code for finding in report.findings] == ["W506"]
assert whygrad.explain(anneal, as_tensor=True).findings == ()

# %% [markdown]
# A model that is made inside of the function is refused:


# %%
@tf.function
def forgetful_step(states):
    return keras.Sequential([keras.layers.Dense(2)])(states)


try:
    forgetful_step(states)
except ValueError as error:
    assert "tf.function only supports singleton tf.Variables created on the first call" in str(error)
else:
    raise AssertionError("variables made in a tf.function should have been refused")

# %% [markdown]
# ## Exercises 5 and 7: watch it learn
#
# **Exercise 5.** Train the subclassed network for 100 steps on fixed random data. Plot the loss. **Exercise 7.** The
# same with *new* random data in every step.


# %%
def make_step(network, optimizer):
    @tf.function
    def step(states, targets):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((network(states) - targets) ** 2)
        grads = tape.gradient(loss, network.trainable_variables)
        optimizer.apply_gradients(zip(grads, network.trainable_variables, strict=True))
        return loss

    return step


step = make_step(q_network, keras.optimizers.Adam(1e-3))
fixed = [float(step(states, targets)) for _ in range(100)]
plot("fixed_data", fixed)

other = QNetwork()
other(states)
step = make_step(other, keras.optimizers.Adam(1e-3))
fresh = [float(step(tf.random.normal((32, 4)), tf.random.normal((32, 2)))) for _ in range(300)]
plot("new_data_in_every_step", fresh)

print(f"fixed data: {fixed[0]:.2f}, then {fixed[-1]:.2f}; new data: {fresh[0]:.2f}, then {np.mean(fresh[-50:]):.2f}")
assert fixed[-1] < 0.6 * fixed[0]
assert 0.9 < np.mean(fresh[-50:]) < 1.1

# %% [markdown]
# The first curve falls: 32 random targets can be learned by heart. The second scatters around 1, the variance of the
# targets, and stays there, because new noise cannot be foreseen. A loss that stays is no proof of a broken gradient.
# Ask first what there is to be learned.
#
# ## Exercises 4 and 8: a softmax policy
#
# **Exercise 4.** From states to probabilities of 2 actions; draw actions, and return them with their
# log-probabilities. `tf.random.categorical` takes logits. For the log-probability use `log_softmax`: the log of a
# softmax becomes -inf for a policy that is sure (lesson 4).

# %%
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(2)])


def act(states):
    log_probs = tf.nn.log_softmax(policy(states))
    actions = tf.random.categorical(log_probs, 1)[:, 0]
    return actions, tf.gather(log_probs, actions, axis=1, batch_dims=1)


actions, log_probs = act(states)
assert actions.shape == log_probs.shape == (32,)
assert set(actions.numpy()) <= {0, 1}
assert (log_probs.numpy() < 0).all()

# %% [markdown]
# **Exercise 8.** Train with the loss -mean(log_probs) for 50 steps "and confirm that the loss decreases".
#
# It cannot be confirmed. The actions are drawn by the policy itself, and nothing says which were good. On average
# over the draws the gradient is zero. With some seeds the loss falls, with others it rises.

# %%
sgd = keras.optimizers.SGD(learning_rate=0.05)


@tf.function
def gradients_of(states):
    with tf.GradientTape() as tape:
        _, log_probs = act(states)
        loss = -tf.reduce_mean(log_probs)
    return loss, tape.gradient(loss, policy.trainable_variables)


@tf.function
def fifty_steps(states):
    losses = tf.TensorArray(tf.float32, 50)
    for i in tf.range(50):
        loss, grads = gradients_of(states)
        sgd.apply_gradients(zip(grads, policy.trainable_variables, strict=True))
        losses = losses.write(i, loss)
    return losses.stack()


start = policy.get_weights()
fell = 0
for _ in range(16):
    policy.set_weights(start)
    curve = fifty_steps(states).numpy()
    fell += curve[-10:].mean() < curve[:10].mean()
print(f"the loss fell in {fell} of 16 trainings")
assert 0 < fell < 16

policy.set_weights(start)
draws = [gradients_of(states)[1] for _ in range(300)]
single = np.mean([float(tf.linalg.global_norm(draw)) for draw in draws])
of_mean = float(tf.linalg.global_norm([tf.add_n(parts) / len(draws) for parts in zip(*draws, strict=True)]))
print(f"length of one gradient {single:.3f}, of the mean of 300 {of_mean:.3f}")
assert of_mean < 0.25 * single

# %% [markdown]
# What is missing is a reward. With one it becomes REINFORCE, in lesson 4.
#
# ## What to take away
#
# - Make model and optimizer once; open a new tape in each step; compute the loss inside of it, ask it afterwards.
# - A subclassed model has no variables before its first call.
# - Under `tf.function` give tensors, not Python numbers, and expect Python side effects once.
# - Adam's first step has the length of the learning rate, whatever the gradient.
# - Before you blame the gradient, ask whether the data can be learned at all.
