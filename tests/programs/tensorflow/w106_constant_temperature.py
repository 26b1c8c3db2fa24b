"""SAC: the temperature is a constant, and the optimizer never sees a gradient for it."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
log_alpha = tf.constant(-1.0)
for update in range(2):
    log_probs = tf.random.normal((8,))
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(tf.exp(log_alpha) * (log_probs + 1.0))
    gradient = tape.gradient(loss, log_alpha)  # fires: W106
    print(update, gradient)
