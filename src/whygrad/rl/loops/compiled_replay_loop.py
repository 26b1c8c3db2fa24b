"""Off-policy training in a world of our own: acting, remembering and learning are one compiled program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import keras
import numpy as np
from keras import ops

from whygrad.rl.agent import Networks
from whygrad.rl.engine import Engine, Inside
from whygrad.rl.loops.carried import flat, merged, unflat
from whygrad.rl.loops.compiled_lanes import CompiledLanes
from whygrad.rl.loops.round import Round
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.worlds.draws import bits, integers, noise, stream
from whygrad.rl.worlds.games import episodes
from whygrad.rl.worlds.world import World

_MOST = 2**24
"""Transitions that a memory on the device can hold: positions are drawn with the bits that are left."""


class CompiledReplayLoop:
    """One round is `turns` times `train_every` steps and `updates` updates, without coming back to Python."""

    def __init__(self, agent: OffPolicy, engine: Engine, world: World, total: int, seed: int, turns: int) -> None:
        self.steps = 0
        self.before_learning: Callable[[dict[str, Any]], None] | None = None
        self._agent, self._turns = agent, turns
        self._lanes = CompiledLanes(world, agent, agent.lanes, seed, total)
        self._loss_noise = agent.loss_noise(world.spaces)
        self._per_turn = max(1, agent.train_every // agent.lanes)
        self._room = max(1, agent.buffer_size // agent.lanes) * agent.lanes
        self._carry: Any = None
        self._fill = engine.program(self._filling, networks=False)
        self._learn = engine.program(self._learning)
        self._first = max(1, -(-agent.learning_starts // agent.lanes))

    def restart(self, seeds: list[int]) -> None:
        """Begin; once begun, games go on over checkpoints, which hold them whole."""
        if self._carry is not None:
            return
        spaces, room = self._lanes.world.spaces, self._room
        action = ((room,), "int32") if spaces.discrete else ((room, spaces.action_size), "float32")
        self._carry = {
            "lanes": self._lanes.begin(seeds),
            "memory": {
                "observation": ops.zeros((room, *spaces.observation), dtype="float32"),
                "action": ops.zeros(action[0], dtype=action[1]),
                "reward": ops.zeros((room,), dtype="float32"),
                "next_observation": ops.zeros((room, *spaces.observation), dtype="float32"),
                "discount": ops.zeros((room,), dtype="float32"),
            },
            "turn": ops.zeros((), dtype="int32"),  # steps of every lane so far
        }

    def round(self) -> Round:
        """Fill the memory with random actions at first; then collect and learn, many times."""
        result = Round()
        if not self.steps:
            self._carry, told = self._fill(self._carry, {}, 0)
            self.steps += self._first * self._lanes.count
            result.episodes = episodes(told)
            return result
        if self.before_learning is not None:
            result.batch = self.batch()
            self.before_learning(result.batch)
        updates = self._turns * self._agent.updates
        self._carry, (told, report) = self._learn(self._carry, {}, updates)
        self.steps += self._turns * self._per_turn * self._lanes.count
        result.episodes = episodes(told)
        result.report = report
        return result

    @property
    def state_tree(self) -> Any:
        """What the program carries from round to round, on the device."""
        return self._carry

    def batch(self) -> dict[str, Any]:
        """A batch from the memory, for whoever wants to look at gradients."""
        carry = self._carry
        rows = self._drawn(None, {"memory": carry["memory"], "turn": carry["turn"], "index": ops.zeros((), "int32")})
        return {name: ops.convert_to_numpy(values) for name, values in rows.items()}

    def _filling(self, inside: Inside, carry: Any, given: Any) -> Any:
        return inside.loop(lambda inner, carry, i, _: self._step(inner, carry, self._at_random), carry, self._first)

    def _learning(self, inside: Inside, carry: Any, given: Any) -> Any:
        def turn(inner: Inside, carry: Any, i: Any, _: Any) -> Any:
            carry, told = inner.loop(lambda i, c, *_: self._step(i, c, self._by_policy), carry, self._per_turn)
            reports = []
            for index in range(self._agent.updates):
                drawn = {"memory": carry["memory"], "turn": carry["turn"], "index": np.int32(index)}
                batch = inner.call(self._drawn, drawn)
                reports.append(inner.update(batch, batch["remaining"]))
            for report in reports:
                for shown in report.values():
                    shown.pop("priority", None)
            return carry, (told, keras.tree.map_structure(lambda *rows: ops.stack(rows), *reports))

        carry, (told, report) = inside.loop(turn, carry, self._turns)
        # [turns, steps or updates, …] as one long row of them.
        return carry, keras.tree.map_structure(lambda x: merged(x, 2), (told, report))

    def _step(self, inside: Inside, carry: Any, how: Callable[..., Any]) -> Any:
        lanes, rows, told, turn = inside.call(how, {"lanes": carry["lanes"], "turn": carry["turn"]})
        at = inside.call(self._position, {"turn": carry["turn"]})
        memory = {name: inside.put(kept, at, rows[name]) for name, kept in carry["memory"].items()}
        return {"lanes": lanes, "memory": memory, "turn": turn}, told

    def _position(self, nets: Networks, given: Any) -> Any:
        return given["turn"] * self._lanes.count % self._room

    def _at_random(self, nets: Networks, given: Any) -> Any:
        seen = self._lanes.world.observe(given["lanes"]["games"])
        return self._remembered(given, seen, self._lanes.anything(given["turn"]))

    def _by_policy(self, nets: Networks, given: Any) -> Any:
        seen, chosen = self._lanes.act(nets, given["lanes"], given["turn"])
        return self._remembered(given, seen, chosen["action"])

    def _remembered(self, given: Any, seen: Any, action: Any) -> Any:
        lanes, out = self._lanes.step(given["lanes"], action)
        rows = {
            "observation": seen,
            "action": ops.cast(action, "int32") if self._lanes.world.spaces.discrete else action,
            "reward": out["reward"] * self._agent.reward_scale,
            "next_observation": out["final"],
            "discount": self._agent.gamma * (1.0 - out["terminated"]),
        }
        return lanes, rows, out["episodes"], given["turn"] + 1

    def _drawn(self, nets: Networks | None, given: Any) -> Any:
        """A batch of random transitions, with what the losses draw at random."""
        size, count = self._agent.batch_size, self._lanes.count
        filled = ops.minimum(given["turn"] * count, self._room)
        key = stream(self._lanes.seed, 200, given["turn"], given["index"])
        index = integers(bits(key, ops.arange(size, dtype="int32")), filled, min(self._room, _MOST))
        batch = {name: ops.take(kept, index, axis=0) for name, kept in given["memory"].items()}
        for number, (name, kind) in enumerate(self._loss_noise.items()):
            batch[name] = noise(kind, stream(key, 300 + number), (size,))
        return {**batch, "weight": ops.ones((size,)), "remaining": self._lanes.remaining(given["turn"])}

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of this loop: games, memory, all of it."""
        return {"steps": np.int64(self.steps), **flat(self._carry)}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.steps = int(state["steps"])
        self.restart([0] * self._lanes.count)
        self._carry = unflat(self._carry, state)
