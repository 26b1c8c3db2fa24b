"""The encoder is computed with recording paused, to save memory."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(4, "tanh")])
decoder = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6)])
optimizer = keras.optimizers.SGD(0.1)


def train_step(batch):
    variables = [*encoder.trainable_variables, *decoder.trainable_variables]
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            code = encoder(batch)  # fires: W101
        loss = tf.reduce_mean((decoder(code) - batch) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])


for step in range(3):
    train_step(tf.random.normal((8, 6)))
