"""The Keras document, first pitfall: a Python float in the place of a variable.

The text is right that this gives no gradient. It does not come back as None: `tape.gradient`
stops with "AttributeError: 'float' object has no attribute 'dtype'".
"""

import tensorflow as tf

x = 3.0
with tf.GradientTape() as tape:
    y = x**2
print("gradient", tape.gradient(y, x))
