"""Stops that are meant: the target of a TD error, an advantage, one side of a pair of views."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
body = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh")])
policy, value, predictor = keras.layers.Dense(2), keras.layers.Dense(1), keras.layers.Dense(8)
for head in (policy, value, predictor):
    head.build((None, 8))
parts = (body, policy, value, predictor)
variables = [v for part in parts for v in part.trainable_variables]
optimizer = keras.optimizers.Adam(1e-3)
for update in range(4):
    states, following, rewards = tf.random.normal((8, 4)), tf.random.normal((8, 4)), tf.random.normal((8, 1))
    actions = tf.random.uniform((8,), 0, 2, tf.int32)
    with tf.GradientTape() as tape:
        features = body(states)
        values = value(features)
        target = tf.stop_gradient(rewards + 0.9 * value(body(following)))
        advantage = tf.stop_gradient(target - values)[:, 0]
        log_prob = tf.gather(tf.nn.log_softmax(policy(features)), actions, axis=1, batch_dims=1)
        agree = tf.reduce_mean((predictor(features) - tf.stop_gradient(body(states + 0.1))) ** 2)
        loss = tf.reduce_mean((target - values) ** 2) - tf.reduce_mean(log_prob * advantage) + agree
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
