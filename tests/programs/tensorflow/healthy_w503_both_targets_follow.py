"""Two critics with a target each: both follow after every update."""
import keras
import tensorflow as tf


def critic():
    return keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])


def follow(targets, sources, tau):
    for target, source in zip(targets, sources):
        target.assign(tau * source + (1.0 - tau) * target)


class Learner:
    def __init__(self):
        self.first, self.second, self.first_target, self.second_target = critic(), critic(), critic(), critic()
        follow(self.first_target.weights, self.first.weights, 1.0)
        follow(self.second_target.weights, self.second.weights, 1.0)
        self.optimizers = [keras.optimizers.Adam(1e-3) for _ in range(2)]

    def least(self, following):
        low = tf.stop_gradient(self.second_target(following))
        return tf.minimum(self.first_target(following), low)

    @tf.function
    def update(self, states, rewards, following):
        with tf.GradientTape(persistent=True) as tape:
            low = tf.minimum(self.first_target(following), self.second_target(following))
            wanted = tf.stop_gradient(rewards + 0.99 * low)
            losses = [tf.reduce_mean((wanted - q(states)) ** 2) for q in (self.first, self.second)]
        for q, loss, optimizer in zip((self.first, self.second), losses, self.optimizers):
            grads = tape.gradient(loss, q.trainable_variables)
            optimizer.apply_gradients(zip(grads, q.trainable_variables))
        follow(self.first_target.weights, self.first.weights, 0.01)
        follow(self.second_target.weights, self.second.weights, 0.01)


learner = Learner()
for _ in range(12):
    states = tf.random.normal((8, 3))
    learner.update(states, tf.random.normal((8, 1)), states + 0.1)
