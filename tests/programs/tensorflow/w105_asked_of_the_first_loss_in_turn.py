"""Twin critics on one tape, updated in turn: the gradient of the second is asked of the first one's loss."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
critics = [keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)]) for _ in "12"]
first, second = critics
optimizers = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
states, targets = tf.random.normal((8, 4)), tf.random.normal((8, 1))
with tf.GradientTape(persistent=True) as tape:
    loss_1 = tf.reduce_mean(tf.square(targets - first(states)))
    loss_2 = tf.reduce_mean(tf.square(targets - second(states)))
gradients = tape.gradient(loss_1, first.trainable_variables)
optimizers[0].apply_gradients(zip(gradients, first.trainable_variables))
gradients = tape.gradient(loss_1, second.trainable_variables)  # fires: W105
optimizers[1].apply_gradients(zip(gradients, second.trainable_variables))
