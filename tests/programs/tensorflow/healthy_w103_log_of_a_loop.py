"""The log-probabilities of a compiled rollout are taken in TensorFlow; the loop itself changes nothing."""

import tensorflow as tf

tf.random.set_seed(0)


class ActorCritic(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.common = tf.keras.layers.Dense(8, activation="relu")
        self.actor = tf.keras.layers.Dense(2)
        self.critic = tf.keras.layers.Dense(1)

    def call(self, states):
        features = self.common(states)
        return self.actor(features), self.critic(features)


model = ActorCritic()
optimizer = tf.keras.optimizers.Adam(0.01)


def rollout(state):
    taken = tf.TensorArray(tf.float32, size=6)
    values = tf.TensorArray(tf.float32, size=6)
    for t in tf.range(6):
        logits, value = model(state)
        action = tf.random.categorical(logits, 1)[0, 0]
        taken = taken.write(t, tf.nn.softmax(logits)[0, action])
        values = values.write(t, tf.squeeze(value))
        state = tf.roll(state, 1, axis=1)
    return taken.stack(), values.stack()


@tf.function
def train_step(state, returns):
    with tf.GradientTape() as tape:
        taken, values = rollout(state)
        log_probs = tf.math.log(taken)
        advantage = tf.stop_gradient(returns - values)
        loss = tf.reduce_mean((returns - values) ** 2) - tf.reduce_sum(log_probs * advantage)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


for _ in range(12):
    train_step(tf.random.normal((1, 4)), tf.random.normal((6,)))
