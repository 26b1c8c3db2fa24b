"""A head on a fixed random encoder, and a comment that says so."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu")])
head = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.1)
variables = [*encoder.trainable_variables, *head.trainable_variables]
for step in range(3):
    batch = tf.random.normal((8, 6))
    with tf.GradientTape() as tape:
        features = tf.stop_gradient(encoder(batch))  # whygrad: ok W102
        loss = tf.reduce_mean(head(features) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
