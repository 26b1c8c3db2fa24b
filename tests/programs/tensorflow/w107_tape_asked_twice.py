"""One tape for two losses, asked twice."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
actor_optimizer, critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
states, actions, returns = tf.random.normal((8, 3)), tf.random.uniform((8, 1)), tf.random.normal((8, 1))
with tf.GradientTape() as tape:
    critic_loss = tf.reduce_mean((critic(tf.concat([states, actions], axis=1)) - returns) ** 2)
    actor_loss = -tf.reduce_mean(critic(tf.concat([states, actor(states)], axis=1)))
critic_gradients = tape.gradient(critic_loss, critic.trainable_variables)
actor_gradients = tape.gradient(actor_loss, actor.trainable_variables)  # fires: W107
critic_optimizer.apply_gradients(zip(critic_gradients, critic.trainable_variables))
actor_optimizer.apply_gradients(zip(actor_gradients, actor.trainable_variables))
