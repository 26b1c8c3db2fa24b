"""A divergence written out: the entropy of the teacher is a term that trains nobody, and belongs there."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
teacher = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(3)])
student = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(3)])
optimizer = keras.optimizers.Adam(1e-3)
states = tf.random.normal((8, 4))
for _ in range(4):
    soft = tf.nn.softmax(teacher(states))
    with tf.GradientTape() as tape:
        entropy = tf.reduce_mean(tf.reduce_sum(soft * tf.math.log(soft), 1))
        loss = entropy - tf.reduce_mean(tf.reduce_sum(soft * tf.nn.log_softmax(student(states)), 1))
    gradients = tape.gradient(loss, student.trainable_variables)
    optimizer.apply_gradients(zip(gradients, student.trainable_variables))
