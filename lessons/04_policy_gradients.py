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
# # Lesson 4: policy gradients with discrete actions
#
# A policy that chooses among a few actions draws one. The draw is an index, and an index has no derivative. So how
# can a policy learn from what its action earned? By a loss whose gradient is right although its value means nothing:
# the log-probability surrogate. This lesson shows why it is needed, that it is right, what a baseline adds, and three
# ways to get it wrong.

# %%
import os

import torch  # before TensorFlow, when one process uses both

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
from torch import nn
from torch.distributions import Categorical

import whygrad

torch.manual_seed(0)
tf.random.set_seed(0)


def codes(report):
    return [finding.code for finding in report.findings]


def twice(step):
    step()
    step()


# %% [markdown]
# ## Sampling cuts the gradient
#
# In PyTorch a sample has no history. In TensorFlow the gradient is `None`. In JAX it is zero.

# %%
logits_np = np.array([0.5, 0.0, -0.5], dtype="float32")

logits = torch.tensor(logits_np, requires_grad=True)
drawn = Categorical(logits=logits).sample()
assert not drawn.requires_grad

logits_tf = tf.Variable(logits_np)
with tf.GradientTape() as tape:
    drawn = tf.random.categorical(logits_tf[None], 1)
    result = tf.cast(drawn[0, 0], tf.float32)
assert tape.gradient(result, logits_tf) is None

key = jax.random.key(0)
grad = jax.grad(lambda logits: jax.random.categorical(key, logits).astype(jnp.float32))(jnp.asarray(logits_np))
assert (grad == 0).all()

# %% [markdown]
# Put into a loss with another network, the cut is silent. Here a critic judges the drawn action. The critic gets a
# gradient, the policy none. W104:

# %%
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
states = torch.randn(64, 4)


def step_through_the_sample():
    actions = Categorical(logits=policy(states)).sample()
    judged = critic(torch.cat([states, actions[:, None].float()], dim=1))
    loss = -judged.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


report = whygrad.explain(step_through_the_sample)
print(report)
assert report.script_error is None
assert codes(report) == ["W104"]
assert all(p.grad is None for p in policy.parameters())

# %% [markdown]
# ## The surrogate
#
# Let the three actions earn 1, 0 and 0.5. With probabilities p the policy earns J = Σ p r on average, and the
# gradient of J by the logits is p (r - J). We can compute it, because we know all rewards. An agent knows only the
# reward of what it did. It uses
#
# $$\nabla J = E[\nabla \log p(a) \cdot r(a)]$$
#
# that is, it minimises -log p(a) · r(a), with a and r as constants. Averaged over 20,000 draws the three frameworks
# give the gradient that we computed.

# %%
rewards_np = np.array([1.0, 0.0, 0.5], dtype="float32")
p = np.exp(logits_np) / np.exp(logits_np).sum()
exact = p * (rewards_np - p @ rewards_np)

rng = np.random.default_rng(0)
actions_np = rng.choice(3, size=20_000, p=p.astype("float64") / p.astype("float64").sum())
earned_np = rewards_np[actions_np]

logits = torch.tensor(logits_np, requires_grad=True)
log_p = torch.log_softmax(logits, dim=0)
(-(log_p[actions_np] * torch.tensor(earned_np)).mean()).backward()

with tf.GradientTape() as tape:
    log_p = tf.nn.log_softmax(logits_tf)
    loss = -tf.reduce_mean(tf.gather(log_p, actions_np) * earned_np)
by_tf = tf.convert_to_tensor(tape.gradient(loss, logits_tf)).numpy()

by_jax = jax.grad(lambda x: -jnp.mean(jax.nn.log_softmax(x)[actions_np] * earned_np))(jnp.asarray(logits_np))

print("exact     ", exact.round(3))
for name, gradient in (("PyTorch", logits.grad.numpy()), ("TensorFlow", by_tf), ("JAX", np.asarray(by_jax))):
    print(f"{name:<10}", (-gradient).round(3))
    assert np.allclose(-gradient, exact, atol=0.01)
