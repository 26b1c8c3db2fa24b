"""SimSiam in Keras: the comparison stops the features that are to be predicted."""
import keras
import tensorflow as tf
from keras import layers, ops

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((8,)), layers.Dense(32, "relu"), layers.Dense(16)])
predictor = keras.Sequential([keras.Input((16,)), layers.Dense(8, "relu"), layers.Dense(16)])


def compute_loss(p, z):
    p = ops.normalize(p, axis=1)
    z = ops.normalize(tf.stop_gradient(z), axis=1)
    return -ops.mean(ops.sum(p * z, axis=1))


class Contrastive(keras.Model):
    def __init__(self, encoder, predictor):
        super().__init__()
        self.encoder, self.predictor = encoder, predictor

    def train_step(self, data):
        one, two = data[0] + 0.1 * tf.random.normal((16, 8)), data[0] + 0.1 * tf.random.normal((16, 8))
        with tf.GradientTape() as tape:
            z1, z2 = self.encoder(one), self.encoder(two)
            p1, p2 = self.predictor(z1), self.predictor(z2)
            loss = compute_loss(p1, z2) / 2 + compute_loss(p2, z1) / 2
        variables = self.encoder.trainable_variables + self.predictor.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss}


model = Contrastive(encoder, predictor)
model.compile(optimizer=keras.optimizers.SGD(0.05))
model.fit(tf.random.normal((64, 8)), tf.zeros((64, 1)), batch_size=16, epochs=1, verbose=0)
