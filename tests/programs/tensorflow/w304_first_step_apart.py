"""One step of its own, to try it out; then shares of gradients are summed up, and the sums are never set to zero."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.01)


def slopes(states):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(states) - states[:, :1]) ** 2)
    return tape.gradient(loss, model.trainable_variables)


optimizer.apply_gradients(zip(slopes(tf.random.normal((8, 4))), model.trainable_variables))
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]
for step in range(16):
    for total, slope in zip(sums, slopes(tf.random.normal((8, 4)))):
        total.assign_add(slope / 4)  # fires: W304
    if step % 4 == 3:
        optimizer.apply_gradients(zip(sums, model.trainable_variables))
