"""The snake document, its explanation in prose: a network used outside the tape causes the error.

This program does what the text describes and what its examples do not: the target network is
called before the tape starts. Nothing is raised, and the online network gets, bit for bit, the
gradients that it gets with the call inside. The second half shows that a call inside the tape is
recorded, contrary to the text: the target network then has gradients too. Nobody applies them.
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


def td_loss(q_values, next_q_values, actions, rewards, dones):
    rows = tf.range(tf.shape(actions)[0])
    q_taken = tf.gather_nd(q_values, tf.stack([rows, actions], axis=1))
    next_q = tf.reduce_max(next_q_values, axis=1)
    td_target = rewards + GAMMA * next_q * (1 - dones)
    return tf.reduce_mean(tf.square(td_target - q_taken))


states = tf.random.normal((BATCH, 10))
actions = tf.random.uniform((BATCH,), 0, NUM_ACTIONS, dtype=tf.int32)
rewards = tf.random.normal((BATCH,))
next_states = tf.random.normal((BATCH, 10))
dones = tf.cast(tf.random.uniform((BATCH,)) < 0.2, tf.float32)

next_q_values = target(next_states)
with tf.GradientTape() as tape:
    loss = td_loss(online(states), next_q_values, actions, rewards, dones)
outside = tape.gradient(loss, online.trainable_variables)

with tf.GradientTape() as tape:
    loss = td_loss(online(states), target(next_states), actions, rewards, dones)
everything = online.trainable_variables + target.trainable_variables
gradients = tape.gradient(loss, everything)
inside, of_target = gradients[:4], gradients[4:]

same = all(bool(tf.reduce_all(a == b)) for a, b in zip(outside, inside, strict=True))
print("online gradients the same with the target call outside and inside:", same)
print("target gradients, call inside:", [round(float(tf.norm(g)), 4) for g in of_target])

optimizer.apply_gradients(zip(outside, online.trainable_variables, strict=True))
print("loss", round(float(loss), 4))
