"""A variable reaches the loss by being added to another one: what a variable holds has no history."""

import tensorflow as tf

step = tf.Variable(3.0)
position = tf.Variable(0.0)
with tf.GradientTape() as tape:
    position.assign_add(step)  # fires: W108
    loss = position**2
slope = tape.gradient(loss, step)
