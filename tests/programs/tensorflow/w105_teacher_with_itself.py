"""Distillation whose soft loss compares the teacher with itself: the student learns from the labels alone."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
teacher = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(3)])
student = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(3)])
optimizer, divergence = keras.optimizers.Adam(1e-3), keras.losses.KLDivergence()
cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
states, labels = tf.random.normal((8, 4)), tf.constant([0, 1, 2, 0, 1, 2, 0, 1])
for _ in range(4):
    from_teacher = teacher(states)
    with tf.GradientTape() as tape:
        from_student = student(states)
        soft = divergence(tf.nn.softmax(from_teacher / 3.0), tf.nn.softmax(from_teacher / 3.0))  # fires: W105
        loss = 0.1 * cross_entropy(labels, from_student) + 0.9 * soft
    gradients = tape.gradient(loss, student.trainable_variables)
    optimizer.apply_gradients(zip(gradients, student.trainable_variables))
