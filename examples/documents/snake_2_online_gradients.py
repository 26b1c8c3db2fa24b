"""The snake document, example 2: the same step again, presented as the correction.

The text says that the target network is now excluded from the tape. Apart from comments the code
is that of example 1, so it prints the same loss and the same norms. It trains because example 1
already did.
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
