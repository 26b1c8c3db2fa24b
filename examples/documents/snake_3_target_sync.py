"""The snake document, example 3: the step with a copy of the weights every ten updates.

The text says that the target network is now kept in step. It runs one update only, so the copy
never happens there; and nothing copies the weights at the start, so for the first ten updates
the targets come from a second, unrelated random network. Run for twenty updates, as here, the
copy does happen.
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
SYNC_EVERY = 10
updates = 0
syncs = 0


def train_step(states, actions, rewards, next_states, dones):
    global updates, syncs

    with tf.GradientTape() as tape:
        q_values = online(states)
        rows = tf.range(tf.shape(actions)[0])
        q_taken = tf.gather_nd(q_values, tf.stack([rows, actions], axis=1))

        next_q = tf.reduce_max(target(next_states), axis=1)
        td_target = rewards + GAMMA * next_q * (1 - dones)
        loss = tf.reduce_mean(tf.square(td_target - q_taken))

    gradients = tape.gradient(loss, online.trainable_variables)
    optimizer.apply_gradients(zip(gradients, online.trainable_variables, strict=True))

    updates += 1
    if updates % SYNC_EVERY == 0:
        target.set_weights(online.get_weights())
        syncs += 1
    return loss


def distance() -> float:
    pairs = zip(online.get_weights(), target.get_weights(), strict=True)
    return sum(float(abs(a - b).sum()) for a, b in pairs)


states = tf.random.normal((BATCH, 10))
actions = tf.random.uniform((BATCH,), 0, NUM_ACTIONS, dtype=tf.int32)
rewards = tf.random.normal((BATCH,))
next_states = tf.random.normal((BATCH, 10))
# As in the text. This does not draw 0 or 1, but any number between 0 and 2.
dones = tf.random.uniform((BATCH,), minval=0, maxval=2, dtype=tf.float32)

for _ in range(20):
    loss = train_step(states, actions, rewards, next_states, dones)
    if updates in (1, 9, 10, 20):
        gap = f"distance to the target network {distance():.2f}"
        print(f"update {updates:2d}  loss {float(loss):.4f}  syncs {syncs}  {gap}")
