"""Two generators that meet in both losses: the gradients of the first are applied to the second as well."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
there, back = (
    keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(3)]) for _ in range(2)
)
optimizers = [keras.optimizers.Adam(1e-3) for _ in range(2)]
for _ in range(4):
    x, y = tf.random.normal((8, 3)), tf.random.normal((8, 3))
    with tf.GradientTape(persistent=True) as tape:
        first = tf.reduce_mean((there(x) - y) ** 2) + tf.reduce_mean((there(back(y)) - y) ** 2)
        second = tf.reduce_mean((back(y) - x) ** 2) + tf.reduce_mean((back(there(x)) - x) ** 2)
    of_first = tape.gradient(first, there.trainable_variables)
    of_second = tape.gradient(second, back.trainable_variables)
    optimizers[0].apply_gradients(zip(of_first, there.trainable_variables))
    optimizers[1].apply_gradients(zip(of_first, back.trainable_variables))  # fires: W204
