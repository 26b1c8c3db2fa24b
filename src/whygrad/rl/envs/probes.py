"""Probes: environments so small that the right values and actions are known, each made to fail for one reason.

They are in the order in which to try them: an agent that fails one is likely to fail those after it. Importing this
module registers them with Gymnasium; `Lanes` does so when it meets an id that begins with `whygrad/`.
"""

from __future__ import annotations

from dataclasses import dataclass

import gymnasium

from whygrad.rl.envs.probe_env import REACH, SIDES, TARGET

GAMMA = 0.5
"""A discount with which every answer is learned in seconds, and still differs clearly from what a bug gives."""


@dataclass(frozen=True, slots=True)
class Known:
    """The right answer at one observation."""

    observation: tuple[float, ...]
    rewards: tuple[float, ...]
    """Those that follow from here under the best policy, one for each step to the end."""
    action: float | None = None
    """The best action as a policy gives it (an index, or a number in [-1, 1]); None where all are as good."""
    any_policy: bool = True
    """The rewards follow under every policy, so the value can be checked even of one that explores."""
    endless: bool = False
    """There is no end: the last reward comes again at every step."""

    def value(self, gamma: float) -> float:
        """The discounted sum of the rewards."""
        weights = [gamma**t for t in range(len(self.rewards))]
        if self.endless:
            weights[-1] /= 1.0 - gamma
        return sum(weight * reward for weight, reward in zip(weights, self.rewards, strict=True))


@dataclass(frozen=True, slots=True)
class Probe:
    """Where to train, what to compare, and what to blame."""

    name: str
    """The same for both kinds of action."""
    env: str
    """Its id in Gymnasium."""
    actions: str
    """`discrete` or `continuous`."""
    checks: str
    """What an agent must be able to do."""
    broken: str
    """The part of an agent that is likely broken when this is the first probe that fails."""
    known: tuple[Known, ...]
    value_tolerance: float = 0.1
    action_tolerance: float = 0.15
    """For numbers; a choice must be the right one."""


def _both(
    rule: str, checks: str, broken: str, discrete: tuple[Known, ...], continuous: tuple[Known, ...] | None = None
) -> tuple[Probe, Probe]:
    """A probe for each kind of action; the answers are the same where the action does not matter."""
    name = rule.lower()
    return (
        Probe(name, f"whygrad/Probe{rule}-v0", "discrete", checks, broken, discrete),
        Probe(name, f"whygrad/Probe{rule}Continuous-v0", "continuous", checks, broken, continuous or discrete),
    )


RIGHT = TARGET / REACH
"""The best continuous action as a policy gives it."""

PROBES: tuple[Probe, ...] = (
    *_both(
        "Constant",
        "learn the value of one observation that is always worth 1",
        "the value loss or its optimizer: nothing else is needed here",
        (Known((1.0,), (1.0,)),),
    ),
    *_both(
        "Observation",
        "learn that the value depends on what is seen",
        "the observation's way through the network, or the rows of a batch are mixed up",
        tuple(Known((side,), (side,)) for side in SIDES),
    ),
    *_both(
        "Discount",
        "carry a reward back over one step, discounted once",
        "the target of the value: discounting, the value of the next observation, or the copies of the target network",
        (Known((1.0,), (0.0, 1.0)), Known((-1.0,), (1.0,))),
    ),
    *_both(
        "TimeLimit",
        "count on what would have followed where a time limit cuts an episode",
        "truncation: it is taken for termination, or the value after the reset is used for the one before",
        (Known((1.0,), (1.0,), endless=True),),
    ),
    *_both(
        "Action",
        "choose the better action where nothing else matters",
        "the policy's gradient through the action or its log-probability, the sign of the advantage, or exploration",
        (Known((1.0,), (1.0,), 1.0, any_policy=False),),
        (Known((1.0,), (0.0,), RIGHT, any_policy=False),),
    ),
    *_both(
        "Match",
        "choose the action that fits what is seen",
        "the pairing of observation, action and reward in a batch, or the policy's way from observation to action",
        (Known((-1.0,), (1.0,), 0.0, any_policy=False), Known((1.0,), (1.0,), 1.0, any_policy=False)),
        (Known((-1.0,), (0.0,), -RIGHT, any_policy=False), Known((1.0,), (0.0,), RIGHT, any_policy=False)),
    ),
    *_both(
        "Delay",
        "choose now what is rewarded two steps later",
        "credit over time: advantages, n-step sums or values do not reach back to the action that earned the reward",
        # An observation is the time, from 1 down to -1, and what was chosen: 0 while nothing was.
        (Known((1.0, 0.0), (0.0, 0.0, 1.0), 1.0, any_policy=False), Known((-1.0, 1.0), (1.0,))),
        (Known((1.0, 0.0), (0.0, 0.0, 0.0), RIGHT, any_policy=False), Known((-1.0, RIGHT), (0.0,))),
    ),
)
"""All probes, in the order in which to try them."""


def probes_for(actions: tuple[str, ...]) -> tuple[Probe, ...]:
    """Those for the kinds of action that an agent takes (its `ACTIONS`)."""
    return tuple(probe for probe in PROBES if probe.actions in actions)


def _register() -> None:
    for probe in PROBES:
        if probe.env not in gymnasium.registry:
            rule = probe.env.removeprefix("whygrad/Probe").removesuffix("-v0").removesuffix("Continuous")
            options = {"rule": rule, "actions": probe.actions}
            gymnasium.register(probe.env, "whygrad.rl.envs.probe_env:ProbeEnv", kwargs=options)


_register()
