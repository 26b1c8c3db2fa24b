"""The TF-Agents document, all examples: the loss goes through `agent.policy`.

The text says that gradients are almost always there and only hard to see. But in TF-Agents
`agent.policy` is the greedy policy: its answer is the index of the best action, and an index has
no derivative. So the samples' own call gives None for every variable, and the update stops with
"ValueError: No gradients provided for any variable". TF-Agents (checked apart, 0.19.0) does the
same; this is plain TensorFlow.
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

    def greedy_action(self, observations):
        return tf.argmax(self.logits(observations), axis=-1)


def compute_loss(experience, policy):
    observations, wanted_actions = experience
    actions = tf.cast(policy.greedy_action(observations), tf.float32)
    return tf.reduce_mean(tf.square(actions - wanted_actions))


tf.random.set_seed(0)
agent = SimpleNamespace(policy=Policy())
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)
experience = (
    tf.random.normal((32, 4)),
    tf.cast(tf.random.uniform((32,), 0, 2, dtype=tf.int32), tf.float32),
)

with tf.GradientTape() as tape:
    loss = compute_loss(experience, agent.policy)
gradients = tape.gradient(loss, agent.policy.trainable_variables)
print("missing gradients:", sum(gradient is None for gradient in gradients), "of", len(gradients))
optimizer.apply_gradients(zip(gradients, agent.policy.trainable_variables, strict=True))
