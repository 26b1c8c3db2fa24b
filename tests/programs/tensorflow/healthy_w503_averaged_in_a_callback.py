"""BYOL whose target gets the average of its own weights and the online ones, computed in NumPy."""
import keras
from keras import layers
import tensorflow as tf


def encoder():
    return keras.Sequential([keras.Input((8,)), layers.Dense(16, "relu"), layers.Dense(4)])


def apart(one, other):
    one, other = (tf.math.l2_normalize(x, axis=1) for x in (one, other))
    return 2.0 - 2.0 * tf.reduce_mean(tf.reduce_sum(one * other, axis=1))


class Byol(keras.Model):
    def __init__(self):
        super().__init__()
        self.online, self.target = encoder(), encoder()
        self.target.set_weights(self.online.get_weights())
        self.predictor = keras.Sequential([keras.Input((4,)), layers.Dense(4)])

    def train_step(self, x):
        goal = tf.stop_gradient(self.target(x + tf.random.normal(tf.shape(x), stddev=0.1)))
        with tf.GradientTape() as tape:
            loss = apart(self.predictor(self.online(x)), goal)
        variables = self.online.trainable_variables + self.predictor.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss}


class Momentum(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        weights = self.model.target.get_weights()
        pairs = zip(weights, self.model.online.get_weights())
        self.model.target.set_weights([0.9 * w_t + 0.1 * w_o for w_t, w_o in pairs])


keras.utils.set_random_seed(0)
model = Byol()
model.compile(optimizer=keras.optimizers.Adam(1e-2))
model.fit(tf.random.normal((128, 8)), batch_size=16, epochs=2, callbacks=[Momentum()], verbose=0)
