"""Three updates in a row: the first network's output is stopped, and the program fails there, before the others."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
value, first, second = (keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)]) for _ in range(3))
optimizers = [keras.optimizers.Adam(1e-3) for _ in range(3)]
states, returns = tf.random.normal((8, 4)), tf.random.normal((8, 1))
with tf.GradientTape(persistent=True) as tape:
    value_loss = tf.reduce_mean((tf.stop_gradient(value(states)) - returns) ** 2)  # fires: W102
    first_loss = tf.reduce_mean((first(states) - returns) ** 2)
    second_loss = tf.reduce_mean((second(states) - returns) ** 2)
gradients = [
    tape.gradient(loss, network.trainable_variables)
    for loss, network in ((first_loss, first), (value_loss, value), (second_loss, second))
]
optimizers[0].apply_gradients(zip(gradients[0], first.trainable_variables))
optimizers[1].apply_gradients(zip(gradients[1], value.trainable_variables))
optimizers[2].apply_gradients(zip(gradients[2], second.trainable_variables))
