"""A comparison opens and closes a gate."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
scores = keras.Sequential([keras.Input((6,)), keras.layers.Dense(6)])
head = keras.Sequential([keras.Input((6,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.1)
variables = [*scores.trainable_variables, *head.trainable_variables]
for step in range(3):
    inputs = tf.random.normal((8, 6))
    with tf.GradientTape() as tape:
        gate = tf.cast(scores(inputs) > 0.0, tf.float32)  # fires: W104
        loss = tf.reduce_mean((head(inputs * gate) - 1.0) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
