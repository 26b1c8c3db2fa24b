"""A generator and a discriminator, each with its own loss."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
maker = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(2)])
judge = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
maker_optimizer, judge_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
compare = keras.losses.BinaryCrossentropy(from_logits=True)
for _update in range(5):
    real = tf.random.normal((16, 2)) + 2.0
    with tf.GradientTape() as tape:
        yes, no = judge(real), judge(maker(tf.random.normal((16, 4))))
        judge_loss = compare(tf.ones_like(yes), yes) + compare(tf.zeros_like(no), no)
    gradients = tape.gradient(judge_loss, judge.trainable_variables)
    judge_optimizer.apply_gradients(zip(gradients, judge.trainable_variables, strict=True))
    with tf.GradientTape() as tape:
        made = judge(maker(tf.random.normal((16, 4))))
        maker_loss = compare(tf.ones_like(made), made)
    gradients = tape.gradient(maker_loss, maker.trainable_variables)
    maker_optimizer.apply_gradients(zip(gradients, maker.trainable_variables, strict=True))
