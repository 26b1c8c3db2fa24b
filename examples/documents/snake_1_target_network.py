"""The snake document, example 1: a DQN step presented as the root cause of the error.

The text says that the target network is called outside the tape and that this leads to
"No gradients provided for any variable". In fact the call is inside the tape, nothing is raised,
and all four online variables get a gradient. A second flaw is not mentioned: `dones` are real
numbers between 0 and 2, so the factor (1 - dones) can even be negative.
"""

import tensorflow as tf

NUM_ACTIONS = 4
GAMMA = 0.99
BATCH = 32


class QNetwork(tf.keras.Model):
    def __init__(self, num_actions: int):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(64, activation="relu")
        self.head = tf.keras.layers.Dense(num_actions)

    def call(self, inputs):
        return self.head(self.hidden(inputs))


tf.keras.utils.set_random_seed(0)
online = QNetwork(NUM_ACTIONS)
target = QNetwork(NUM_ACTIONS)
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)


def train_step(states, actions, rewards, next_states, dones):
    with tf.GradientTape() as tape:
        q_values = online(states)
        rows = tf.range(tf.shape(actions)[0])
        q_taken = tf.gather_nd(q_values, tf.stack([rows, actions], axis=1))

        next_q = tf.reduce_max(target(next_states), axis=1)
        td_target = rewards + GAMMA * next_q * (1 - dones)
        loss = tf.reduce_mean(tf.square(td_target - q_taken))

    gradients = tape.gradient(loss, online.trainable_variables)
    optimizer.apply_gradients(zip(gradients, online.trainable_variables, strict=True))
    return loss, gradients


states = tf.random.normal((BATCH, 10))
actions = tf.random.uniform((BATCH,), 0, NUM_ACTIONS, dtype=tf.int32)
rewards = tf.random.normal((BATCH,))
next_states = tf.random.normal((BATCH, 10))
# As in the text. This does not draw 0 or 1, but any number between 0 and 2.
dones = tf.random.uniform((BATCH,), minval=0, maxval=2, dtype=tf.float32)

loss, gradients = train_step(states, actions, rewards, next_states, dones)
print("loss", round(float(loss), 4))
print("gradient norms", [round(float(tf.norm(g)), 4) for g in gradients])
not_flags = tf.reduce_sum(tf.cast((dones != 0.0) & (dones != 1.0), tf.int32))
flipped = tf.reduce_sum(tf.cast(dones > 1.0, tf.int32))
print(f"dones that are neither 0 nor 1: {int(not_flags)} of {BATCH}, above 1: {int(flipped)}")
