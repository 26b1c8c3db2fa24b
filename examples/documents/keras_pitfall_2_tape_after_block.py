"""The Keras document, second pitfall: "do not call tape.gradient after the block".

The text has it the wrong way round, and its own sample 3 does it. After the block is the normal
place. What must be inside is the computation; a loss computed after the block is not recorded and
gives None.
"""

import tensorflow as tf

x = tf.Variable(2.0)

with tf.GradientTape() as tape:
    y = x**2
print("asked after the block:", float(tape.gradient(y, x)))

with tf.GradientTape() as tape:
    y = x**2
    inside = tape.gradient(y, x)
print("asked inside the block:", float(inside))

with tf.GradientTape() as tape:
    y = x**2
z = 3.0 * y
print("computed after the block:", tape.gradient(z, x))
