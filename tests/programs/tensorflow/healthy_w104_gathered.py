"""Arg-max picks, gather carries; mean + std * noise; accuracy for the log."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
q_net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
mean = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
log_std = tf.Variable(0.0, name="log_std")
optimizer = keras.optimizers.Adam(1e-3)
variables = [*q_net.trainable_variables, *mean.trainable_variables, log_std]
for update in range(3):
    states, labels = tf.random.normal((8, 4)), tf.random.uniform((8,), 0, 3, tf.int64)
    with tf.GradientTape() as tape:
        q = q_net(states)
        best = tf.argmax(q, axis=1)
        taken = tf.reduce_sum(q * tf.one_hot(best, 3), axis=1)
        drawn = mean(states) + tf.exp(log_std) * tf.random.normal((8, 1))
        loss = tf.reduce_mean((taken - 1.0) ** 2) + tf.reduce_mean(drawn**2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    print(update, float(tf.reduce_mean(tf.cast(best == labels, tf.float32))))
