"""Gumbel-softmax with a hard forward pass."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
selector = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
head = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-2)
variables = [*selector.trainable_variables, *head.trainable_variables]
for step in range(3):
    states = tf.random.normal((8, 4))
    with tf.GradientTape() as tape:
        noise = -tf.math.log(-tf.math.log(tf.random.uniform((8, 3), 1e-6, 1.0 - 1e-6)))
        soft = tf.nn.softmax((selector(states) + noise) / 0.5)
        hard = tf.one_hot(tf.argmax(soft, axis=1), 3)
        picked = soft + tf.stop_gradient(hard - soft)
        loss = tf.reduce_mean((head(picked) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
