"""The Keras document, a hint: Python side effects inside `tf.function` may not run as expected.

True: the append below runs once, while the function is traced, and what it stores is a symbolic
tensor without a value. Five calls, one entry.
"""

import tensorflow as tf

history = []


@tf.function
def double(x):
    history.append(x)
    return 2.0 * x


for i in range(5):
    double(tf.constant(float(i)))
print("entries after five calls:", len(history), "the entry:", history[0])
