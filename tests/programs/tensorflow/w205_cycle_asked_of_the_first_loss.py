"""Two generators of a cycle: the gradient of the second is asked of the first one's loss."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(4)])


there, back = build(), build()
optimizers = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for _ in range(3):
    x, y = tf.random.normal((8, 4)), tf.random.normal((8, 4)) + 1.0
    with tf.GradientTape(persistent=True) as tape:
        moved_x, moved_y = there(x), back(y)
        same_x, same_y = back(x), there(y)
        loss_there = tf.reduce_mean(tf.abs(there(moved_y) - y)) + tf.reduce_mean(tf.abs(same_y - y))
        loss_back = tf.reduce_mean(tf.abs(back(moved_x) - x)) + tf.reduce_mean(tf.abs(same_x - x))
    gradients_there = tape.gradient(loss_there, there.trainable_variables)
    gradients_back = tape.gradient(loss_there, back.trainable_variables)  # fires: W205
    optimizers[0].apply_gradients(zip(gradients_there, there.trainable_variables))
    optimizers[1].apply_gradients(zip(gradients_back, back.trainable_variables))
    print(float(loss_there), float(loss_back))
