"""The Keras document, exercise 6: the gradient of x squared at a variable 2.0.

Works as the text says: 4.0. A tape that is not persistent answers once; the second question
raises "RuntimeError: A non-persistent GradientTape can only be used to compute one set of
gradients (or jacobians)", which the text does not mention.
"""

import tensorflow as tf

x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x**2
print("gradient", float(tape.gradient(y, x)))

try:
    tape.gradient(y, x)
except RuntimeError as error:
    print("asked again:", error)
