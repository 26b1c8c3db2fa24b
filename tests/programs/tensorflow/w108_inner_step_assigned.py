"""Meta-learning: the inner step is assigned to a copy's variables, which know nothing of where it came from."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build():
    return keras.Sequential([keras.Input((1,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])


model, adapted = build(), build()
optimizer = keras.optimizers.Adam(1e-3)
for task in range(3):
    height, x = tf.random.uniform(()), tf.random.uniform((10, 1), -3.0, 3.0)
    y = height * tf.sin(x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            before = tf.reduce_mean((model(x) - y) ** 2)
        slopes = inner.gradient(before, model.trainable_variables)
        for copied, variable, slope in zip(adapted.trainable_variables, model.trainable_variables, slopes):
            copied.assign(variable - 0.01 * slope)  # fires: W108
        after = tf.reduce_mean((adapted(x) - y) ** 2)
    gradients = outer.gradient(after, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
