"""The gradients are computed, and the optimizer is handed zeros of their shape."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-2)


@tf.function
def update(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(batch) - 1.0) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    held = [tf.zeros_like(g) for g in grads]  # fires: W401
    optimizer.apply_gradients(zip(held, model.trainable_variables))


for _ in range(5):
    update(tf.random.normal((8, 5)))
