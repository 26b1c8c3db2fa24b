"""A helper clips each gradient and returns new pairs, which are applied."""
import tensorflow as tf

tf.random.set_seed(0)
net = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.01)


def clipped_by_norm(pairs, limit):
    clipped = []
    for grad, variable in pairs:
        grad = tf.clip_by_norm(grad, limit)
        clipped.append((grad, variable))
    return clipped


for _ in range(3):
    x = tf.random.normal((16, 4))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - 10.0 * x[:, :1]) ** 2)
    pairs = list(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    pairs = clipped_by_norm(pairs, 0.5)
    optimizer.apply_gradients(pairs)
