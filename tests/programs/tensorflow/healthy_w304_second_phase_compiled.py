"""Long after the first updates the training step is compiled, and sums gradients that are set back to zero."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(1e-3)
data = tf.random.normal((16, 3))
for step in range(230):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(data) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
sums = [tf.Variable(tf.zeros(v.shape), trainable=False) for v in model.trainable_variables]


@tf.function
def add(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - 1.0) ** 2)
    for total, gradient in zip(sums, tape.gradient(loss, model.trainable_variables)):
        total.assign_add(gradient / 2)
    return loss


@tf.function
def apply():
    optimizer.apply([tf.identity(total) for total in sums], model.trainable_variables)


def reset():
    for total in sums:
        total.assign(tf.zeros(total.shape))


for step in range(24):
    add(tf.random.normal((16, 3)))
    if step % 2:
        apply()
        reset()
