"""The policy term that compile() is given has its logits stopped; the entropy beside it goes on."""
import keras
import numpy as np
import tensorflow as tf


class ActorCritic(keras.Model):
    def __init__(self):
        super().__init__()
        self.body, self.value, self.policy = (keras.layers.Dense(n) for n in (16, 1, 2))

    def call(self, states):
        features = tf.nn.relu(self.body(states))
        return self.value(features), self.policy(features)


def critic_loss(returns, values):
    return 0.5 * tf.reduce_mean((returns - values) ** 2, axis=-1)


def actor_loss(taken, logits):
    actions, advantages = tf.cast(taken[:, 0], tf.int32), taken[:, 1]
    chosen = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="sum")
    policy_loss = chosen(actions, tf.stop_gradient(logits), sample_weight=advantages)  # fires: W102
    probabilities = tf.nn.softmax(logits)
    return policy_loss - 0.05 * keras.losses.categorical_crossentropy(probabilities, probabilities)


rng = np.random.default_rng(0)
model = ActorCritic()
model.compile(optimizer="adam", loss=[critic_loss, actor_loss])
for _ in range(5):
    states, returns = rng.normal(size=(24, 4)).astype("float32"), rng.normal(size=(24, 1)).astype("float32")
    taken = np.concatenate([rng.integers(0, 2, (24, 1)), rng.normal(size=(24, 1))], axis=1).astype("float32")
    model.train_on_batch(states, [returns, taken])
