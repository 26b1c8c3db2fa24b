"""tf.gather with batch_dims reads each row of values at its own action."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
q_net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(3)])
optimizer = keras.optimizers.Adam(1e-3)
rng = np.random.default_rng(0)


@tf.function
def update(states, actions, returns):
    with tf.GradientTape() as tape:
        chosen = tf.gather(q_net(states), actions, batch_dims=1)
        loss = tf.reduce_mean(tf.square(returns - chosen))
    grads = tape.gradient(loss, q_net.trainable_variables)
    optimizer.apply_gradients(zip(grads, q_net.trainable_variables))


for _ in range(3):
    states, returns = rng.normal(size=(16, 4)).astype("float32"), rng.normal(size=16).astype("float32")
    update(states, rng.integers(0, 3, size=16), returns)
