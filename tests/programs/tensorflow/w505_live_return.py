"""Actor and critic share a tape; the TD error that weighs the log-probability carries the critic's gradient."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Agent:
    def __init__(self):
        self.actor = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(3)])
        self.critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
        self.optimizer = keras.optimizers.Adam(1e-3)

    def learn(self, states, actions, rewards, following):
        target = rewards + 0.9 * self.critic(following)[:, 0]
        with tf.GradientTape() as tape:
            log_probs = tf.nn.log_softmax(self.actor(states))
            chosen = tf.gather(log_probs, actions, axis=1, batch_dims=1)
            error = target - self.critic(states)[:, 0]
            actor_loss = -tf.reduce_mean(chosen * error)  # fires: W505
            loss = actor_loss + tf.reduce_mean(tf.square(error))
        variables = self.actor.trainable_variables + self.critic.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


agent = Agent()
for update in range(5):
    actions = tf.random.uniform((16,), 0, 3, tf.int32)
    agent.learn(tf.random.normal((16, 4)), actions, tf.random.normal((16,)), tf.random.normal((16, 4)))
