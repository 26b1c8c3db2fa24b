"""A DQN agent that gives its target model the first weights, and none of the later ones."""
import keras
import tensorflow as tf


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])


class Agent:
    def __init__(self):
        self.model, self.target_model = build(), build()
        self.target_model.set_weights(self.model.get_weights())  # fires: W503
        self.optimizer = keras.optimizers.Adam(1e-3)

    @tf.function
    def replay(self, states, actions, rewards, following):
        future = tf.reduce_max(self.target_model(following), axis=1)
        with tf.GradientTape() as tape:
            q = tf.reduce_sum(self.model(states) * tf.one_hot(actions, 2), axis=1)
            loss = tf.reduce_mean(tf.square(rewards + 0.95 * future - q))
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))


keras.utils.set_random_seed(0)
agent = Agent()
for update in range(8):
    actions = tf.random.uniform((16,), 0, 2, tf.int32)
    agent.replay(tf.random.normal((16, 4)), actions, tf.random.normal((16,)), tf.random.normal((16, 4)))
