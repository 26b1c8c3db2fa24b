"""A hundred steps of CartPole, made up."""

import numpy as np

observations = np.zeros((100, 4), "float32")
next_observations = observations + 0.1
actions, rewards = np.arange(100) % 2, np.ones(100, "float32")
terminals = np.arange(100) % 20 == 19
timeouts = np.zeros(100, bool)
