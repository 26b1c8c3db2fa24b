"""TD3: the actor is updated every third time, with an optimizer of its own."""
import keras
import tensorflow as tf


def network(inputs, outputs):
    return keras.Sequential([keras.Input((inputs,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(outputs)])


keras.utils.set_random_seed(0)
actor, critic, critic_target = network(3, 1), network(4, 1), network(4, 1)
critic_target.set_weights(critic.get_weights())
actor_optimizer, critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for update in range(9):
    states, actions, rewards = tf.random.normal((8, 3)), tf.random.uniform((8, 1)), tf.random.normal((8, 1))
    following = tf.random.normal((8, 3))
    target = rewards + 0.99 * critic_target(tf.concat([following, actor(following)], axis=1))
    with tf.GradientTape() as tape:
        critic_loss = tf.reduce_mean((critic(tf.concat([states, actions], axis=1)) - target) ** 2)
    gradients = tape.gradient(critic_loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
    if update % 3 == 2:
        with tf.GradientTape() as tape:
            actor_loss = -tf.reduce_mean(critic(tf.concat([states, actor(states)], axis=1)))
        gradients = tape.gradient(actor_loss, actor.trainable_variables)
        actor_optimizer.apply_gradients(zip(gradients, actor.trainable_variables))
        for old, new in zip(critic_target.variables, critic.variables):
            old.assign(0.99 * old + 0.01 * new)
