"""A term of the loss is stopped row by row, by `tf.where`: some rows carry their gradient in each update."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
optimizer = keras.optimizers.Adam(1e-3)
states, labels = tf.random.normal((8, 4)), tf.constant([0, 1, 2, 0, 1, 2, 0, 1])
for _ in range(4):
    with tf.GradientTape() as tape:
        logits = net(states)
        rows = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(tf.where(rows > tf.reduce_mean(rows), tf.stop_gradient(rows), rows))
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
