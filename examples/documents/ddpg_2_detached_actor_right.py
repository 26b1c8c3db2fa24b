"""The DDPG document, example 2, the variant marked correct: the actor's output used as it is.

The text says that the gradient now flows. It does: all six variables of the actor get one.
"""

import tensorflow as tf

STATE_DIM = 4
ACTION_DIM = 2


class Actor(tf.keras.Model):
    def __init__(self, action_dim: int):
        super().__init__()
        self.hidden1 = tf.keras.layers.Dense(64, activation="relu")
        self.hidden2 = tf.keras.layers.Dense(32, activation="relu")
        self.action = tf.keras.layers.Dense(action_dim, activation="tanh")

    def call(self, state):
        return self.action(self.hidden2(self.hidden1(state)))


tf.keras.utils.set_random_seed(0)
states = tf.random.normal((32, STATE_DIM))
target_actions = tf.random.uniform((32, ACTION_DIM), -1.0, 1.0)
actor = Actor(ACTION_DIM)
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)

with tf.GradientTape() as tape:
    actions = actor(states)
    loss = tf.reduce_mean(tf.square(actions - target_actions))
gradients = tape.gradient(loss, actor.trainable_variables)
optimizer.apply_gradients(zip(gradients, actor.trainable_variables, strict=True))
print("loss", round(float(loss), 4))
print("gradient norms", [round(float(tf.norm(g)), 4) for g in gradients])
