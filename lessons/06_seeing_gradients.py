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
# # Lesson 6: seeing gradients
#
# "Gradients are almost always there; one only has to look." That is half true. A gradient that is missing stays
# missing however you plot it (lesson 2). But many that are there are worth a look: too large, clipped to nothing,
# dead in one layer. This lesson shows how to look, at what, and what clipping does to what you see. Then come probes,
# environments so small that the right answer is known, and at the end runs with several workers.

# %%
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch  # before TensorFlow, when one process uses both

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf
from keras import ops
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import nn

import whygrad
from whygrad.live.buckets import count
from whygrad.live.looks import INDEX
from whygrad.live.reading import Reading
from whygrad.rl import DQN
from whygrad.rl.agents.dqn import huber, taken
from whygrad.rl.probe_report import verdict
from whygrad.rl.probing import probe

torch.manual_seed(0)
keras.utils.set_random_seed(0)
temporary = tempfile.TemporaryDirectory(prefix="whygrad-lesson-")
folder = Path(temporary.name)


def codes(report):
    return [finding.code for finding in report.findings]


# %% [markdown]
# ## First ask for `None`
#
# The text that we answer computes its loss from the actions of `agent.policy`, which in TF-Agents is the greedy
# policy ([checked here](../docs/seed_documents.md)). A greedy action is an index. Every gradient is missing, and no
# plot will bring it back. Counting takes one line.

# %%
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(2)])
observations = tf.random.normal((32, 4))


def missing(loss_of):
    with tf.GradientTape() as tape:
        loss = loss_of(policy(observations))
    gradients = tape.gradient(loss, policy.trainable_variables)
    return sum(gradient is None for gradient in gradients)


greedy = missing(lambda logits: -tf.reduce_mean(tf.cast(tf.argmax(logits, axis=1), tf.float32)))
smooth = missing(lambda logits: -tf.reduce_mean(tf.nn.log_softmax(logits)[:, 0]))
print(f"gradients missing: {greedy} of 4 through the greedy action, {smooth} of 4 through its log-probability")
assert (greedy, smooth) == (4, 0)

# %% [markdown]
# ## The log that stays empty
#
# `tf.summary.histogram("gradients/layer_0", gradient)` in the training step is the usual advice. On its own it writes
# nothing, and returns `False`. It needs a writer, and then a step.

# %%
gradient = tf.random.normal((64,))
assert not bool(tf.summary.histogram("gradients/layer_0", gradient, step=0))  # no writer: nothing is written

writer = tf.summary.create_file_writer(str(folder / "by_hand"))
with writer.as_default():
    try:
        tf.summary.histogram("gradients/layer_0", gradient)  # a writer, but no step
    except ValueError as error:
        print(str(error)[:12])
        assert "No step set" in str(error)
    else:
        raise AssertionError("a summary without a step should have been refused")
    assert bool(tf.summary.histogram("gradients/layer_0", gradient, step=0))
writer.close()

# %% [markdown]
# ## One line instead
#
# `whygrad.watch(model, optimizer)` looks at the gradients of every variable as the optimizer gets them, writes them
# for TensorBoard and for `whygrad view`, and says when something is odd. `every=1` looks at every update; without it,
# looking takes at most 2 % of the time.
#
# In this training one thing is wrong. The body's output is pushed far below zero, the ReLU behind it is off, and
# nothing comes back through it.

