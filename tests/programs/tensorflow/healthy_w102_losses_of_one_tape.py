"""One tape gives the losses of critic and actor; the gradient of each goes its way."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
actor_optimizer, critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
alpha = tf.Variable(0.2, trainable=False)


def acts(states):
    mean, log_std = tf.split(actor(states), 2, axis=1)
    noise = tf.random.normal(tf.shape(mean))
    raw = mean + tf.exp(log_std) * noise
    log_prob = -0.5 * noise**2 - log_std - tf.math.log(1 - tf.tanh(raw) ** 2 + 1e-6)
    return tf.tanh(raw), log_prob


for _ in range(4):
    states, actions, returns = tf.random.normal((16, 3)), tf.random.normal((16, 1)), tf.random.normal((16, 1))
    with tf.GradientTape(persistent=True) as tape:
        critic_loss = tf.reduce_mean((critic(tf.concat([states, actions], 1)) - returns) ** 2)
        fresh, log_prob = acts(states)
        value = critic(tf.concat([states, fresh], 1))
        actor_loss = tf.reduce_mean(alpha * log_prob - value)
    grads = tape.gradient(critic_loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(grads, critic.trainable_variables))
    grads = tape.gradient(actor_loss, actor.trainable_variables)
    actor_optimizer.apply_gradients(zip(grads, actor.trainable_variables))
