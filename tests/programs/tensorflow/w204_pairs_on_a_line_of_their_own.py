"""Two discriminators of one build: the second one's gradients go to the first, on a line of their own."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
judges = [keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)]) for _ in "xy"]
first, second = judges
optimizers = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for _ in range(3):
    x, y = tf.random.normal((8, 4)), tf.random.normal((8, 4)) + 1.0
    with tf.GradientTape(persistent=True) as tape:
        first_loss = tf.reduce_mean((first(x) - 1.0) ** 2) + tf.reduce_mean(first(y) ** 2)
        second_loss = tf.reduce_mean((second(y) - 1.0) ** 2) + tf.reduce_mean(second(x) ** 2)
    first_gradients = tape.gradient(first_loss, first.trainable_variables)
    second_gradients = tape.gradient(second_loss, second.trainable_variables)
    optimizers[0].apply_gradients(
        zip(second_gradients, first.trainable_variables)  # fires: W204
    )
    optimizers[1].apply_gradients(
        zip(second_gradients, second.trainable_variables)
    )
