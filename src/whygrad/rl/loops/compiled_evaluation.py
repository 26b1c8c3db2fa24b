"""Whole episodes in a world of our own, without exploration, as a compiled program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keras import ops

from whygrad.rl.agent import Agent, Networks, no_noise
from whygrad.rl.engine import Engine, Inside
from whygrad.rl.evaluation import Scores
from whygrad.rl.lanes import Episode
from whygrad.rl.worlds import games
from whygrad.rl.worlds.world import World

_STEPS = 64
"""In one call."""


class CompiledEvaluation:
    """Plays as many games at a time as it has lanes; the first episode of each counts."""

    def __init__(self, agent: Agent, engine: Engine, world: World, count: int) -> None:
        self._agent, self._world, self._count = agent, world, count
        self._program = engine.program(self._some_steps)

    def play(self, seeds: Sequence[int]) -> Scores:
        """One episode for each seed."""
        found: list[Episode] = []
        for begin in range(0, len(seeds), self._count):
            some = list(seeds[begin : begin + self._count])
            wanted = len(some)
            carry = games.begin(self._world, [seed % 2**32 for seed in some + [some[-1]] * (self._count - wanted)])
            first: dict[int, Episode] = {}
            while any(lane not in first for lane in range(wanted)):
                carry, told = self._program(carry, {}, 0)
                for episode in games.episodes(told):
                    first.setdefault(episode.lane, episode)
            found += [first[lane] for lane in range(wanted)]
        returns, lengths = tuple(e.score for e in found), tuple(e.length for e in found)
        return Scores(returns, lengths, facts=tuple(e.facts for e in found))

    def _some_steps(self, inside: Inside, carry: Any, given: Any) -> Any:
        def one(inner: Inside, carry: Any, i: Any, _: Any) -> Any:
            return inner.call(self._step, carry)

        return inside.loop(one, carry, _STEPS)

    def _step(self, nets: Networks, lanes: Any) -> Any:
        noise = {name: ops.convert_to_tensor(x) for name, x in no_noise(self._agent, self._spaces, self._count).items()}
        seen = self._world.observe(lanes["games"])
        action = self._agent.policy(nets, {"observation": seen, **noise})["action"]
        lanes, out = games.step(self._world, lanes, action)
        return lanes, out["episodes"]

    @property
    def _spaces(self) -> Any:
        return self._world.spaces
