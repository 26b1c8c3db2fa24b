"""Two models over the same layer objects; the sync comes after the last update that is looked at."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
hidden, head = keras.layers.Dense(16, activation="relu"), keras.layers.Dense(2)


def build():
    inputs = keras.Input((4,))
    return keras.Model(inputs, head(hidden(inputs)))


online = build()
target = build()  # fires: W502
optimizer = keras.optimizers.Adam(1e-3)
optimizer.build(online.trainable_variables)


@tf.function
def train(states, actions, rewards, next_states):
    goal = rewards + 0.95 * tf.reduce_max(target(next_states), axis=1)
    with tf.GradientTape() as tape:
        values = tf.gather(online(states), actions, batch_dims=1)
        loss = tf.reduce_mean((goal - values) ** 2)
    gradients = tape.gradient(loss, online.trainable_variables)
    optimizer.apply_gradients(zip(gradients, online.trainable_variables, strict=True))


for _update in range(6):
    seen = tf.random.normal((16, 4))
    train(seen, tf.random.uniform((16,), 0, 2, tf.int32), seen[:, 0], 0.9 * seen)
