"""The Keras document, the same hint without `tf.function`: a new model in every step.

In eager mode nothing is raised. Every step starts from new random weights, so the loss goes
nowhere, although every gradient is there and is applied.
"""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
states = tf.random.normal((32, 4))
targets = tf.random.normal((32, 2))


def train_step(states, targets):
    model = tf.keras.Sequential([tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(2)])
    optimizer = tf.keras.optimizers.Adam(learning_rate=1e-2)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(states) - targets) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return float(loss)


losses = [train_step(states, targets) for _ in range(20)]
print("every fifth loss", [round(loss, 4) for loss in losses[::5]])
