"""The TF-Agents document, example 1, with a policy network made of today's Keras layers.

The text uses `tf.compat.v1.train.AdamOptimizer`. With the variables of Keras 3 the update stops
with "AttributeError: 'Variable' object has no attribute '_in_graph_mode'": the old optimizer only
takes variables of TensorFlow itself. The gradients are all there.
TF-Agents needs an older TensorFlow, so the policy here is a plain Keras model.
"""

from types import SimpleNamespace

import tensorflow as tf


def compute_loss(experience, policy):
    observations, actions, returns = experience
    log_probs = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=policy(observations))
    return -tf.reduce_mean(log_probs * returns)


tf.keras.utils.set_random_seed(0)
network = tf.keras.Sequential(
    [
        tf.keras.layers.Input((4,)),
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(2),
    ],
    name="policy",
)
agent = SimpleNamespace(policy=network)
experience = (
    tf.random.normal((32, 4)),
    tf.random.uniform((32,), 0, 2, dtype=tf.int32),
    tf.random.normal((32,)),
)
optimizer = tf.compat.v1.train.AdamOptimizer(learning_rate=1e-3)


@tf.function
def train_step(experience):
    with tf.GradientTape() as tape:
        loss = compute_loss(experience, agent.policy)
    gradients = tape.gradient(loss, agent.policy.trainable_variables)
    print("missing gradients:", sum(gradient is None for gradient in gradients))
    optimizer.apply_gradients(zip(gradients, agent.policy.trainable_variables, strict=True))
    return loss


print("loss", float(train_step(experience)))
