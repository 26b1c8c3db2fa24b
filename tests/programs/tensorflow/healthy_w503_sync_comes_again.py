"""A DQN loop whose sync comes round before the first update, and again only after this run has ended."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])


model, target = build(), build()
optimizer = keras.optimizers.Adam(1e-3)
memory = []
frame = 0
while frame < 24:
    memory.append(np.random.randn(9).astype("float32"))
    if len(memory) > 16:
        rows = tf.constant(np.stack(memory[-16:]))
        goal = rows[:, 8] + 0.99 * tf.reduce_max(target(rows[:, 4:8]), axis=1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((goal - model(rows[:, :4])[:, 0]) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    if frame % 1000 == 0:
        target.set_weights(model.get_weights())
    frame += 1
