"""The second tape is asked for the loss of the first one: it has seen another, which nobody asks for."""
import keras
import tensorflow as tf
from keras import layers

keras.utils.set_random_seed(0)
generator = keras.Sequential([keras.Input((4,)), layers.Dense(16, "relu"), layers.Dense(8)])
judge = keras.Sequential([keras.Input((8,)), layers.Dense(16, "relu"), layers.Dense(1)])
optimizers = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for _ in range(4):
    real = tf.random.normal((16, 8))
    with tf.GradientTape() as tape:
        fake = judge(generator(tf.random.normal((16, 4))))
        judge_loss = tf.reduce_mean(tf.nn.softplus(fake)) + tf.reduce_mean(tf.nn.softplus(-judge(real)))
    slopes = tape.gradient(judge_loss, judge.trainable_variables)
    optimizers[0].apply_gradients(zip(slopes, judge.trainable_variables))
    with tf.GradientTape() as tape:
        made_loss = tf.reduce_mean(tf.nn.softplus(-judge(generator(tf.random.normal((16, 4))))))
    slopes = tape.gradient(judge_loss, generator.trainable_variables)  # fires: W105
    optimizers[1].apply_gradients(zip(slopes, generator.trainable_variables))
