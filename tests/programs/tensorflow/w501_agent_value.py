"""An actor-critic agent: one tape for both, and the critic's value of the next state is inside it."""
import keras
import tensorflow as tf


class ActorCritic:
    def __init__(self):
        self.actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(2)])
        self.critic = keras.Sequential([keras.Input((3,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
        self.optimizer = keras.optimizers.RMSprop(1e-3)

    def learn(self, states, actions, rewards, following, over):
        variables = self.actor.trainable_variables + self.critic.trainable_variables
        with tf.GradientTape() as tape:
            values = tf.squeeze(self.critic(states), axis=1)
            next_values = tf.squeeze(self.critic(following), axis=1)
            errors = rewards + 0.95 * (1.0 - over) * next_values - values  # fires: W501
            nll = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=self.actor(states))
            loss = tf.reduce_mean(tf.square(errors)) + tf.reduce_mean(nll * tf.stop_gradient(errors))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


keras.utils.set_random_seed(0)
agent = ActorCritic()
for update in range(5):
    actions, over = tf.random.uniform((20,), 0, 2, tf.int32), tf.cast(tf.random.uniform((20,)) < 0.1, tf.float32)
    agent.learn(tf.random.normal((20, 3)), actions, tf.random.normal((20,)), tf.random.normal((20, 3)), over)
