"""Word vectors are looked up in one table and scored with another of its shape; only the second is asked for."""
import tensorflow as tf

tf.random.set_seed(0)
vectors = tf.Variable(tf.random.normal([20, 8]))
scores = tf.Variable(tf.random.normal([20, 8]))
biases = tf.Variable(tf.zeros([20]))
optimizer = tf.keras.optimizers.SGD(0.1)
for step in range(6):
    words = tf.random.uniform([16], 0, 20, dtype=tf.int64, seed=step)
    with tf.GradientTape() as tape:
        looked_up = tf.nn.embedding_lookup(vectors, words)
        near = tf.expand_dims((words + 1) % 20, 1)
        loss = tf.reduce_mean(tf.nn.nce_loss(scores, biases, near, looked_up, num_sampled=4, num_classes=20))
    gradients = tape.gradient(loss, [scores, biases])  # fires: W201
    optimizer.apply_gradients(zip(gradients, [scores, biases]))
