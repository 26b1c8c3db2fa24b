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
# # Lesson 3: Q-learning and targets
#
# Q-learning trains a network on its own predictions: the value of a state should be the reward plus the discounted
# value of what follows. One side of that equation learns. The other side, the **target**, is a number to move
# towards, and must hold still while we move.
#
# This lesson shows by numbers what goes wrong when the target does not hold still, what a target network is for, and
# how a port of Snake from TensorFlow.js came to raise `No gradients provided for any variable`.

# %%
import os
import random
import sys
from pathlib import Path

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


def codes(report):
    return [finding.code for finding in report.findings]


# %% [markdown]
# ## A world whose values are known
#
# From A the world goes to B or to C, by the toss of a coin, without a reward. From B it ends with reward 1, from C
# with reward 0. So B is worth 1, C is worth 0, and A is worth 1/2. (The example is Sutton and Barto's, chapter 11.)
#
# Our "network" is a table of three numbers, our data the four transitions that exist.

# %%
A, B, C, END = 0, 1, 2, 3
here = np.array([A, A, B, C])
after = np.array([B, C, END, END])
reward = np.array([0.0, 0.0, 1.0, 0.0], dtype="float32")
going_on = (after != END).astype("float32")
after = np.minimum(after, C)  # any row will do where `going_on` is 0
TRUE_VALUES = [0.5, 1.0, 0.0]

# %% [markdown]
# One gradient, in three frameworks, from a table of [0.2, 0.6, 0.4]. First with the target stopped, then with the
# stop forgotten. All three agree with each other, and the two gradients are not the same. The target is a
# differentiable function of the table. That is just why it has to be stopped.

# %%
start = np.array([0.2, 0.6, 0.4], dtype="float32")


def torch_gradient(stop):
    table = torch.tensor(start, requires_grad=True)
    future = table[after] * torch.tensor(going_on)
    target = torch.tensor(reward) + (future.detach() if stop else future)
    ((target - table[here]) ** 2).mean().backward()
    return table.grad.numpy()


def tf_gradient(stop):
    table = tf.Variable(start)
    with tf.GradientTape() as tape:
        future = tf.gather(table, after) * going_on
        target = reward + (tf.stop_gradient(future) if stop else future)
        loss = tf.reduce_mean((target - tf.gather(table, here)) ** 2)
    return tf.convert_to_tensor(tape.gradient(loss, table)).numpy()


def jax_gradient(stop):
    def loss(table):
        future = table[after] * going_on
        target = reward + (jax.lax.stop_gradient(future) if stop else future)
        return jnp.mean((target - table[here]) ** 2)

    return np.asarray(jax.grad(loss)(jnp.asarray(start)))


for name, gradient in (("PyTorch", torch_gradient), ("TensorFlow", tf_gradient), ("JAX", jax_gradient)):
    print(f"{name:<11} stopped {gradient(True).round(2)}  leaking {gradient(False).round(2)}")
    assert np.allclose(gradient(True), [-0.3, -0.2, 0.2], atol=1e-6)
    assert np.allclose(gradient(False), [-0.3, 0.0, 0.3], atol=1e-6)


# %% [markdown]
# ```text
# PyTorch     stopped [-0.3 -0.2  0.2]  leaking [-0.3  0.   0.3]
# ```
#
# B has to rise from 0.6 to 1. The stopped gradient says so (-0.2: go up). The leaking one says 0: A's error pulls B
# down exactly as hard as B's own error pushes it up.
#
# ## What happens when it leaks
#
# The same, 2,000 updates long.


