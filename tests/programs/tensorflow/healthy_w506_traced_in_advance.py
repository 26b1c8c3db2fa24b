"""A function is called once for each of the few lengths that it is for, before the training that goes on with those."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)


@tf.function
def train(states, length, training=True):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(states[:length], training=training) - 1.0) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
    return loss


for length in (4, 6, 8, 12, 16):
    train(tf.random.normal((16, 3)), length)
for step in range(10):
    train(tf.random.normal((16, 3)), (4, 6, 8, 12, 16)[step % 5])
