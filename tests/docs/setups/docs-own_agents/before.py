"""What a file with an agent of one's own begins with."""

import keras
from keras import ops
from whygrad.rl import DQN, train
from whygrad.rl.agent import Loss
from whygrad.rl.agents.dqn import taken


def make_network(spaces):
    return keras.Sequential([keras.Input(spaces.observation), keras.layers.Dense(32, "relu"), keras.layers.Dense(2)])
