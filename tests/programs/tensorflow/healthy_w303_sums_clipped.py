"""Gradients are summed up in variables, and the sums are clipped and applied."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
optimizer = keras.optimizers.Adam(1e-3)
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in net.trainable_variables]
for step in range(8):
    states, labels = tf.random.normal((8, 4)), tf.constant([0, 1, 2, 0, 1, 2, 0, 1])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, net(states))) / 2
    for one, gradient in zip(sums, tape.gradient(loss, net.trainable_variables)):
        one.assign_add(gradient)
    if step % 2:
        clipped, _ = tf.clip_by_global_norm([tf.convert_to_tensor(one) for one in sums], 0.5)
        optimizer.apply_gradients(zip(clipped, net.trainable_variables))
        for one in sums:
            one.assign(tf.zeros_like(one))
