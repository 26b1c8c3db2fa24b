"""The same with the value on one side; the policy's part of the target is asked for by nobody."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build(inputs, outputs):
    return keras.Sequential([keras.Input((inputs,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(outputs)])


actor, critic, value_net = build(4, 1), build(5, 1), build(4, 1)
optimizers = {name: keras.optimizers.Adam(1e-3) for name in ("actor", "critic", "value")}


def update(states, rewards):
    with tf.GradientTape() as tape:
        value = tf.squeeze(value_net(states), 1)
        actions = tf.tanh(actor(states))
        log_probabilities = tf.reduce_sum(tf.math.log(1 - actions**2 + 1e-6), axis=1)
        q = tf.squeeze(critic(tf.concat([states, actions], 1)), 1)
        target = q - log_probabilities
        loss = 0.5 * tf.reduce_mean(tf.square(target - value))
    gradients = tape.gradient(loss, value_net.trainable_variables)
    optimizers["value"].apply_gradients(zip(gradients, value_net.trainable_variables))
    with tf.GradientTape() as tape:
        actions = tf.tanh(actor(states))
        loss = -tf.reduce_mean(critic(tf.concat([states, actions], 1)))
    gradients = tape.gradient(loss, actor.trainable_variables)
    optimizers["actor"].apply_gradients(zip(gradients, actor.trainable_variables))
    with tf.GradientTape() as tape:
        q = tf.squeeze(critic(tf.concat([states, tf.stop_gradient(actions)], 1)), 1)
        loss = tf.reduce_mean(tf.square(q - rewards))
    gradients = tape.gradient(loss, critic.trainable_variables)
    optimizers["critic"].apply_gradients(zip(gradients, critic.trainable_variables))


for _ in range(3):
    update(tf.random.normal((8, 4)), tf.random.normal((8,)))
