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
# # Lesson 7: learning from a file, and why plain DQN fails there
#
# An offline agent has a file of transitions that somebody else made, and may not try anything. Every gradient is in
# order, the loss falls, and the policy can be useless all the same. The reason is one word in Q-learning: *max*. It
# is taken over all actions, also over those that the file does not show. Their values are guesses, the max picks the
# largest guess, and no experience ever corrects it.
#
# CQL (conservative Q-learning) adds one term that does.

# %%
import os
import tempfile
from pathlib import Path

import torch  # before TensorFlow, when one process uses both

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

import whygrad
from whygrad.rl import CQL, train
from whygrad.rl.collecting import collect
from whygrad.rl.dataset import write_dataset

# %% [markdown]
# ## The smallest case
#
# Two states, two actions. The file shows action 0 only: from A it leads to B without a reward, from B to the end with
# reward 1. With a discount of 0.9 the right values of what was done are 0.9 and 1. Nobody ever tried action 1. Our
# table happens to begin with 5 for it in B. (A network begins with some number, too.)

# %%
A, B = 0, 1
GAMMA = 0.9
start = np.array([[0.0, 0.0], [0.0, 5.0]], dtype="float32")  # one row per state, one column per action


def learn(alpha, updates=3_000):
    q = torch.tensor(start, requires_grad=True)
    optimizer = torch.optim.SGD([q], lr=0.1)

    def update():
        target = torch.stack([GAMMA * q[B].max(), torch.tensor(1.0)]).detach()
        shown = q[:, 0]  # the actions of the file
        gap = torch.logsumexp(q, dim=1) - shown
        loss = ((target - shown) ** 2 + alpha * gap).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    report = whygrad.explain(update)
    for _ in range(updates):
        update()
    return q.detach().numpy(), report


plain, report = learn(alpha=0.0)
print("plain Q-learning\n", plain.round(2))
print(report)
assert np.allclose(plain, [[4.5, 0.0], [1.0, 5.0]], atol=1e-3)
assert report.findings == ()  # no gradient is missing or wrong

# %% [markdown]
# In B the guess of 5 stands for ever, and A has learned 0.9 · 5 = 4.5 from it, where 0.9 is right. The greedy policy
# takes action 1 in B, of which nobody knows anything. whygrad finds no fault, and rightly: this is not a broken
# gradient. An agent that may act would try action 1, be disappointed, and lower its value. Here nothing does.
#
# With the conservative term, alpha = 1:

# %%
conservative, report = learn(alpha=1.0)
print("with the conservative term\n", conservative.round(2))
assert report.findings == ()
assert conservative[B].argmax() == 0  # what the file shows
assert abs(conservative[A, 0] - 0.9) < 0.1 and abs(conservative[B, 0] - 1.0) < 0.1

# %% [markdown]
# ## What the term does
#
# It is log Σ exp Q(s, ·) - Q(s, a), the softmax's log-partition minus the value of the action in the file. Its
# gradient is softmax(Q) for every action, minus 1 for the one that was shown. So all values are pushed down, the
# largest most, and the shown one is pulled up. The squared error alone has a gradient of exactly zero for an action
# that is not shown. In three frameworks:

# %%
row = np.array([1.0, 5.0], dtype="float32")

q = torch.tensor(row, requires_grad=True)
(torch.logsumexp(q, dim=0) - q[0]).backward()

q_tf = tf.Variable(row)
with tf.GradientTape() as tape:
    gap = tf.reduce_logsumexp(q_tf) - q_tf[0]
by_tf = tf.convert_to_tensor(tape.gradient(gap, q_tf)).numpy()

by_jax = jax.grad(lambda q: jax.nn.logsumexp(q) - q[0])(jnp.asarray(row))

softmax = np.exp(row) / np.exp(row).sum()
for gradient in (q.grad.numpy(), by_tf, np.asarray(by_jax)):
    assert np.allclose(gradient, softmax - [1.0, 0.0], atol=1e-6)
print("gradient of the term:", q.grad.numpy().round(3))

of_error = jax.grad(lambda q: (2.0 - q[0]) ** 2)(jnp.asarray(row))
assert of_error[1] == 0.0  # the action that is not shown

