"""The gradient of the actor's loss is asked for the critic, and applied to it; the actor is asked for nowhere."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "tanh")])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
actor_optimizer, critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for _ in range(4):
    states, actions, returns = (tf.random.normal((16, n)) for n in (3, 1, 1))
    with tf.GradientTape() as tape:
        critic_loss = tf.reduce_mean((critic(tf.concat([states, actions], 1)) - returns) ** 2)
    gradients = tape.gradient(critic_loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
    with tf.GradientTape() as tape:
        actor_loss = -tf.reduce_mean(critic(tf.concat([states, actor(states)], 1)))
    gradients = tape.gradient(actor_loss, critic.trainable_variables)  # fires: W205
    actor_optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
