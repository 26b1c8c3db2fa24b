"""A sync now and then, long after the first updates, with source and destination swapped; batches are normalised."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build():
    return keras.Sequential([
        keras.Input((4,)), keras.layers.Dense(16), keras.layers.BatchNormalization(), keras.layers.ReLU(),
        keras.layers.Dense(2),
    ])  # fmt: skip


def copy_weights(destination, source):
    destination.set_weights(source.get_weights())


class Agent:
    def __init__(self):
        self.online, self.target = build(), build()
        self.target.trainable = False
        self.optimizer = keras.optimizers.Adam(1e-3)

    def learn(self, states, actions, rewards, following):
        goal = rewards + 0.99 * tf.reduce_max(self.target(following), axis=1)
        with tf.GradientTape() as tape:
            chosen = tf.gather(self.online(states, training=True), actions, axis=1, batch_dims=1)
            loss = tf.reduce_mean((goal - chosen) ** 2)
        grads = tape.gradient(loss, self.online.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.online.trainable_variables))


agent = Agent()
for frame in range(1, 41):
    agent.learn(tf.random.normal((16, 4)), tf.random.uniform((16,), 0, 2, tf.int32), tf.random.normal((16,)),
                tf.random.normal((16, 4)))  # fmt: skip
    if frame % 16 == 0:
        copy_weights(agent.online, agent.target)  # fires: W503
