"""The Keras document, exercise 2, first half: the gradient of x squared at a constant 3.0.

The text asks to verify that the gradient is 6.0 and adds, in brackets, to use a variable. With
the constant, as first written, the answer is None and no error is raised: the tape does not
watch constants.
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x**2
print("gradient", tape.gradient(y, x))
