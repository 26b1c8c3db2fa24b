"""A coupling layer of a flow gives a scale and a shift, and the shift is not used."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
inputs = keras.Input((2,))
scale = keras.layers.Dense(2, "tanh")(keras.layers.Dense(8, "relu")(inputs))
shift = keras.layers.Dense(2)(keras.layers.Dense(8, "relu")(inputs))
coupling = keras.Model(inputs, [scale, shift])
optimizer = keras.optimizers.Adam(1e-3)
mask = tf.constant([0.0, 1.0])
for _ in range(3):
    data = tf.random.normal((16, 2))
    with tf.GradientTape() as tape:
        kept = data * mask
        s, t = coupling(kept)
        s *= 1 - mask
        t *= 1 - mask  # fires: W105
        y = (1 - mask) * (data * tf.exp(-s)) + kept
        loss = tf.reduce_mean(0.5 * tf.reduce_sum(y**2, axis=1) + tf.reduce_sum(s, axis=1))
    variables = coupling.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
