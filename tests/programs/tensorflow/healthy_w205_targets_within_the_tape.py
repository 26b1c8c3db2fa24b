"""A value network with its targets made within its tape, and an actor whose loss trains the actor alone."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build(inputs, outputs):
    return keras.Sequential([keras.Input((inputs,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(outputs)])


actor, critic, value = build(3, 1), build(4, 1), build(3, 1)
actor_optimizer, critic_optimizer, value_optimizer = (keras.optimizers.Adam(1e-3) for _ in range(3))


def judged(states):
    actions = tf.tanh(actor(states))
    return critic(tf.concat([states, actions], axis=1)), tf.square(actions)


for _ in range(4):
    states, rewards, actions = tf.random.normal((16, 3)), tf.random.normal((16, 1)), tf.random.normal((16, 1))
    with tf.GradientTape() as tape:
        q, cost = judged(states)
        loss = tf.reduce_mean(tf.square(value(states) - (q - cost)))
    grads = tape.gradient(loss, value.trainable_variables)
    value_optimizer.apply_gradients(zip(grads, value.trainable_variables))

    with tf.GradientTape() as tape:
        q, cost = judged(states)
        loss = tf.reduce_mean(cost - q)
    params = actor.trainable_variables
    grads = tape.gradient(loss, params)
    actor_optimizer.apply_gradients(zip(grads, params))

    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(critic(tf.concat([states, actions], axis=1)) - rewards))
    grads = tape.gradient(loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(grads, critic.trainable_variables))
