"""The snake document, its dummy data: episode ends drawn as real numbers.

The text draws `dones` with minval=0, maxval=2, dtype=float32, the way one would draw the
integers 0 and 1. The result is never 0 or 1, and in half of the rows (1 - dones) is negative:
the value of the next state is subtracted instead of added.
"""

import tensorflow as tf

COUNT = 1000

tf.random.set_seed(0)
as_written = tf.random.uniform((COUNT,), minval=0, maxval=2, dtype=tf.float32)
as_meant = tf.cast(tf.random.uniform((COUNT,), minval=0, maxval=2, dtype=tf.int32), tf.float32)

for name, dones in (("as written", as_written), ("as meant", as_meant)):
    flags = tf.reduce_sum(tf.cast((dones == 0.0) | (dones == 1.0), tf.int32))
    negative = tf.reduce_sum(tf.cast(1 - dones < 0.0, tf.int32))
    print(f"{name}: 0 or 1 in {int(flags)} of {COUNT}, 1 - dones negative in {int(negative)}")
