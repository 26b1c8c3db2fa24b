"""The Keras document, a hint: create model and optimizer outside of the training step.

The text gives reuse as the reason. It is stronger than that: inside `tf.function` it is an error,
"ValueError: tf.function only supports singleton tf.Variables created on the first call".
"""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
states = tf.random.normal((32, 4))
targets = tf.random.normal((32, 2))


@tf.function
def train_step(states, targets):
    model = tf.keras.Sequential([tf.keras.layers.Dense(64, activation="relu")])
    model.add(tf.keras.layers.Dense(2))
    optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(states) - targets) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


for _ in range(2):
    print("loss", float(train_step(states, targets)))
