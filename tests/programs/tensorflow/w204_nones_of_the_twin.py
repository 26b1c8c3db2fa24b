"""The second critic's loss is asked for the gradient of the first: None throughout, and Keras refuses the step."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def critic(name):
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)], name=name)


first, second = critic("first"), critic("second")
optimizers = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for _ in range(4):
    inputs, targets = tf.random.normal((16, 4)), tf.random.normal((16, 1))
    with tf.GradientTape(persistent=True) as tape:
        first_loss = tf.reduce_mean((first(inputs) - targets) ** 2)
        second_loss = tf.reduce_mean((second(inputs) - targets) ** 2)
    ones, others = first.trainable_variables, second.trainable_variables
    optimizers[0].apply_gradients(zip(tape.gradient(first_loss, ones), ones))
    slopes = tape.gradient(second_loss, ones)  # fires: W204
    optimizers[1].apply_gradients(zip(slopes, others))