# %% [markdown]
# ## With a network: a corridor with forty doors
#
# Ten rooms. In each, one door of forty leads on and earns 1. Every other door ends the game. The teacher who made the
# file takes the right door four times out of five, and otherwise one certain wrong one. So the file shows two doors
# of each room, and 38 never. Perfect is a return of 10. Discounted with 0.9 that is worth 6.51 at the start, and
# nothing can be worth more.

# %%
ROOMS, DOORS = 10, 40
RIGHT = np.random.default_rng(0).integers(0, DOORS, ROOMS)
WRONG = (RIGHT + 3) % DOORS
MOST = sum(GAMMA**step for step in range(ROOMS))


class Corridor(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (ROOMS,), np.float32)
    action_space = gymnasium.spaces.Discrete(DOORS)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.room = 0
        return self._see(), {}

    def step(self, action):
        right = action == RIGHT[self.room]
        self.room += 1
        return self._see(), float(right), bool(not right or self.room == ROOMS), False, {}

    def _see(self):
        return np.eye(ROOMS, dtype=np.float32)[min(self.room, ROOMS - 1)]


def make_corridor(**_):
    return Corridor()


rng = np.random.default_rng(1)


def teacher(observations):
    rooms = observations.argmax(axis=1)
    return np.where(rng.random(len(rooms)) < 0.8, RIGHT[rooms], WRONG[rooms])


temporary = tempfile.TemporaryDirectory(prefix="whygrad-lesson-")
folder = Path(temporary.name)
dataset = collect(make_corridor, 2_000, policy=teacher, seed=0)
write_dataset(folder / "corridor.npz", dataset)
print(f"{len(dataset):,} transitions, mean return of the teacher {dataset.facts['mean_return']:.1f} of {ROOMS}")
assert len(set(zip(dataset.observation.argmax(1).tolist(), dataset.action.tolist(), strict=True))) == 2 * ROOMS


# %% [markdown]
# `CQL(alpha=0)` is plain offline DQN. Both learn from the same file, 600 updates, from two seeds each. The value is
# what the agent promises itself at the start of a game.


# %%
def learn_offline(alpha, seed):
    agent = CQL(alpha=alpha, hidden=(64, 64), learning_rate=1e-3, gamma=GAMMA, target_every=50, double=False)
    trained = train(
        agent, make_corridor, dataset=folder / "corridor.npz", steps=600, seed=seed, root=folder,
        evaluate_every=600, checkpoint_every=600, tensorboard=False, quiet=True,
    )  # fmt: skip
    value, earned = float(np.mean(trained.scores.values)), trained.scores.mean
    best_doors = np.argmax(trained.networks["q"](np.eye(ROOMS, dtype="float32")), axis=1)
    unknown = int(((best_doors != RIGHT) & (best_doors != WRONG)).sum())
    name = f"CQL, alpha {alpha:g}" if alpha else "plain DQN"
    print(f"{name:<12} seed {seed}: return {earned:4.1f} of {ROOMS}, value {value:.2f}, unknown doors chosen {unknown}")
    return earned, value, unknown


plain = [learn_offline(0.0, seed) for seed in (0, 1)]
careful = [learn_offline(1.0, seed) for seed in (0, 1)]

print(f"nothing is worth more than {MOST:.2f}")
assert all(value > MOST for _, value, _ in plain)  # more than anybody can earn
assert all(unknown > 0 for _, _, unknown in plain)
assert np.mean([earned for earned, _, _ in plain]) < ROOMS - 1
assert all(earned == ROOMS and value < MOST and unknown == 0 for earned, value, unknown in careful)

# %% [markdown]
# Plain DQN promises itself more than the game can give, and chooses doors that nobody ever tried. CQL promises less
# than it then earns, and makes no mistake, although its teacher made one in five steps.
#
# ## What to take away
#
# - From a file alone, the max over actions looks for the largest error among guesses.
# - A healthy gradient and a falling loss do not show it. Compare what the agent promises with what it earns: whygrad's
#   evaluations write both, as `evaluation.value` and `evaluation.discounted_return`.
# - CQL's term lowers what the file does not show. Too large a weight makes the agent timid; `alpha` is its weight.
#
# [`benchmarks/offline.py`](../benchmarks/offline.py) does the same on CartPole, with three seeds and more time.
#
# **Try it.** Let the teacher open any door, one time in five. The file then shows them all. Does plain DQN still
# fail?
