"""A policy: push the cart to where the pole leans."""

import numpy as np


def policy(observations):
    return (np.asarray(observations)[:, 2] > 0).astype("int64")
