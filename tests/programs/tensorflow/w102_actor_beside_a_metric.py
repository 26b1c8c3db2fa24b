"""An actor is stopped before its critic; a metric of its actions has a gradient for it, and is no term of a loss."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1, "tanh")])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
size = keras.metrics.Mean()
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    states = tf.random.normal((32, 3))
    with tf.GradientTape() as tape:
        actions = actor(states)
        size.update_state(tf.reduce_mean(tf.abs(actions)))
        loss = -tf.reduce_mean(critic(tf.concat([states, tf.stop_gradient(actions)], 1)))  # fires: W102
    gradients = tape.gradient(loss, actor.trainable_variables)
    optimizer.apply_gradients(zip(gradients, actor.trainable_variables))
