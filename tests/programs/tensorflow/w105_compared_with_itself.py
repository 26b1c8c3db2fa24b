"""SAC: the value network's loss compares the target with a part of the target; what the network says is dropped."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build(inputs, outputs):
    return keras.Sequential([keras.Input((inputs,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(outputs)])


actor, critic, value_net = build(4, 1), build(5, 1), build(4, 1)
optimizer = keras.optimizers.Adam(1e-3)


def update(states):
    with tf.GradientTape() as tape:
        value = tf.squeeze(value_net(states), 1)
        actions = tf.tanh(actor(states))
        log_probabilities = tf.reduce_sum(tf.math.log(1 - actions**2 + 1e-6), axis=1)
        q = tf.squeeze(critic(tf.concat([states, actions], 1)), 1)
        target = q - log_probabilities
        loss = 0.5 * tf.reduce_mean(tf.square(target - q))  # fires: W105
    gradients = tape.gradient(loss, value_net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, value_net.trainable_variables))


update(tf.random.normal((8, 4)))
