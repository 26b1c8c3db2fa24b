"""The Keras document, third pitfall: Python lists that change shape make `tf.function` retrace.

Too narrow: a Python list or number is part of the function's signature by value, so a list of
the same length with new values retraces too, and so does every new float. A tensor of the same
shape does not; a tensor of a new shape does.
"""

import tensorflow as tf


def count_traces(arguments) -> int:
    traces = 0

    @tf.function
    def total(values):
        nonlocal traces
        traces += 1
        return tf.reduce_sum(tf.convert_to_tensor(values))

    for argument in arguments:
        total(argument)
    return traces


print("five lists, one shape:", count_traces([[float(i), 1.0] for i in range(5)]))
print("five Python floats:", count_traces([float(i) for i in range(5)]))
print("five tensors, one shape:", count_traces([tf.constant([float(i), 1.0]) for i in range(5)]))
print("five tensors, five shapes:", count_traces([tf.zeros(i + 1) for i in range(5)]))
