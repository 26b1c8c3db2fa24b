"""A DQN step that clips the TD error itself."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Agent:
    def __init__(self):
        self.q_net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(32, "tanh"), keras.layers.Dense(2)])
        self.target = keras.models.clone_model(self.q_net)
        self.target.set_weights(self.q_net.get_weights())
        self.optimizer = keras.optimizers.Adam(1e-3)

    @tf.function
    def train(self, states, actions, rewards, following):
        best = rewards + 0.99 * tf.reduce_max(self.target(following), axis=1)
        with tf.GradientTape() as tape:
            chosen = tf.reduce_sum(self.q_net(states) * tf.one_hot(actions, 2), axis=1)
            error = tf.clip_by_value(best - chosen, -1.0, 1.0)  # fires: W401
            loss = tf.reduce_mean(tf.square(error))
        variables = self.q_net.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss


agent = Agent()
for update in range(5):
    sign = tf.sign(tf.random.normal((32,)))
    taken = tf.random.uniform((32,), 0, 2, dtype=tf.int32)
    agent.train(tf.random.normal((32, 4)), taken, 50.0 * sign, tf.random.normal((32, 4)))
    agent.target.set_weights(agent.q_net.get_weights())
