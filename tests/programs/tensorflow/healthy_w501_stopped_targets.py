"""Targets that are stopped, each in another way: outside the tape, stop_gradient, a network nobody asks about."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def mlp(outputs):
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(outputs)])


q_net, target_net, value_net = mlp(2), mlp(2), mlp(1)
target_net.set_weights(q_net.get_weights())
optimizer = keras.optimizers.Adam(1e-3)
variables = q_net.trainable_variables + value_net.trainable_variables
for update in range(5):
    states, following, rewards = tf.random.normal((16, 4)), tf.random.normal((16, 4)), tf.random.normal((16,))
    outside = rewards + 0.99 * value_net(following)[:, 0]
    with tf.GradientTape() as tape:
        q = q_net(states)[:, 0]
        inside = rewards + 0.99 * tf.reduce_max(target_net(following), axis=1)
        stopped = tf.stop_gradient(rewards + 0.99 * tf.reduce_max(q_net(following), axis=1))
        with tape.stop_recording():
            paused = rewards + 0.99 * tf.reduce_max(q_net(following), axis=1)
        loss = tf.add_n([tf.reduce_mean((q - target) ** 2) for target in (inside, stopped, paused)])
        loss += tf.reduce_mean(tf.math.squared_difference(value_net(states)[:, 0], outside))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    for slow, fast in zip(target_net.variables, q_net.variables):
        slow.assign(0.01 * fast + 0.99 * slow)
