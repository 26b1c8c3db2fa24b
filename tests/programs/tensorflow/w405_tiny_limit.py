"""Plain gradient descent with a global norm limit of a millionth."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Trainer:
    def __init__(self):
        self.model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(2)])
        self.optimizer = keras.optimizers.SGD(0.05)

    def step(self, inputs, targets):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.mean_squared_error(targets, self.model(inputs)))
        grads = tape.gradient(loss, self.model.trainable_variables)
        grads, norm = tf.clip_by_global_norm(grads, 1e-6)  # fires: W405
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return float(loss)


trainer = Trainer()
losses = [trainer.step(tf.random.normal((16, 8)), tf.random.normal((16, 2))) for _ in range(4)]
