"""One function makes both losses of a GAN; each trains its network."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def cross_entropy(logits, real):
    labels = tf.ones_like(logits) if real else tf.zeros_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


class GAN:
    def __init__(self):
        self.generator = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
        self.judge = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
        self.optimizers = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)

    def losses(self, samples):
        fakes = self.generator(tf.random.normal((samples.shape[0], 3)))
        of_samples, of_fakes = self.judge(samples), self.judge(fakes)
        judge_loss = cross_entropy(of_samples, True) + cross_entropy(of_fakes, False)
        generator_loss = cross_entropy(of_fakes, True)
        return generator_loss, judge_loss

    def gradients(self, samples):
        with tf.GradientTape(persistent=True) as tape:
            losses = self.losses(samples)
        networks = self.generator.trainable_variables, self.judge.trainable_variables
        return [tape.gradient(loss, variables) for loss, variables in zip(losses, networks)], networks

    def train(self, samples):
        for grads, variables, optimizer in zip(*self.gradients(samples), self.optimizers):
            optimizer.apply_gradients(zip(grads, variables))


gan = GAN()
for _ in range(3):
    gan.train(tf.random.normal((16, 4)))
