"""A temperature is taken into its loss as a Python number; its exponential has a variable of its own beside it."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
log_alpha = tf.Variable(0.0)
alpha = tf.Variable(1.0)
optimizer, alpha_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
states, values = tf.random.normal((16, 3)), tf.random.normal((16, 2))
with tf.GradientTape(persistent=True) as tape:
    log_probs = tf.nn.log_softmax(actor(states))
    loss = tf.reduce_mean(tf.exp(log_probs) * (alpha * log_probs - values))
    entropy = tf.reduce_sum(tf.exp(log_probs) * log_probs, axis=1)
    alpha_loss = -tf.reduce_mean(float(log_alpha) * tf.stop_gradient(entropy + 0.5))  # fires: W103
gradients = tape.gradient(loss, actor.trainable_variables)
optimizer.apply_gradients(zip(gradients, actor.trainable_variables))
alpha_optimizer.apply_gradients([(tape.gradient(alpha_loss, log_alpha), log_alpha)])
alpha.assign(tf.exp(log_alpha))
