"""A gradient is asked of a float that the tape was told to watch, and of ids beside it, which have none."""

import tensorflow as tf

table = tf.constant([[0.1, 0.2], [0.3, 0.4]])
ids = tf.constant([0, 1, 1])
with tf.GradientTape() as tape:
    tape.watch(table)
    area = tf.reduce_sum(tf.gather(table, ids) ** 2)
slopes = tape.gradient(area, [table, ids])
