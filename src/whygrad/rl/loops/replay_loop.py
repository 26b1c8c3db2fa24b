"""Off-policy training: act, remember, learn from what is remembered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import keras
import numpy as np

from whygrad.rl.engine import Engine
from whygrad.rl.lanes import Lanes
from whygrad.rl.loops.round import Round, remaining
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.replay import Replay


class ReplayLoop:
    """One round is `train_every` steps of the environments and `updates` updates."""

    def __init__(self, agent: OffPolicy, engine: Engine, lanes: Lanes, rng: np.random.Generator, total: int) -> None:
        self.steps = 0
        self.before_learning: Callable[[dict[str, Any]], None] | None = None
        self._agent, self._engine, self._lanes, self._rng, self._total = agent, engine, lanes, rng, total
        spaces = lanes.spaces
        self._noise = agent.policy_noise(spaces)
        self._loss_noise = agent.loss_noise(spaces)
        self._replay = Replay(
            agent.buffer_size,
            spaces.observation,
            () if spaces.discrete else (spaces.action_size,),
            np.int64 if spaces.discrete else np.float32,
            lanes.count,
            n_step=agent.n_step,
            gamma=agent.gamma,
            priority_exponent=agent.priority_exponent if agent.prioritised else None,
        )
        self._observation = np.zeros(0)

    def restart(self, seeds: list[int]) -> None:
        """Begin new episodes; those that were under way count as cut off."""
        self._replay.cut()
        self._observation = self._lanes.start(seeds)

    def round(self) -> Round:
        """Collect, then learn."""
        result = Round()
        until = self.steps + self._agent.train_every
        while self.steps < until:
            action = self._act()
            step = self._lanes.step(action)
            reward = step.reward * self._agent.reward_scale
            self._replay.add(self._observation, action, reward, step.final, step.terminated, step.truncated)
            self._observation = step.observation
            result.episodes += step.episodes
            self.steps += self._lanes.count
        if self.steps > self._agent.learning_starts and len(self._replay):
            self._learn(result)
        return result

    def _act(self) -> Any:
        agent, spaces, rng = self._agent, self._lanes.spaces, self._rng
        if self.steps < agent.learning_starts:
            if spaces.discrete:
                return rng.integers(spaces.action_size, size=self._lanes.count)
            return rng.uniform(-1.0, 1.0, (self._lanes.count, spaces.action_size)).astype(np.float32)
        batch = {"observation": self._observation, "remaining": remaining(self.steps, self._total)}
        for name, noise in self._noise.items():
            batch[name] = noise.draw(rng, self._lanes.count)
        return self._engine.call(agent.policy, batch)["action"]

    def _learn(self, result: Round) -> None:
        agent, rng = self._agent, self._rng
        done = min(1.0, self.steps / self._total)
        correction = agent.priority_correction + done * (1.0 - agent.priority_correction)
        batches = self._replay.sample(rng, agent.updates, agent.batch_size, correction)
        index = batches.pop("index")
        for name, noise in self._loss_noise.items():
            batches[name] = noise.draw(rng, agent.updates, agent.batch_size)
        result.batch = {name: rows[-1] for name, rows in batches.items()}
        if self.before_learning is not None:
            self.before_learning(result.batch)
        result.report = self._engine.update(batches, 1.0 - done)
        if agent.prioritised:
            errors = next(given["priority"] for given in result.report.values() if "priority" in given)
            self._replay.reprioritise(index, keras.ops.convert_to_numpy(errors))

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of this loop."""
        return {"steps": np.int64(self.steps), **{f"replay/{k}": v for k, v in self._replay.state().items()}}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.steps = int(state["steps"])
        self._replay.load({k.removeprefix("replay/"): v for k, v in state.items() if k.startswith("replay/")})
