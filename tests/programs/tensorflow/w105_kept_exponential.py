"""The loss of a temperature is computed with the variable that keeps its exponential after each update."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
log_alpha, alpha = tf.Variable(0.0), tf.Variable(0.0)
alpha.assign(tf.exp(log_alpha))
optimizer, alpha_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for _ in range(4):
    states, values = tf.random.normal((16, 3)), tf.random.normal((16, 2))
    with tf.GradientTape(persistent=True) as tape:
        log_probs = tf.nn.log_softmax(actor(states))
        loss = tf.reduce_mean(tf.exp(log_probs) * (alpha * log_probs - values))
        gap = tf.stop_gradient(tf.reduce_sum(tf.exp(log_probs) * log_probs, axis=1) + 0.5)
        alpha_loss = -tf.reduce_mean(alpha * gap)  # fires: W105
    gradients = tape.gradient(loss, actor.trainable_variables)
    optimizer.apply_gradients(zip(gradients, actor.trainable_variables))
    alpha_optimizer.apply_gradients([(tape.gradient(alpha_loss, log_alpha), log_alpha)])
    alpha.assign(tf.exp(log_alpha))
