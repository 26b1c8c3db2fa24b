"""A worker pulls the shared weights, computes gradients, and applies them to the shared ones."""
import tensorflow as tf

tf.random.set_seed(0)


def build():
    return tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(1)])


class Worker:
    def __init__(self, shared):
        self.shared, self.local, self.optimizer = shared, build(), tf.keras.optimizers.Adam(1e-3)

    def run(self):
        x = tf.random.normal((16, 4))
        self.local.set_weights(self.shared.get_weights())
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.local(x) - x[:, :1]) ** 2)
        grads = tape.gradient(loss, self.local.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.shared.trainable_variables))


shared = build()
workers = [Worker(shared), Worker(shared)]
for _ in range(4):
    for worker in workers:
        worker.run()
