"""Snake DQN: the training step of TensorFlow.js's snake-dqn, ported to TensorFlow and Keras 3.

The game, the two-plane observation, the order of the layers, the replay memory, the
epsilon-greedy play and the target network follow the original. Only the sizes are smaller, so
that a run takes a few seconds. This version trains: the loss of all 20 updates is printed.
`snake_dqn_broken.py` is the same program with one porting mistake.
"""

import random
from collections import deque

import numpy as np
import tensorflow as tf

BOARD = 9
START_LENGTH = 2
FRUIT_REWARD, STEP_REWARD, DEATH_REWARD = 10.0, -0.2, -10.0
LEFT, STRAIGHT, RIGHT = 0, 1, 2
NUM_ACTIONS = 3

FILTERS = (32, 64, 64)  # the original has 128, 256, 256
GAMMA = 0.99
LEARNING_RATE = 1e-3
BATCH_SIZE = 64
MEMORY_SIZE = 1_000
WARM_UP_FRAMES = 200
UPDATES = 20
SYNC_EVERY = 10
EPSILON_START, EPSILON_END, EPSILON_FRAMES = 0.5, 0.01, 1_000


class SnakeGame:
    """Snake on a square board. The head is the first cell of `body`; actions are relative."""

    HEADINGS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # up, right, down, left

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.reset()

    def reset(self) -> np.ndarray:
        row = self.rng.randrange(BOARD)
        column = self.rng.randrange(START_LENGTH - 1, BOARD)
        self.body = deque((row, column - i) for i in range(START_LENGTH))
        self.heading = 1  # the body lies to the left of the head, so it looks right
        self._place_fruit()
        return self.observe()

    def step(self, action: int) -> tuple[np.ndarray, float, bool]:
        turn = {LEFT: -1, STRAIGHT: 0, RIGHT: 1}[action]
        self.heading = (self.heading + turn) % 4
        d_row, d_column = self.HEADINGS[self.heading]
        head = (self.body[0][0] + d_row, self.body[0][1] + d_column)

        on_board = 0 <= head[0] < BOARD and 0 <= head[1] < BOARD
        # As in the original, the cell that the tail is about to leave is still deadly.
        if not on_board or head in self.body:
            return self.observe(), DEATH_REWARD, True

        self.body.appendleft(head)
        if head == self.fruit:
            self._place_fruit()
            return self.observe(), FRUIT_REWARD, False
        self.body.pop()
        return self.observe(), STEP_REWARD, False

    def observe(self) -> np.ndarray:
        """Two planes: the snake (1, its head 2) and the fruit (1)."""
        planes = np.zeros((BOARD, BOARD, 2), np.float32)
        for row, column in self.body:
            planes[row, column, 0] = 1.0
        planes[self.body[0]][0] = 2.0
        planes[self.fruit][1] = 1.0
        return planes

    def _place_fruit(self) -> None:
        free = [(r, c) for r in range(BOARD) for c in range(BOARD) if (r, c) not in self.body]
        self.fruit = self.rng.choice(free)


class ReplayMemory:
    """A ring of the latest transitions, sampled uniformly."""

    def __init__(self, size: int, rng: random.Random):
        self.transitions = deque(maxlen=size)
        self.rng = rng

    def add(self, *transition) -> None:
        self.transitions.append(transition)

    def sample(self, count: int) -> tuple[tf.Tensor, ...]:
        batch = self.rng.sample(list(self.transitions), count)
        states, actions, rewards, dones, next_states = map(np.array, zip(*batch, strict=True))
        return (
            tf.constant(states, tf.float32),
            tf.constant(actions, tf.int32),
            tf.constant(rewards, tf.float32),
            tf.constant(dones, tf.float32),
            tf.constant(next_states, tf.float32),
        )


def make_network(name: str) -> tf.keras.Model:
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input((BOARD, BOARD, 2)),
            layers.Conv2D(FILTERS[0], 3, activation="relu"),
            layers.BatchNormalization(),
            layers.Conv2D(FILTERS[1], 3, activation="relu"),
            layers.BatchNormalization(),
            layers.Conv2D(FILTERS[2], 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(100, activation="relu"),
            layers.Dropout(0.25),
            layers.Dense(NUM_ACTIONS),
        ],
        name=name,
    )


class SnakeAgent:
    """Plays epsilon-greedily, remembers, and learns from what it remembers."""

    def __init__(self, game: SnakeGame, rng: random.Random):
        self.game = game
        self.rng = rng
        self.online = make_network("online")
        self.target = make_network("target")
        self.target.trainable = False
        self.sync_target()
        self.optimizer = tf.keras.optimizers.Adam(LEARNING_RATE)
        self.memory = ReplayMemory(MEMORY_SIZE, rng)
        self.state = game.reset()
        self.frames = 0

    def sync_target(self) -> None:
        self.target.set_weights(self.online.get_weights())

    def play_step(self) -> None:
        progress = min(1.0, self.frames / EPSILON_FRAMES)
        epsilon = EPSILON_START + (EPSILON_END - EPSILON_START) * progress
        self.frames += 1
        if self.rng.random() < epsilon:
            action = self.rng.randrange(NUM_ACTIONS)
        else:
            q_values = self.online(self.state[None], training=False)
            action = int(tf.argmax(q_values[0]))

        next_state, reward, done = self.game.step(action)
        self.memory.add(self.state, action, reward, done, next_state)
        self.state = self.game.reset() if done else next_state

    def train_on_replay_batch(self) -> float:
        states, actions, rewards, dones, next_states = self.memory.sample(BATCH_SIZE)

        next_q = tf.reduce_max(self.target(next_states, training=False), axis=-1)
        targets = rewards + GAMMA * next_q * (1.0 - dones)
        chosen = tf.one_hot(actions, NUM_ACTIONS)

        with tf.GradientTape() as tape:
            q_values = self.online(states, training=True)
            q_taken = tf.reduce_sum(q_values * chosen, axis=-1)
            loss = tf.reduce_mean(tf.square(targets - q_taken))

        variables = self.online.trainable_variables
        gradients = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return float(loss)


def main() -> None:
    tf.keras.utils.set_random_seed(7)
    rng = random.Random(7)
    agent = SnakeAgent(SnakeGame(rng), rng)

    for _ in range(WARM_UP_FRAMES):
        agent.play_step()

    losses = []
    for update in range(1, UPDATES + 1):
        agent.play_step()
        losses.append(agent.train_on_replay_batch())
        if update % SYNC_EVERY == 0:
            agent.sync_target()
        print(f"update {update:2d}  loss {losses[-1]:.3f}")

    first, last = np.mean(losses[:5]), np.mean(losses[-5:])
    print(f"mean loss of the first 5 updates {first:.3f}, of the last 5 {last:.3f}")


if __name__ == "__main__":
    main()
