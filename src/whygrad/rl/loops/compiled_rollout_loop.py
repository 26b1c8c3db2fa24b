"""On-policy training in a world of our own: a rollout and all updates on it are one compiled program."""

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
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.worlds.draws import bits, noise, stream
from whygrad.rl.worlds.games import episodes
from whygrad.rl.worlds.world import World


class CompiledRolloutLoop:
    """One round is `turns` times a rollout of `horizon` steps of every lane and the updates on it."""

    def __init__(self, agent: OnPolicy, engine: Engine, world: World, total: int, seed: int, turns: int) -> None:
        self.steps = 0
        self.before_learning: Callable[[dict[str, Any]], None] | None = None
        self._agent, self._turns = agent, turns
        self._lanes = CompiledLanes(world, agent, agent.lanes, seed, total)
        self._loss_noise = agent.loss_noise(world.spaces)
        self._rows = agent.horizon * agent.lanes
        self._size = min(agent.minibatch or self._rows, self._rows)
        self._updates = self._rows // self._size
        self._carry: Any = None
        self._learn = engine.program(self._learning)
        self._look = engine.program(self._looking)

    def restart(self, seeds: list[int]) -> None:
        """Begin; once begun, games go on over checkpoints, which hold them whole."""
        if self._carry is None:
            self._carry = {"lanes": self._lanes.begin(seeds), "turn": ops.zeros((), dtype="int32")}

    def round(self) -> Round:
        """Collect and learn, so many times."""
        result = Round()
        if self.before_learning is not None:
            result.batch = self.batch()
            self.before_learning(result.batch)
        updates = self._turns * self._agent.epochs * self._updates
        self._carry, (told, report) = self._learn(self._carry, {}, updates)
        self.steps += self._turns * self._rows
        result.episodes = episodes(told)
        result.report = report
        return result

    @property
    def state_tree(self) -> Any:
        """What the program carries from round to round, on the device."""
        return self._carry

    def batch(self) -> dict[str, Any]:
        """A batch for whoever wants to look at gradients. The games do not move for it."""
        kept = keras.tree.map_structure(ops.copy, self._carry)
        self._carry, batch = self._look(kept, {}, 0)
        return {name: ops.convert_to_numpy(values) for name, values in batch.items()}

    def _looking(self, inside: Inside, carry: Any, given: Any) -> Any:
        _, rows, _ = self._collect(inside, carry)
        first = {"rows": rows, "order": np.arange(self._rows, dtype=np.int32), "turn": carry["turn"]}
        return carry, inside.call(self._drawn, {**first, "index": np.int32(0)})

    def _learning(self, inside: Inside, carry: Any, given: Any) -> Any:
        def turn(inner: Inside, carry: Any, i: Any, _: Any) -> Any:
            carry, rows, told = self._collect(inner, carry)
            _, report = inner.loop(lambda i, c, n, _: self._epoch(i, rows, c, n), carry["turn"], self._agent.epochs)
            return carry, (told, report)

        carry, (told, report) = inside.loop(turn, carry, self._turns)
        joined = {name: {k: merged(v, 3) for k, v in given.items()} for name, given in report.items()}
        return carry, (keras.tree.map_structure(lambda x: merged(x, 2), told), joined)

    def _collect(self, inside: Inside, carry: Any) -> Any:
        """Rows [steps · lanes, …] by name, with `return` and `advantage`."""

        def step(inner: Inside, carry: Any, i: Any, _: Any) -> Any:
            lanes, rows, told, turn = inner.call(self._by_policy, carry)
            return {"lanes": lanes, "turn": turn}, (rows, told)

        carry, (rows, told) = inside.loop(step, carry, self._agent.horizon)
        judged = inside.call(self._judged, {"rows": rows, "lanes": carry["lanes"]})
        _, advantage = inside.loop(self._backwards, judged["start"], self._agent.horizon, judged["each"])
        return carry, inside.call(self._flat, {"rows": rows, "advantage": advantage}), told

    def _by_policy(self, nets: Networks, carry: Any) -> Any:
        lanes, turn = carry["lanes"], carry["turn"]
        seen, chosen = self._lanes.act(nets, lanes, turn)
        lanes, out = self._lanes.step(lanes, chosen["action"])
        rows = {"observation": seen, **chosen}
        rows.update({name: out[name] for name in ("reward", "terminated", "truncated")})
        if "value" in chosen and self._lanes.world.cut_off:
            # Where a limit cut an episode off, what followed is worth what the agent thinks of it.
            rows["cut_value"] = self._agent.value(nets, {"observation": out["final"]})
        return lanes, rows, out["episodes"], turn + 1

    def _judged(self, nets: Networks, given: Any) -> Any:
        """What the way back through the rollout needs: each step's error, and how much of the next one's it adds."""
        rows, agent = given["rows"], self._agent
        value = rows.get("value")
        if value is None:
            value = following = ops.zeros_like(rows["reward"])
        else:
            last = agent.value(nets, {"observation": self._lanes.world.observe(given["lanes"]["games"])})
            following = ops.concatenate([value[1:], last[None]])
            if "cut_value" in rows:
                following = ops.where(rows["truncated"] > 0, rows["cut_value"], following)
        error = agent.reward_scale * rows["reward"] + agent.gamma * (1.0 - rows["terminated"]) * following - value
        goes_on = (1.0 - rows["terminated"]) * (1.0 - rows["truncated"])
        each = {"error": error, "carried": agent.gamma * agent.gae_lambda * goes_on}
        return {"start": ops.zeros_like(error[0]), "each": {name: ops.flip(x, axis=0) for name, x in each.items()}}

    def _backwards(self, inside: Inside, after: Any, i: Any, each: Any) -> Any:
        after = each["error"] + each["carried"] * after
        return after, after

    def _flat(self, nets: Networks, given: Any) -> Any:
        rows = dict(given["rows"])
        rows["advantage"] = ops.flip(given["advantage"], axis=0)
        rows["return"] = rows["advantage"] + rows["value"] if "value" in rows else rows["advantage"]
        rows["weight"] = ops.ones_like(rows["advantage"])
        for name in ("reward", "terminated", "truncated", "cut_value"):
            rows.pop(name, None)
        return {name: merged(values, 2) for name, values in rows.items()}

    def _epoch(self, inside: Inside, rows: Any, turn: Any, epoch: Any) -> Any:
        """Every row once, in an order of its own, in minibatches."""
        order = inside.call(self._order, {"turn": turn, "epoch": epoch})

        def one(inner: Inside, carry: Any, index: Any, _: Any) -> Any:
            batch = inner.call(self._drawn, {"rows": rows, "order": order, "turn": turn, "index": index})
            return carry, inner.update(batch, batch["remaining"])

        _, report = inside.loop(one, turn, self._updates)
        return turn, report

    def _order(self, nets: Networks, given: Any) -> Any:
        key = stream(self._lanes.seed, 400, given["turn"], given["epoch"])
        return ops.cast(ops.argsort(bits(key, ops.arange(self._rows, dtype="int32"))), "int32")

    def _drawn(self, nets: Networks, given: Any) -> Any:
        position = given["index"] * self._size + ops.arange(self._size, dtype="int32")
        index = ops.take(given["order"], position)
        batch = {name: ops.take(values, index, axis=0) for name, values in given["rows"].items()}
        key = stream(self._lanes.seed, 500, given["turn"], given["index"])
        for number, (name, kind) in enumerate(self._loss_noise.items()):
            batch[name] = noise(kind, stream(key, number), (self._size,))
        return {**batch, "remaining": self._lanes.remaining(given["turn"])}

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of this loop: the games, and how far it is."""
        return {"steps": np.int64(self.steps), **flat(self._carry)}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.steps = int(state["steps"])
        self.restart([0] * self._lanes.count)
        self._carry = unflat(self._carry, state)