assert np.allclose(logits.grad.numpy(), by_tf, atol=1e-5) and np.allclose(by_tf, by_jax, atol=1e-5)

# %% [markdown]
# The *value* of this loss says nothing: it may rise while the policy gets better. Look at the returns instead.
#
# ## Baselines
#
# Take the same number b off all rewards. The gradient stays the same on average, because Σ p ∇log p is zero. But
# single draws scatter less. With rewards of 11, 10 and 10.5 the difference is large:


# %%
higher = rewards_np + 10.0
assert higher.tolist() == [11.0, 10.0, 10.5]


def single_draw_gradients(baseline, count=5_000):
    """What each single draw says, one row per draw: (r - b) (one-hot(a) - p)."""
    drawn = rng.choice(3, size=count, p=p.astype("float64") / p.astype("float64").sum())
    return (higher[drawn] - baseline)[:, None] * (np.eye(3)[drawn] - p)


without, with_baseline = single_draw_gradients(0.0), single_draw_gradients(p @ higher)
print(f"variance of one draw: {without.var(0).sum():.2f} without a baseline, {with_baseline.var(0).sum():.2f} with")
assert np.allclose(with_baseline.mean(0), exact, atol=0.02)
assert without.var(0).sum() > 100 * with_baseline.var(0).sum()

# %% [markdown]
# More than a hundred times less. What is left, reward minus baseline, is the **advantage**.
#
# A loss of -log p(a) alone, without any reward, is the same as a reward of 1 for everything. Its gradient is zero on
# average: it teaches nothing. A single batch still gives a gradient, so such a loss may well fall for a while. That
# is noise.

# %%
only_log_p = np.eye(3)[actions_np] - p
assert np.abs(only_log_p.mean(0)).max() < 0.01  # nothing on average
assert np.abs(only_log_p[:16].mean(0)).max() > 0.01  # something in a batch of 16

# %% [markdown]
# ## Softmax and `categorical`
#
# `tf.random.categorical` wants logits, that is, log-probabilities up to a constant. Given `tf.math.log(probs)` it
# draws correctly. Given the probabilities themselves it raises nothing and draws from another distribution: 0.9
# becomes 0.69.

# %%
probs = tf.constant([[0.9, 0.1]])
right = 1.0 - float(tf.reduce_mean(tf.cast(tf.random.categorical(tf.math.log(probs), 20_000), tf.float32)))
wrong = 1.0 - float(tf.reduce_mean(tf.cast(tf.random.categorical(probs, 20_000), tf.float32)))
print(f"share of the first action: {right:.2f} from log(probs), {wrong:.2f} from probs")
assert abs(right - 0.9) < 0.02
assert abs(wrong - 0.69) < 0.02

# %% [markdown]
# Take the log-probability from the logits, with `log_softmax`, and not as the log of a softmax. When a policy is sure
# (logits 0 and 200) the softmax rounds to 0, its log is -inf, and the gradient is NaN. In PyTorch
# `Categorical(logits=…)` does it right.

# %%
sure = tf.Variable([0.0, 200.0])
with tf.GradientTape(persistent=True) as tape:
    log_of_softmax = tf.math.log(tf.nn.softmax(sure))[0]
    log_softmax = tf.nn.log_softmax(sure)[0]
assert np.isneginf(log_of_softmax.numpy())
assert np.isnan(tape.gradient(log_of_softmax, sure).numpy()).any()
assert log_softmax.numpy() == -200.0
assert np.allclose(tape.gradient(log_softmax, sure), [1.0, -1.0])
assert Categorical(logits=torch.tensor([0.0, 200.0])).log_prob(torch.tensor(0)) == -200.0


# %% [markdown]
# ## An agent that learns
#
# Action 1 is right where the first number of the state is positive, else action 0. Right earns 1. The actions are
# drawn by the policy *as it is now*, and the reward depends on them: both are needed. With actions and rewards from
# somewhere else the loss falls too, by fitting noise.