# %%
def learn(stop, updates=2_000):
    table = torch.tensor(start, requires_grad=True)
    optimizer = torch.optim.SGD([table], lr=0.1)
    for _ in range(updates):
        future = table[after] * torch.tensor(going_on)
        target = torch.tensor(reward) + (future.detach() if stop else future)
        loss = ((target - table[here]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return table.detach().numpy(), loss.item()


stopped, stopped_loss = learn(stop=True)
leaking, leaking_loss = learn(stop=False)
print(f"stopped: values {stopped.round(3)}, loss {stopped_loss:.4f}")
print(f"leaking: values {leaking.round(3)}, loss {leaking_loss:.4f}")
assert np.allclose(stopped, TRUE_VALUES, atol=1e-3)
assert np.allclose(leaking, [0.5, 0.75, 0.25], atol=1e-3)
assert leaking_loss < stopped_loss

# %% [markdown]
# ```text
# stopped: values [0.5 1.  0. ], loss 0.1250
# leaking: values [0.5  0.75 0.25], loss 0.0625
# ```
#
# B is worth 1 and the leaking target teaches 0.75. **And its loss is lower.** That is what makes this fault so hard
# to see: nothing fails, the loss falls further than it should, and the values are wrong. Longer training does not
# help; this is where it ends.
#
# whygrad sees it in one step (W501):

# %%
q_net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
q_optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
batch = {
    "states": torch.randn(8, 4),
    "taken": torch.randint(0, 2, (8,)),
    "rewards": torch.randn(8),
    "next_states": torch.randn(8, 4),
}


def leaking_step(states, taken, rewards, next_states):
    target = rewards + 0.99 * q_net(next_states).max(dim=1).values
    q = q_net(states).gather(1, taken[:, None]).squeeze(1)
    loss = ((q - target) ** 2).mean()
    q_optimizer.zero_grad()
    loss.backward()
    q_optimizer.step()


report = whygrad.explain(leaking_step, **batch)
print(report)
assert report.script_error is None
assert codes(report) == ["W501"]


# %%
def stopped_step(states, taken, rewards, next_states):
    with torch.no_grad():
        target = rewards + 0.99 * q_net(next_states).max(dim=1).values
    q = q_net(states).gather(1, taken[:, None]).squeeze(1)
    loss = ((q - target) ** 2).mean()
    q_optimizer.zero_grad()
    loss.backward()
    q_optimizer.step()


assert codes(whygrad.explain(stopped_step, **batch)) == []

# %% [markdown]
# ## The target network
#
# A stopped target still jumps: at every update the network that makes it has changed. So DQN makes its targets with a
# second network, the **target network**, which no optimizer holds.
#
# Two things are often said of it and are not so. That it must be called outside of the tape: it need not. The tape
# then records its gradient too, but nobody asks for it, and what the online network gets is the same bit for bit. And
# that its place has to do with the error `No gradients provided`: it has not. Here are both ways.

# %%
num_actions = 4


def make_q(name):
    return keras.Sequential(
        [keras.Input((10,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(num_actions)], name=name
    )


online, target = make_q("online"), make_q("target")
states, next_states = tf.random.normal((32, 10)), tf.random.normal((32, 10))
actions = tf.random.uniform((32,), maxval=num_actions, dtype=tf.int32)
rewards = tf.random.normal((32,))
dones = tf.cast(tf.random.uniform((32,), maxval=2, dtype=tf.int32), tf.float32)  # 0 or 1


def td_loss(next_q):
    goal = rewards + 0.99 * tf.reduce_max(next_q, axis=1) * (1.0 - dones)
    q = tf.gather(online(states), actions, axis=1, batch_dims=1)
    return tf.reduce_mean((goal - q) ** 2)


with tf.GradientTape(persistent=True) as tape:
    loss_inside = td_loss(target(next_states))  # the target network inside of the tape
inside = tape.gradient(loss_inside, online.trainable_variables)

next_q = target(next_states)  # and outside
with tf.GradientTape() as other_tape:
    loss_outside = td_loss(next_q)
outside = other_tape.gradient(loss_outside, online.trainable_variables)

assert all(g is not None for g in inside)
assert all((a.numpy() == b.numpy()).all() for a, b in zip(inside, outside, strict=True))
recorded = tape.gradient(loss_inside, target.trainable_variables)
assert all(g is not None for g in recorded)  # recorded, too; only nobody applies it

# %% [markdown]
# In PyTorch it is the same. Without `torch.no_grad()` a gradient flows into the target network and piles up in its
# `.grad`. It is wasted work. The online network's gradient does not change.


# %%
def torch_grads(online_net, target_net, stop):
    online_net.zero_grad()
    future = target_net(batch["next_states"]).max(dim=1).values
    goal = batch["rewards"] + 0.99 * (future.detach() if stop else future)
    q = online_net(batch["states"]).gather(1, batch["taken"][:, None]).squeeze(1)
    ((q - goal) ** 2).mean().backward()
    return [p.grad.clone() for p in online_net.parameters()]


second_net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
stopped_grads = torch_grads(q_net, second_net, stop=True)
assert all(p.grad is None for p in second_net.parameters())
live_grads = torch_grads(q_net, second_net, stop=False)
assert all(p.grad is not None for p in second_net.parameters())
assert all(torch.equal(a, b) for a, b in zip(stopped_grads, live_grads, strict=True))

# %% [markdown]
# One detail of the data: a flag that says "the episode ended" is 0 or 1. Drawn as a float between 0 and 2 it is
# hardly ever either, and where it is above 1 the future is subtracted.

# %%
wrong_dones = tf.random.uniform((1_000,), maxval=2, dtype=tf.float32)
assert not any(flag in (0.0, 1.0) for flag in wrong_dones.numpy())
assert 400 < int(tf.reduce_sum(tf.cast(1.0 - wrong_dones < 0, tf.int32))) < 600
assert set(dones.numpy()) == {0.0, 1.0}

# %% [markdown]
# What does matter is who holds the target's variables. Say what you mean with a contract, and a slip raises at the
# first update. Here the optimizer was given both networks.

# %%
contract = whygrad.contract("td loss", trains=[online], leaves=[target])
optimizer = keras.optimizers.Adam(1e-3)


@contract
def update(variables):
    with tf.GradientTape() as tape:
        loss = td_loss(target(next_states))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))


try:
    update([*online.trainable_variables, *target.trainable_variables])
except whygrad.BrokenContract as broken:
    print(broken)
    assert codes(broken.report) == ["W205", "W501"]  # the contract, and the leak that comes with it
else:
    raise AssertionError("the contract should have been broken")

# %% [markdown]
# ## Following: copies and averages
#
# The target network has to follow. Begin with equal weights: two networks that are made one after the other start as
# two different random functions.

# %%
fresh, other = make_q("fresh"), make_q("other")


def distance(one, two):
    return float(sum(np.abs(a - b).sum() for a, b in zip(one.get_weights(), two.get_weights(), strict=True)))


assert distance(fresh, other) > 1.0
other.set_weights(fresh.get_weights())  # in PyTorch: other.load_state_dict(fresh.state_dict())
assert distance(fresh, other) == 0.0

torch_target = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
torch_target.load_state_dict(q_net.state_dict())
assert torch.equal(torch_target[0].weight, q_net[0].weight)
assert torch_target[0].weight is not q_net[0].weight  # a copy, not a second name

# %% [markdown]
# Then either copy every few hundred updates, or let the target take over a small share τ at every update (a Polyak
# average). With a share of 0.01 it has half of the way behind it after 69 updates, since 0.99⁶⁹ ≈ 0.5.

# %%
share, follower = 0.01, torch.zeros(1)
for _ in range(69):
    follower.lerp_(torch.ones(1), share)  # follower += share * (1 - follower)
print(f"after 69 updates: {follower.item():.3f} of the way")
assert abs(follower.item() - 0.5) < 0.001

# %% [markdown]
# Two slips happen here, and neither raises anything. `target = online` makes a second name for one network (W502).
# And an average that is computed and not stored leaves the target where it was (W503). In JAX arrays never change, so
# there `target = online` *is* a copy.


# %%
def train_with(target_net, follow, updates=3):
    for _ in range(updates):
        with torch.no_grad():
            goal = batch["rewards"] + 0.99 * target_net(batch["next_states"]).max(dim=1).values
        q = q_net(batch["states"]).gather(1, batch["taken"][:, None]).squeeze(1)
        loss = ((q - goal) ** 2).mean()
        q_optimizer.zero_grad()
        loss.backward()
        q_optimizer.step()
        follow(target_net)


def average_and_drop(target_net):
    for p, p_target in zip(q_net.parameters(), target_net.parameters(), strict=True):
        p_target = 0.01 * p + 0.99 * p_target  # binds a local name


def average(target_net):
    with torch.no_grad():
        for p, p_target in zip(q_net.parameters(), target_net.parameters(), strict=True):
            p_target.lerp_(p, 0.01)


report = whygrad.explain(train_with, torch_target, average_and_drop)
print(report)
assert codes(report) == ["W503"]
assert codes(whygrad.explain(train_with, torch_target, average)) == []

params = jnp.zeros(3)
target_params = params
params = params + 1.0  # a new array
assert (target_params == 0).all()  # the old one is as it was

# %%
with whygrad.record() as run:
    target_net = q_net  # meant as a copy
    train_with(target_net, lambda net: net.load_state_dict(q_net.state_dict()))
print(run.report)
assert codes(run.report) == ["W502"]

# %% [markdown]
# ## The snake port
#
# TensorFlow.js has an example, snake-dqn. There the optimizer is handed a *function* that computes the loss:
# `optimizer.minimize(() => …)`. Whatever the function calls is recorded. In Python the function becomes a `with`
# block, and what was inside of the function has to be inside of the block. `examples/snake_dqn_broken.py` is a port
# in which one line slipped out. Look at its `train_on_replay_batch`, or ask:

# %%
begin = Path(__file__).resolve() if "__file__" in globals() else Path.cwd() / "x"
examples = next(p / "examples" for p in begin.parents if (p / "examples" / "snake_dqn_broken.py").exists())
sys.path.insert(0, str(examples))

import snake_dqn_broken
import snake_dqn_fixed


def make_agent(module):
    keras.utils.set_random_seed(7)
    rng = random.Random(7)
    agent = module.SnakeAgent(module.SnakeGame(rng), rng)
    for _ in range(100):
        agent.play_step()
    return agent


agent = make_agent(snake_dqn_broken)
report = whygrad.explain(agent.train_on_replay_batch)
print(report)
assert "No gradients provided for any variable" in report.script_error
assert codes(report) == ["W101"]

# %% [markdown]
# It was not the target network, which is called outside of the tape in both versions. It was the online network's
# forward pass. With that line inside of the block the same agent learns.

# %%
agent = make_agent(snake_dqn_fixed)
report = whygrad.explain(agent.train_on_replay_batch)
assert codes(report) == []
losses = [agent.train_on_replay_batch() for _ in range(10)]
print(f"loss of the first three updates {np.mean(losses[:3]):.2f}, of the last three {np.mean(losses[-3:]):.2f}")
assert np.mean(losses[-3:]) < np.mean(losses[:3])

# %% [markdown]
# ## What to take away
#
# - The target is a number. Stop it: `torch.no_grad()`, `tf.stop_gradient`, `jax.lax.stop_gradient`.
# - A leak raises nothing, lowers the loss and teaches wrong values.
# - A target network needs equal weights at the start, a copy or an average later, and no optimizer.
# - Where it stands, inside or outside of the tape, changes nothing for the online network.
#
# `from whygrad.rl import DQN, train` has all of this in one file of a hundred lines; `train(DQN(), "CartPole-v1",
# steps=50_000)` checks the loss in this way before its first update.
#
# **Try it.** Give the world of A, B and C a coin that falls on B nine times out of ten (repeat the row). What are the
# values now, stopped and leaking?
