"""The TF-Agents document, example 2: clipping by the global norm, and once more in the optimizer.

The text says that the clipped gradients show whether gradients explode, and that `clipnorm` is
one more layer. Clipped gradients cannot show it: their norm is 10 whenever the raw norm, which
the sample throws away, is larger. And `clipnorm` then cuts every variable on its own to norm 1,
so what is applied is not what is logged, and its direction has changed.
TF-Agents needs an older TensorFlow, so the policy here is a plain Keras model.
"""

from importlib.util import find_spec
from types import SimpleNamespace

import tensorflow as tf

HAS_TENSORBOARD = find_spec("tensorboard") is not None


def compute_loss(experience, policy):
    observations, actions, returns = experience
    log_probs = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=policy(observations))
    return -tf.reduce_mean(log_probs * returns)


def log_histogram(name, values):
    # The text's call. TensorFlow 2.21 does not bring TensorBoard along, and raises without it.
    if HAS_TENSORBOARD:
        tf.summary.histogram(name, values)


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
    1000.0 * tf.random.normal((32,)),  # large returns, so that there is something to clip
)
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3, clipnorm=1.0)


@tf.function
def train_step(experience):
    with tf.GradientTape() as tape:
        loss = compute_loss(experience, agent.policy)
    gradients = tape.gradient(loss, agent.policy.trainable_variables)
    clipped, raw_norm = tf.clip_by_global_norm(gradients, 10.0)
    optimizer.apply_gradients(zip(clipped, agent.policy.trainable_variables, strict=True))

    for i, gradient in enumerate(clipped):
        log_histogram(f"gradients/clipped_layer_{i}", gradient)
    return loss, raw_norm, clipped


for _ in range(3):
    loss, raw_norm, clipped = train_step(experience)
    # What `clipnorm` makes of it inside the optimizer, worked out once more to be shown.
    applied = [tf.clip_by_norm(gradient, 1.0) for gradient in clipped]
    flat_clipped = tf.concat([tf.reshape(g, [-1]) for g in clipped], axis=0)
    flat_applied = tf.concat([tf.reshape(g, [-1]) for g in applied], axis=0)
    cosine = tf.reduce_sum(flat_clipped * flat_applied) / (tf.norm(flat_clipped) * tf.norm(flat_applied))
    print(
        f"norm: raw {float(raw_norm):.1f}, logged {float(tf.norm(flat_clipped)):.2f}, "
        f"applied {float(tf.norm(flat_applied)):.2f}; cosine between the two {float(cosine):.3f}"
    )
