"""Actor and critic are objects that each hold a `model` and train it in a method of their own; both targets follow."""
import keras; from keras.layers import Dense
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)


class Part:
    def __init__(self, inputs, outputs):
        self.model = keras.Sequential([keras.Input((inputs,)), Dense(8, "relu"), Dense(outputs)])
        self.optimizer = keras.optimizers.Adam(1e-3)

    def apply(self, tape, loss):
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


class Actor(Part):
    def train(self, states, critic):
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(critic.model(tf.concat([states, self.model(states)], 1)))
        self.apply(tape, loss)


class Critic(Part):
    def train(self, states, actions, targets):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(targets - self.model(tf.concat([states, actions], 1))))
        self.apply(tape, loss)


class Agent:
    def __init__(self):
        self.actor, self.critic = Actor(3, 1), Critic(4, 1)
        self.target_actor, self.target_critic = Actor(3, 1), Critic(4, 1)
        self.target_actor.model.set_weights(self.actor.model.get_weights())
        self.target_critic.model.set_weights(self.critic.model.get_weights())

    def replay(self):
        states, actions = rng.normal(size=(16, 3)).astype("float32"), rng.normal(size=(16, 1)).astype("float32")
        rewards, after = rng.normal(size=(16, 1)).astype("float32"), rng.normal(size=(16, 3)).astype("float32")
        chosen = self.target_actor.model.predict(after, verbose=0)
        values = self.target_critic.model.predict(np.concatenate([after, chosen], 1), verbose=0)
        self.critic.train(states, actions, rewards + 0.99 * values)
        self.actor.train(tf.constant(states), self.critic)
        for target, online in ((self.target_critic, self.critic), (self.target_actor, self.actor)):
            both = zip(target.model.get_weights(), online.model.get_weights())
            target.model.set_weights([0.9 * old + 0.1 * new for old, new in both])


agent = Agent()
for _ in range(4):
    agent.replay()
