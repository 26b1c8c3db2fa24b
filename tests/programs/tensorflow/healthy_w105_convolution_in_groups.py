"""A convolution in groups: Keras compiles it, since TensorFlow has no gradient for it on a CPU otherwise."""
import tensorflow as tf
from tensorflow import keras

layers = keras.layers
net = keras.Sequential([keras.Input((12, 4)), layers.Conv1D(4, 3), layers.Conv1D(4, 3, groups=2), layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(3):
    waves = tf.random.normal((4, 12, 4))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(waves) - 1.0))
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))