# %%
def policy_step(states=states):
    chosen = Categorical(logits=policy(states))
    actions = chosen.sample()
    earned = (actions == (states[:, 0] > 0)).float()
    advantages = earned - earned.mean()
    loss = -(chosen.log_prob(actions) * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return earned.mean().item()


report = whygrad.explain(policy_step)
assert codes(report) == []
first = np.mean([policy_step(torch.randn(64, 4)) for _ in range(5)])
for _ in range(300):
    policy_step(torch.randn(64, 4))
last = np.mean([policy_step(torch.randn(64, 4)) for _ in range(20)])
print(f"mean reward {first:.2f} at first, {last:.2f} after 300 updates")
assert first < 0.7 and last > 0.9

# %%
noise_policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
noise_optimizer = torch.optim.Adam(noise_policy.parameters(), lr=1e-2)
old_actions, random_rewards = torch.randint(0, 2, (64,)), torch.rand(64)
noise_losses = []
for _ in range(100):
    log_p = Categorical(logits=noise_policy(states)).log_prob(old_actions)
    loss = -(log_p * (random_rewards - random_rewards.mean())).mean()
    noise_optimizer.zero_grad()
    loss.backward()
    noise_optimizer.step()
    noise_losses.append(loss.item())
print(f"a loss that falls and teaches nothing: {noise_losses[0]:.3f}, {noise_losses[-1]:.3f}")
assert noise_losses[-1] < noise_losses[0] - 0.05

# %% [markdown]
# ## Zero advantage: W401
#
# If every action of a batch earned the same, the advantages are all zero, and so is the gradient: exactly zero, not
# missing. A sparse reward that is never found looks like this, and so does a group in which all answers are right.


# %%
def step_without_contrast():
    chosen = Categorical(logits=policy(states))
    actions = chosen.sample()
    earned = torch.ones(64)
    advantages = earned - earned.mean()
    loss = -(chosen.log_prob(actions) * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


report = whygrad.explain(twice, step_without_contrast)
print(report)
assert report.script_error is None
assert codes(report) == ["W401"]
assert all((p.grad == 0).all() for p in policy.parameters())

# %% [markdown]
# ## An advantage that carries a gradient: W505
#
# A learned baseline is a network. In the policy's loss its output has to be a constant. Otherwise the loss can be
# lowered by predicting wrong values, which is easier than acting better. Nothing is raised.

# %%
value = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
both = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-2)
returns = torch.randn(64)


def step_with_live_advantage():
    chosen = Categorical(logits=policy(states))
    actions = chosen.sample()
    advantages = returns - value(states).squeeze(1)
    loss = -(chosen.log_prob(actions) * advantages).mean()
    both.zero_grad()
    loss.backward()
    both.step()


report = whygrad.explain(step_with_live_advantage)
print(report)
assert codes(report) == ["W505"]


# %% [markdown]
# The repair: stop the advantage, and give the baseline a loss of its own. `squeeze(1)` matters, too: (64,) minus (64,
# 1) is a (64, 64) matrix, in all frameworks and without an error.


# %%
def repaired():
    chosen = Categorical(logits=policy(states))
    actions = chosen.sample()
    predicted = value(states).squeeze(1)
    advantages = (returns - predicted).detach()
    loss = -(chosen.log_prob(actions) * advantages).mean() + ((returns - predicted) ** 2).mean()
    both.zero_grad()
    loss.backward()
    both.step()


assert codes(whygrad.explain(repaired)) == []
assert (torch.ones(64) - torch.ones(64, 1)).shape == (64, 64)
assert (tf.ones(64) - tf.ones((64, 1))).shape == (64, 64)
assert (jnp.ones(64) - jnp.ones((64, 1))).shape == (64, 64)

# %% [markdown]
# ## What to take away
#
# - Never through the sample: through log p(a), with the action and the advantage as constants.
# - Draw the action from the policy that is being trained, and let the reward depend on it.
# - A baseline changes the noise, not the mean. Without contrast in a batch there is no gradient.
# - Logits into `categorical`, `log_softmax` for the log-probability.
#
# `from whygrad.rl import REINFORCE, A2C, PPO` are these lines as agents.
#
# **Try it.** In `policy_step`, leave out the baseline (`advantages = earned`). It still learns. How many updates does
# it take to a mean reward of 0.9?
