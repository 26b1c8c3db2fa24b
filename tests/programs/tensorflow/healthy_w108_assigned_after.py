"""Variables that are written beside the loss: a running mean, a target network, a copy for display."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)])
slow = keras.models.clone_model(net)
slow.set_weights(net.get_weights())
mean = tf.Variable(0.0, trainable=False)
shown = tf.Variable(tf.zeros((8, 1)), trainable=False)
optimizer = keras.optimizers.Adam(1e-3)
for step in range(3):
    inputs = tf.random.normal((8, 3))
    with tf.GradientTape() as tape:
        output = net(inputs)
        shown.assign(output)
        mean.assign(0.9 * mean + 0.1 * tf.reduce_mean(output))
        loss = tf.reduce_mean((output - mean - 1.0) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
    for old, new in zip(slow.variables, net.variables):
        old.assign(0.99 * old + 0.01 * new)
