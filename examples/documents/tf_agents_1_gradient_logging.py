"""The TF-Agents document, example 1: histograms of the gradients from inside the update.

The text says that the gradients appear in TensorBoard. As written nothing appears: without a
default writer `tf.summary.histogram` returns False and writes nothing, and with a writer but no
step it raises "ValueError: No step set". The update itself trains.
TF-Agents needs an older TensorFlow, so the policy here is plain TensorFlow.
"""

from importlib.util import find_spec
from types import SimpleNamespace

import tensorflow as tf

HAS_TENSORBOARD = find_spec("tensorboard") is not None


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


def log_histogram(name, values):
    # The text's call. TensorFlow 2.21 does not bring TensorBoard along, and raises without it.
    if HAS_TENSORBOARD:
        tf.summary.histogram(name, values)


tf.random.set_seed(0)
agent = SimpleNamespace(policy=Policy())
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
    optimizer.apply_gradients(zip(gradients, agent.policy.trainable_variables, strict=True))

    for i, gradient in enumerate(gradients):
        log_histogram(f"gradients/layer_{i}", gradient)
    return loss, tf.linalg.global_norm(gradients)


for step in range(50):
    loss, norm = train_step(experience)
    if step in (0, 49):
        print(f"step {step}  loss {float(loss):.4f}  gradient norm {float(norm):.4f}")
print("a summary writer is set:", tf.summary.should_record_summaries().numpy())
