"""The actor loss is computed with the critic and differentiated for the actor alone; a target is never asked."""
import keras
import tensorflow as tf


def network(inputs):
    return keras.Sequential([keras.Input((inputs,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])


keras.utils.set_random_seed(0)
actor, critic, target = network(3), network(4), network(4)
target.set_weights(critic.get_weights())
actor_optimizer, critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for update in range(4):
    states, actions, rewards = tf.random.normal((8, 3)), tf.random.uniform((8, 1)), tf.random.normal((8, 1))
    with tf.GradientTape() as tape:
        following = tf.concat([states + 0.1, actor(states + 0.1)], axis=1)
        wanted = tf.stop_gradient(rewards + 0.9 * target(following))
        critic_loss = tf.reduce_mean((critic(tf.concat([states, actions], axis=1)) - wanted) ** 2)
    gradients = tape.gradient(critic_loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
    with tf.GradientTape() as tape:
        actor_loss = -tf.reduce_mean(critic(tf.concat([states, actor(states)], axis=1)))
    gradients = tape.gradient(actor_loss, actor.trainable_variables)
    actor_optimizer.apply_gradients(zip(gradients, actor.trainable_variables))
    target.set_weights(critic.get_weights())
