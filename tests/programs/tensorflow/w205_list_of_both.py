"""The list that the actor's loss is asked for is put together of the actor's variables and the critic's."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
actor_optimizer, critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)


def update(states, actions, goals):
    with tf.GradientTape() as tape:
        critic_loss = tf.reduce_mean((critic(tf.concat([states, actions], 1)) - goals) ** 2)
    gradients = tape.gradient(critic_loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
    with tf.GradientTape() as tape:
        actor_loss = -tf.reduce_mean(critic(tf.concat([states, actor(states)], 1)))
    variables = actor.trainable_variables + critic.trainable_variables
    gradients = tape.gradient(actor_loss, variables)  # fires: W205
    actor_optimizer.apply_gradients(zip(gradients, variables))


for step in range(5):
    update(tf.random.normal((16, 3)), tf.random.normal((16, 1)), tf.random.normal((16, 1)))
