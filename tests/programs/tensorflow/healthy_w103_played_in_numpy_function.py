"""Only the playing runs inside tf.numpy_function; the loss asks the network again about the states that were met."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
inputs = tf.keras.Input((3,))
hidden = tf.keras.layers.Dense(16, "relu")(inputs)
model = tf.keras.Model(inputs, [tf.keras.layers.Dense(2)(hidden), tf.keras.layers.Dense(1)(hidden)])
optimizer = tf.keras.optimizers.Adam(1e-3)


def play():
    state, states, guesses = np.ones((4, 3), np.float32), [], []
    for _ in range(3):
        found, value = model(state)
        states.append(state)
        guesses.append(value)
        state = (0.9 * state + 0.01 * tf.argmax(found, axis=1).numpy()[:, None]).astype(np.float32)
    return [np.concatenate(column).astype(np.float32) for column in (states, guesses)]


def train_step():
    with tf.GradientTape() as tape:
        states, guesses = tf.numpy_function(play, [], [tf.float32, tf.float32])
        logits, values = model(tf.ensure_shape(states, (None, 3)))
        chosen = tf.nn.log_softmax(logits)[:, :1]
        loss = tf.reduce_mean((1.0 - values) ** 2) - tf.reduce_mean(chosen * (1.0 - guesses))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))


for _ in range(3):
    train_step()
