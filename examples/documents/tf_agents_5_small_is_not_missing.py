"""The TF-Agents document, its explanation in prose: gradients vanish in one step, show in many.

The text says that a single early step may not show significant gradients, because they are
aggregated over steps and batches. A missing gradient is None in every step, and a present one is
a tensor in the first. Here the first step of a fresh policy already has all four, and their norm
is of the same size fifty steps later. Nothing is aggregated.
TF-Agents needs an older TensorFlow, so the policy here is plain TensorFlow.
"""

from types import SimpleNamespace

import tensorflow as tf


class Policy(tf.Module):
    """Stands in for a TF-Agents policy: a module with `trainable_variables`."""

    def __init__(self):
        super().__init__()
        self.w1 = tf.Variable(tf.random.normal((4, 16), stddev=0.5), name="w1")
        self.b1 = tf.Variable(tf.zeros(16), name="b1")
        self.w2 = tf.Variable(tf.random.normal((16, 2), stddev=0.25), name="w2")
        self.b2 = tf.Variable(tf.zeros(2), name="b2")

    def logits(self, observations):
        return tf.nn.relu(observations @ self.w1 + self.b1) @ self.w2 + self.b2


def compute_loss(experience, policy):
    observations, actions, returns = experience
    log_probs = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=policy.logits(observations))
    return -tf.reduce_mean(log_probs * returns)


tf.random.set_seed(0)
agent = SimpleNamespace(policy=Policy())
experience = (
    tf.random.normal((32, 4)),
    tf.random.uniform((32,), 0, 2, dtype=tf.int32),
    tf.random.normal((32,)),
)
optimizer = tf.compat.v1.train.AdamOptimizer(learning_rate=1e-3)
variables = agent.policy.trainable_variables

for step in range(50):
    with tf.GradientTape() as tape:
        loss = compute_loss(experience, agent.policy)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))
    if step in (0, 49):
        missing = sum(gradient is None for gradient in gradients)
        print(f"step {step}  missing {missing}  norm {float(tf.linalg.global_norm(gradients)):.4f}")
