"""The Keras document, exercise 2, second half: the same with a variable.

Works as the text says: 6.0. So does a constant, if the tape is told to watch it.
"""

import tensorflow as tf

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
print("gradient of the variable", float(tape.gradient(y, x)))

constant = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(constant)
    y = constant**2
print("gradient of the watched constant", float(tape.gradient(y, constant)))
