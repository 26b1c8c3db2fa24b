"""The Keras document, exercise 3: fifty steps on random data, loss printed every ten.

Works. The data are drawn once here, so the network learns them by heart and the loss falls.
"""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Input((4,)),
        tf.keras.layers.Dense(64, activation="relu"),
        tf.keras.layers.Dense(2),
    ]
)
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)


def train_step(states, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(states) - targets) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return float(loss)


states = tf.random.normal((32, 4))
targets = tf.random.normal((32, 2))
for step in range(1, 51):
    loss = train_step(states, targets)
    if step % 10 == 0:
        print(f"step {step}  loss {loss:.4f}")