# %%
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
states, targets = torch.randn(32, 4), torch.randn(32, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def update():
    loss = ((net(states) - targets) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


losses = []
with whygrad.watch(net, optimizer, every=1, run=folder / "dead") as watching:
    for step in range(40):
        if step == 20:
            with torch.no_grad():
                net[0].bias -= 50.0
        losses.append(update())
        watching.log(loss=losses[-1])  # beside the gradients

run = Reading(folder / "dead")
for event in run.events():
    print(event.code, event.text)
assert {event.code for event in run.events()} == {"W401"}
assert {event.variable for event in run.events()} == {"0.weight", "0.bias", "2.weight"}
assert all("zero since update 20" in event.text for event in run.events())

# %% [markdown]
# The loss would not have told: the last bias goes on learning, and the loss goes on falling. The norms tell. They are
# in the run's folder, update by update, and TensorBoard reads the same (`tensorboard --logdir runs`):

# %%
[group] = run.groups()
names = [variable.name for variable in group.variables]
norms = np.array([look.rows[:, INDEX["norm"]] for look in run.looks(group.id)])
print("norms at update 0: ", dict(zip(names, norms[0].round(3).tolist(), strict=True)))
print("norms at update 39:", dict(zip(names, norms[-1].round(3).tolist(), strict=True)))
assert (norms[:20] > 0).all()
assert (norms[-1][:3] == 0).all() and norms[-1][3] > 0  # all but the last bias
assert losses[39] < losses[20]

log = EventAccumulator(str(folder / "dead" / "tensorboard")).Reload()
print("in TensorBoard:", len(log.Tags()["histograms"]), "histograms,", len(log.Tags()["scalars"]), "curves")
assert len(log.Tags()["histograms"]) >= 4

# %% [markdown]
# The same for Keras on TensorFlow, also inside of a `tf.function`. The norm in the record is the norm of the
# gradient.

# %%
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
adam = keras.optimizers.Adam(1e-3)
goals = tf.random.normal((32, 1))


@tf.function
def keras_update():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(observations) - goals) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    adam.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return tf.linalg.global_norm(gradients)


with whygrad.watch(model, adam, every=1, run=folder / "keras"):  # before the function is traced
    by_tensorflow = [float(keras_update()) for _ in range(5)]
run = Reading(folder / "keras")
[group] = run.groups()
recorded = [float(np.linalg.norm(look.rows[:, INDEX["norm"]])) for look in run.looks(group.id)]
assert np.allclose(recorded, by_tensorflow, rtol=1e-4)

# %% [markdown]
# ## Clipping, right and wrong
#
# Clipping belongs between `backward()` and `step()`. Before `backward()` there is nothing to clip yet, and the step
# then uses the whole gradient. Nothing is raised, nothing is missing. W303:

# %%
net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
far = 100.0 * targets


def clipped_too_early():
    loss = ((net(states) - far) ** 2).mean()
    optimizer.zero_grad()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    loss.backward()
    optimizer.step()


def clipped_in_time():
    loss = ((net(states) - far) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    raw = nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # returns the norm from before
    optimizer.step()
    return raw.item()


def norm_now():
    return float(torch.cat([p.grad.flatten() for p in net.parameters()]).norm())


report = whygrad.explain(clipped_too_early)
print(report)
assert codes(report) == ["W303"]
assert norm_now() > 10.0  # the step used all of it
assert codes(whygrad.explain(clipped_in_time)) == []
assert abs(norm_now() - 1.0) < 1e-3

# %% [markdown]
# ### Raw against clipped
#
# Some advise to plot the *clipped* gradients to see whether they explode. You would see the limit, always. Plot the
# norm from before: `clip_grad_norm_` and `tf.clip_by_global_norm` both return it. A watch keeps both, `norm` and
# `applied`.

# %%
with whygrad.watch(net, optimizer, every=1, run=folder / "clipped"):
    raws = [clipped_in_time() for _ in range(5)]
run = Reading(folder / "clipped")
[group] = run.groups()
for name in ("norm", "applied"):
    whole = [float(np.linalg.norm(look.rows[:, INDEX[name]])) for look in run.looks(group.id)]
    print(f"{name:<8}", [round(one, 1) for one in whole])
    assert np.allclose(whole, raws if name == "norm" else 1.0, rtol=1e-3)

# %% [markdown]
# ### Twice is not the same
#
# `tf.clip_by_global_norm` scales all gradients by one factor: the direction stays. `clipnorm=` of a Keras optimizer
# clips each variable by itself: the direction changes. (`global_clipnorm=` is the other one.) With both in one
# program, the norm in the log is not the norm that was applied.

# %%
grads = [tf.constant([30.0, 40.0]), tf.constant([0.6, 0.8])]  # norms 50 and 1
together, raw = tf.clip_by_global_norm(grads, 10.0)


def applied_by(optimizer, grads):
    """What a step of plain gradient descent with rate 1 moves."""
    variables = [tf.Variable(tf.zeros(2)), tf.Variable(tf.zeros(2))]
    optimizer.apply_gradients(zip(grads, variables, strict=True))
    return -np.concatenate([v.numpy() for v in variables])


def cosine(a, b):
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


flat = np.concatenate([g.numpy() for g in grads])
logged = np.concatenate([g.numpy() for g in together])
each = applied_by(keras.optimizers.SGD(1.0, clipnorm=1.0), grads)
whole = applied_by(keras.optimizers.SGD(1.0, global_clipnorm=1.0), grads)
assert np.isclose(raw, np.linalg.norm(flat)) and np.isclose(np.linalg.norm(logged), 10.0)
assert np.isclose(cosine(flat, logged), 1.0) and np.isclose(cosine(flat, whole), 1.0)
assert cosine(flat, each) < 0.75
assert np.isclose(np.linalg.norm(each), np.sqrt(2.0))  # two variables, each of norm 1
print(f"raw {float(raw):.1f}, logged {np.linalg.norm(logged):.1f}, direction after clipnorm {cosine(flat, each):.2f}")

# %% [markdown]
# And clipping does not heal. Once a loss is infinite, so is the norm, and the clipped gradient is NaN:

# %%
weight = torch.tensor([1.0, 2.0], requires_grad=True)
(weight * torch.tensor([float("inf"), 1.0])).sum().backward()
norm = nn.utils.clip_grad_norm_([weight], 1.0)
assert norm == float("inf")
assert weight.grad.isnan().any()


# %% [markdown]
# ## Probe environments
#
# Debugging on a minimal environment is good advice, if you know what comes out. whygrad has seven, each made so that
# one part of an agent decides. On the command line: `whygrad probe dqn`. Here is an agent that forgot the discount.
# `constant` has one step and passes. `discount` has two and tells.


# %%
@dataclass(frozen=True, kw_only=True)
class Forgetful(DQN):
    """A DQN whose target takes the next value undiscounted."""

    NAME = "forgetful"

    def q_loss(self, nets, batch):
        predicted = taken(nets["q"](batch["observation"]), batch["action"])
        future = ops.max(nets["q_target"](batch["next_observation"]), axis=-1)
        going_on = ops.cast(batch["discount"] > 0, "float32")
        error = ops.stop_gradient(batch["reward"] + going_on * future) - predicted
        return ops.mean(batch["weight"] * huber(error)), {"priority": ops.abs(error), "value": ops.mean(predicted)}


results = probe(Forgetful(), names=["constant", "discount"], attempts=1)
print(verdict(results))
assert [result.passed for result in results] == [True, False]
assert all(result.passed for result in probe(DQN(), names=["discount"]))

# %% [markdown]
# No gradient is missing in `Forgetful`, so no look at gradients finds this fault. A known answer does.
#
# ## Several workers
#
# With several workers each sees the gradient of its own share of the batch. What may be added up afterwards?
#
# - **Norms not.** The norm of the mean gradient is not the mean of the norms: what differs in direction cancels.
# - **Histograms with ranges chosen from the data not**: every worker has other edges.
# - **Histograms over powers of two, yes.** whygrad's have the same 512 buckets everywhere, so adding them is exact.

# %%
rng = np.random.default_rng(0)
workers = [rng.normal(scale=scale, size=1_000).astype("float32") for scale in (1.0, 0.01, 3.0)]

mean_of_norms = np.mean([np.linalg.norm(g) for g in workers])
norm_of_mean = np.linalg.norm(np.mean(workers, axis=0))
print(f"mean of the norms {mean_of_norms:.1f}, norm of the mean {norm_of_mean:.1f}")
assert norm_of_mean < 0.9 * mean_of_norms

edges = [np.histogram(g, bins=10)[1] for g in workers]
assert not np.allclose(edges[0], edges[1])

assert (sum(count(g) for g in workers) == count(np.concatenate(workers))).all()  # bucket by bucket
assert count(np.concatenate(workers)).sum() == 3_000

# %% [markdown]
# Now with two real workers, each a process that watches its own run. Both have the same weights, each takes half of
# the batch. Their histograms, added up, are those of all gradients, bucket by bucket.

# %%
WORKER = """
import sys

import torch
import whygrad

number, run = int(sys.argv[1]), sys.argv[2]
torch.manual_seed(0)
net, states = torch.nn.Linear(4, 64), torch.randn(64, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
with whygrad.watch(net, optimizer, every=1, run=run):
    net(states[number::2]).pow(2).mean().backward()
    optimizer.step()
"""
merged = 0
for number in (0, 1):
    place = folder / f"worker-{number}"
    subprocess.run([sys.executable, "-c", WORKER, str(number), str(place)], check=True)
    [group] = Reading(place).groups()
    merged = merged + sum(spread.counts for spread in Reading(place).spreads(group.id))

torch.manual_seed(0)
net, states = nn.Linear(4, 64), torch.randn(64, 4)
both = []
for number in (0, 1):
    net.zero_grad()
    net(states[number::2]).pow(2).mean().backward()
    both.append([p.grad.numpy().copy() for p in net.parameters()])
for place, parts in enumerate(zip(*both, strict=True)):
    assert (merged[place] == count(np.concatenate([part.ravel() for part in parts]))).all()
print("merged over two workers:", [int(row.sum()) for row in merged], "numbers")
assert [int(row.sum()) for row in merged] == [2 * 4 * 64, 2 * 64]

# %% [markdown]
# ## What to take away
#
# - Look at norms *before* clipping, variable by variable; at `None` before you look at any norm.
# - Clip between `backward` and `step`, once, and with one factor for all.
# - A gradient of zero in one layer does not show in the loss. A wrong target does not show in any gradient: probe it.
# - Add up histograms with common buckets; not norms.
#
# **Try it.** Give `whygrad.watch` the option `activations=True` in the first training. Which share of the units is
# dead?
