"""The DDPG document, third cause in prose: clipping applied before the gradient is computed.

Before `tape.gradient` there is no gradient to clip, so what gets clipped is a value: here the
actions, which a linear output layer puts far out of range. The derivative of a clip is zero out
there. All gradients are exactly zero, no error is raised, nothing moves.
"""

import tensorflow as tf

STATE_DIM = 4
ACTION_DIM = 2

FAR_OUT = tf.keras.initializers.Constant(5.0)


class Actor(tf.keras.Model):
    def __init__(self, action_dim: int):
        super().__init__()
        self.hidden1 = tf.keras.layers.Dense(64, activation="relu")
        self.hidden2 = tf.keras.layers.Dense(32, activation="relu")
        self.action = tf.keras.layers.Dense(action_dim, bias_initializer=FAR_OUT)

    def call(self, state):
        return self.action(self.hidden2(self.hidden1(state)))


tf.keras.utils.set_random_seed(0)
states = tf.random.normal((32, STATE_DIM))
actor = Actor(ACTION_DIM)
critic = tf.keras.Sequential(
    [
        tf.keras.layers.Input((STATE_DIM + ACTION_DIM,)),
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dense(1),
    ],
    name="critic",
)
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)

with tf.GradientTape() as tape:
    actions = tf.clip_by_value(actor(states), -1.0, 1.0)
    loss = -tf.reduce_mean(critic(tf.concat([states, actions], axis=1)))
gradients = tape.gradient(loss, actor.trainable_variables)
optimizer.apply_gradients(zip(gradients, actor.trainable_variables, strict=True))
print("loss", round(float(loss), 4))
print("gradient norms", [round(float(tf.norm(g)), 4) for g in gradients])
