"""A drawn action goes straight into the critic: a draw has no derivative."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
critic = keras.Sequential([keras.Input((7,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
actor_optimizer = keras.optimizers.Adam(1e-3)
for update in range(2):
    states = tf.random.normal((8, 4))
    with tf.GradientTape() as tape:
        drawn = tf.random.categorical(actor(states), 1)[:, 0]  # fires: W104
        actions = tf.one_hot(drawn, 3)
        loss = -tf.reduce_mean(critic(tf.concat([states, actions], axis=1)))
    gradients = tape.gradient(loss, actor.trainable_variables)
    actor_optimizer.apply_gradients(zip(gradients, actor.trainable_variables))
