"""Gradient descent by hand: the update makes a new tensor and gives it the variable's name."""
import tensorflow as tf

tf.random.set_seed(3)
features = tf.random.normal((32, 5))
labels = tf.cast(tf.reduce_sum(features, axis=1, keepdims=True) > 0, tf.float32)
weights = tf.Variable(tf.zeros((5, 1)), name="weights")
offset = tf.Variable(0.0, name="offset")

for epoch in range(3):
    with tf.GradientTape() as tape:
        logits = tf.matmul(features, weights) + offset
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, logits))
    slope, shift = tape.gradient(loss, [weights, offset])
    if slope is None:
        break
    weights = weights - 0.5 * slope  # fires: W106
    offset.assign_sub(0.5 * shift)
