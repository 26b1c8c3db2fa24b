"""The distributions that policies draw actions from: choices by logits, numbers by a normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from keras import ops

from whygrad.rl import networks
from whygrad.rl.agent import Networks, Noise, Spaces


class Distribution(Protocol):
    """Of one action for each row."""

    def draw(self, noise: Any) -> Any:
        """An action; with noise of zeros the likeliest."""

    def log_prob(self, action: Any) -> Any:
        """The logarithm of an action's probability."""

    def entropy(self) -> Any:
        """How undecided it is, in nats."""


class Choices:
    """One of several, with probabilities softmax(logits)."""

    def __init__(self, logits: Any) -> None:
        self.logs = ops.log_softmax(logits, axis=-1)

    def draw(self, noise: Any) -> Any:
        """The largest of logits plus Gumbel noise is a fair draw."""
        return ops.argmax(self.logs + noise, axis=-1)

    def log_prob(self, action: Any) -> Any:
        """Of the choice that was taken."""
        return ops.squeeze(ops.take_along_axis(self.logs, ops.expand_dims(action, -1), axis=-1), -1)

    def entropy(self) -> Any:
        """−Σ p log p."""
        return -ops.sum(ops.exp(self.logs) * self.logs, axis=-1)


class Normal:
    """Independent numbers around means, with deviations that depend on no observation."""

    def __init__(self, mean: Any, log_deviation: Any) -> None:
        self.mean = mean
        self.log_deviation = log_deviation

    def draw(self, noise: Any) -> Any:
        """The mean plus scaled noise. Not bounded: the environment is given the nearest allowed action."""
        return self.mean + ops.exp(self.log_deviation) * noise

    def log_prob(self, action: Any) -> Any:
        """Summed over the numbers of an action."""
        scaled = (action - self.mean) / ops.exp(self.log_deviation)
        return ops.sum(-0.5 * scaled * scaled - self.log_deviation - 0.5 * math.log(2 * math.pi), axis=-1)

    def entropy(self) -> Any:
        """Does not depend on the mean."""
        return ops.sum(self.log_deviation + 0.5 * math.log(2 * math.pi * math.e)) + 0.0 * self.mean[:, 0]


def distribution(nets: Networks, observation: Any) -> Distribution:
    """What the networks of `distribution_networks` say for these observations."""
    output = nets["policy"](observation)
    return Normal(output, nets["deviation"](observation)) if "deviation" in nets else Choices(output)


def distribution_networks(spaces: Spaces, hidden: Sequence[int], trunk: str = "plain") -> dict[str, Any]:
    """`policy`, and for continuous actions `deviation`."""
    nets = {"policy": networks.head(spaces, spaces.action_size, hidden, "tanh", gain=0.01, trunk=trunk)}
    return nets if spaces.discrete else {**nets, "deviation": networks.Numbers(spaces.action_size)}


def distribution_names(spaces: Spaces) -> tuple[str, ...]:
    """The names of `distribution_networks`: what a policy's loss trains."""
    return ("policy",) if spaces.discrete else ("policy", "deviation")


def distribution_noise(spaces: Spaces) -> dict[str, Noise]:
    """What `draw` needs."""
    return {"noise": Noise("gumbel" if spaces.discrete else "normal", (spaces.action_size,))}
