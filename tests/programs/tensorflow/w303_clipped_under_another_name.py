"""The clipped gradients get a name of their own; only their norm is used."""
import tensorflow as tf
from tensorflow import keras


class Learner:
    def __init__(self):
        self.policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(2)])
        self.optimizer = keras.optimizers.Adam(1e-3)

    def update(self, states, actions, returns):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=self.policy(states))
            loss = tf.reduce_mean(losses * returns)
        grads = tape.gradient(loss, self.policy.trainable_variables)
        clipped, norm = tf.clip_by_global_norm(grads, 0.5)  # fires: W303
        self.optimizer.apply_gradients(zip(grads, self.policy.trainable_variables))
        return float(norm)


learner = Learner()
for _ in range(4):
    learner.update(tf.random.normal((16, 4)), tf.random.uniform((16,), 0, 2, tf.int32), tf.random.normal((16,)))
