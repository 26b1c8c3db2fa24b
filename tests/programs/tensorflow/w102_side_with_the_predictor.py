"""Two views without negatives: the target side is stopped by design, and the side of the predictor by mistake."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
predictor = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(4)])
optimizer = keras.optimizers.SGD(0.05)


def likeness(p, z):
    z = tf.stop_gradient(z)
    return -tf.reduce_mean(tf.reduce_sum(tf.nn.l2_normalize(p, axis=1) * tf.nn.l2_normalize(z, axis=1), axis=1))


x = tf.random.normal((8, 6))
with tf.GradientTape() as tape:
    z1, z2 = encoder(x), encoder(x + 0.1)
    p1, p2 = tf.stop_gradient(predictor(z1)), tf.stop_gradient(predictor(z2))  # fires: W102
    loss = likeness(p1, z2) / 2 + likeness(p2, z1) / 2
variables = encoder.trainable_variables + predictor.trainable_variables
try:
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
except ValueError as error:
    print(error)
