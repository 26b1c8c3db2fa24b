"""A gradient is asked of an integer that the tape was told to watch."""

import tensorflow as tf

count = tf.constant(10)
with tf.GradientTape() as tape:
    tape.watch(count)
    area = count * count
slope = tape.gradient(area, count)  # fires: W106
