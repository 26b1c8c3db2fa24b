"""Scores of actions that are not allowed are multiplied by minus infinity; 0 times infinity comes back as NaN."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(5, "softplus")])
optimizer = keras.optimizers.Adam(1e-3)
allowed = tf.constant([1.0, 1.0, 1.0, 1.0, -float("inf")])
for update in range(3):
    states, actions = tf.random.normal((16, 4)), tf.random.uniform((16,), 0, 4, tf.int32)
    with tf.GradientTape() as tape:
        chances = tf.nn.softmax(policy(states) * allowed)  # fires: W402
        loss = -tf.reduce_mean(tf.math.log(tf.gather(chances, actions, batch_dims=1)))
    gradients = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(gradients, policy.trainable_variables))
