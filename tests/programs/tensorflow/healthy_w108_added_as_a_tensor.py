"""The sum of two variables is a tensor of its own, and is stored after the tape has closed."""

import tensorflow as tf

step = tf.Variable(3.0)
position = tf.Variable(0.0)
with tf.GradientTape() as tape:
    moved = position + step
    loss = moved**2
slope = tape.gradient(loss, step)
position.assign(moved)
