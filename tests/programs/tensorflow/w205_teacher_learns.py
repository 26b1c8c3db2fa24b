"""A student is fitted to a teacher, and the teacher is moved along with it."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
teacher = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(3)])
student = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(3)])
inputs = tf.random.normal((64, 4))
teacher.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
teacher.fit(inputs, tf.argmax(inputs[:, :3], axis=1), epochs=3, batch_size=32, verbose=0)
optimizer = keras.optimizers.Adam(1e-3)
variables = [*teacher.trainable_variables, *student.trainable_variables]
for _update in range(4):
    with tf.GradientTape() as tape:
        soft = tf.nn.softmax(teacher(inputs) / 2.0)
        loss = keras.losses.KLDivergence()(soft, tf.nn.softmax(student(inputs) / 2.0))
    gradients = tape.gradient(loss, variables)  # fires: W205
    optimizer.apply_gradients(zip(gradients, variables, strict=True))
