"""Score function and reparameterised gradients, each where it belongs."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def mlp(inputs, outputs):
    return keras.Sequential([keras.Input((inputs,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(outputs)])


policy, value, gauss, critic = mlp(4, 3), mlp(4, 1), mlp(4, 2), mlp(5, 1)
optimizer, actor_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
variables = policy.trainable_variables + value.trainable_variables
for update in range(5):
    states, returns = tf.random.normal((16, 4)), tf.random.normal((16,))
    with tf.GradientTape() as tape:
        logits = policy(states)
        actions = tf.random.categorical(logits, 1)[:, 0]
        log_probs = tf.nn.log_softmax(logits)
        chosen = tf.gather(log_probs, actions, axis=1, batch_dims=1)
        advantage = returns - value(states)[:, 0]
        entropy = -tf.reduce_sum(tf.nn.softmax(logits) * log_probs, axis=1)
        loss = tf.reduce_mean(advantage**2 - chosen * tf.stop_gradient(advantage) - 0.01 * entropy)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    with tf.GradientTape() as tape:
        mean, log_std = tf.split(gauss(states), 2, axis=1)
        drawn = mean + tf.exp(log_std) * tf.random.normal(mean.shape)
        log_prob = -0.5 * tf.square((drawn - mean) / tf.exp(log_std)) - log_std
        actor_loss = tf.reduce_mean(0.1 * log_prob - critic(tf.concat([states, drawn], axis=1)))
    grads = tape.gradient(actor_loss, gauss.trainable_variables)
    actor_optimizer.apply_gradients(zip(grads, gauss.trainable_variables))
