"""The target of a DQN is a second Model on the layers of the first one; its predictions come by way of NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
inputs = keras.Input((4,))
hidden = keras.layers.Dense(16, activation="relu")(inputs)
values = keras.layers.Dense(2)(hidden)
model = keras.Model(inputs=inputs, outputs=values)
model_target = keras.Model(inputs=inputs, outputs=values)  # fires: W502
optimizer = keras.optimizers.Adam(1e-3)
huber = keras.losses.Huber()
rng = np.random.default_rng(0)
for step in range(6):
    states, after = rng.normal(size=(2, 8, 4)).astype("float32")
    rewards, done = rng.normal(size=8).astype("float32"), rng.integers(0, 2, 8).astype("float32")
    taken = keras.ops.one_hot(rng.integers(0, 2, 8), 2)
    future = model_target.predict(after, verbose=0)
    goals = rewards + 0.99 * keras.ops.amax(future, axis=1)
    goals = goals * (1 - done) - done
    with tf.GradientTape() as tape:
        chosen = keras.ops.sum(model(states) * taken, axis=1)
        loss = huber(goals, chosen)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    if step % 3 == 2:
        model_target.set_weights(model.get_weights())
