"""On-policy training: collect with the current policy, learn from it, throw it away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from whygrad.rl.engine import Engine
from whygrad.rl.lanes import Lanes, Step
from whygrad.rl.loops.round import Round, remaining, seeds
from whygrad.rl.normalise import RewardScale, RunningMoments
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.returns import advantages


class RolloutLoop:
    """One round is a rollout (`horizon` steps of every lane, or that many whole episodes) and the updates on it."""

    def __init__(
        self, agent: OnPolicy, engine: Engine, lanes: Lanes, rng: np.random.Generator, total: int, seed: int
    ) -> None:
        self.steps = 0
        self.before_learning: Callable[[dict[str, Any]], None] | None = None
        self._agent, self._engine, self._lanes, self._rng, self._total = agent, engine, lanes, rng, total
        self._seed = seed
        self._noise = agent.policy_noise(lanes.spaces)
        self._loss_noise = agent.loss_noise(lanes.spaces)
        self.moments = RunningMoments(lanes.spaces.observation) if agent.normalise_observations else None
        self._rewards = RewardScale(lanes.count, agent.gamma) if agent.normalise_rewards else None
        self._observation = np.zeros(0)

    def restart(self, seeds: list[int]) -> None:
        """Begin new episodes; those that were under way count as cut off."""
        if self._rewards is not None:
            self._rewards.cut()
        self._observation = self._seen(self._lanes.start(seeds), learn=False)

    def round(self) -> Round:
        """Collect, then learn."""
        result = Round()
        if self._agent.WHOLE_EPISODES:
            self.restart(seeds(self._seed, self.steps, 1, count=self._lanes.count))
        rows = self._collect(result)
        done = min(1.0, self.steps / self._total)
        batches = self._batches(rows)
        result.batch = {name: values[-1] for name, values in batches.items()}
        if self.before_learning is not None:
            self.before_learning(result.batch)
        result.report = self._engine.update(batches, 1.0 - done)
        return result

    def _collect(self, result: Round) -> dict[str, np.ndarray]:
        """Rows [steps, lanes, …] by name, with `return` and `advantage`."""
        kept: list[dict[str, Any]] = []
        steps: list[Step] = []
        ended = np.zeros(self._lanes.count, int)
        # Episodes of each lane: were they counted together, short ones would have a head start.
        quota = -(-self._agent.horizon // self._lanes.count)
        whole = self._agent.WHOLE_EPISODES
        while (ended < quota).any() if whole else len(kept) < self._agent.horizon:
            batch = {"observation": self._observation}
            noise = {name: kind.draw(self._rng, self._lanes.count) for name, kind in self._noise.items()}
            noise["remaining"] = remaining(self.steps, self._total)
            chosen = self._engine.call(self._agent.policy, {**batch, **noise})
            step = self._lanes.step(chosen["action"])
            reward = step.reward * self._agent.reward_scale
            if self._rewards is not None:
                reward = self._rewards.scale(reward, step.terminated | step.truncated)
            weight = (ended < quota).astype(np.float32) if whole else np.ones(self._lanes.count, np.float32)
            kept.append({**batch, **chosen, "reward": reward, "weight": weight})
            steps.append(step)
            self._observation = self._seen(step.observation, learn=True)
            ended += step.terminated | step.truncated
            self.steps += self._lanes.count
            result.episodes += step.episodes
        rows = {name: np.stack([row[name] for row in kept]) for name in kept[0]}
        self._judge(rows, steps)
        return rows

    def _judge(self, rows: dict[str, np.ndarray], steps: list[Step]) -> None:
        """Add `return` and `advantage`."""
        terminated = np.stack([s.terminated for s in steps])
        truncated = np.stack([s.truncated for s in steps])
        value = rows.get("value", np.zeros_like(rows["reward"]))
        following = np.concatenate([value[1:], np.zeros_like(value[:1])])
        if "value" in rows:
            # The value of what followed is that of the next row, except where an episode was cut off there.
            following[-1] = self._value(self._observation)
            for t in np.flatnonzero(truncated.any(axis=1)):
                at_end = self._value(self._seen(steps[t].final, learn=False))
                following[t] = np.where(truncated[t], at_end, following[t])
        rows["advantage"], rows["return"] = advantages(
            rows["reward"], value, following, terminated, truncated, self._agent.gamma, self._agent.gae_lambda
        )

    def _value(self, observation: Any) -> Any:
        return self._engine.call(self._agent.value, {"observation": observation})

    def _batches(self, rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Shuffled minibatches [updates, rows, …], all epochs one after the other."""
        flat = {name: values.reshape(-1, *values.shape[2:]) for name, values in rows.items() if name != "reward"}
        if self._agent.WHOLE_EPISODES:
            flat = _filled_up({name: values[flat["weight"] > 0] for name, values in flat.items()})
        count = len(flat["weight"])
        size = min(self._agent.minibatch or count, count)
        order = [
            self._rng.permutation(count)[: count - count % size].reshape(-1, size) for _ in range(self._agent.epochs)
        ]
        index = np.concatenate(order)
        batches = {name: values[index] for name, values in flat.items()}
        for name, noise in self._loss_noise.items():
            batches[name] = noise.draw(self._rng, *index.shape)
        return batches

    def _seen(self, observation: Any, *, learn: bool) -> Any:
        if self.moments is None:
            return observation
        if learn:
            self.moments.update(observation)
        return self.moments.scale(observation)

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of this loop."""
        kept: dict[str, Any] = {"steps": np.int64(self.steps)}
        for name, part in (("moments", self.moments), ("rewards", self._rewards)):
            if part is not None:
                kept.update({f"{name}/{k}": v for k, v in part.state().items()})
        return kept

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.steps = int(state["steps"])
        for name, part in (("moments", self.moments), ("rewards", self._rewards)):
            if part is not None:
                part.load({k.removeprefix(f"{name}/"): v for k, v in state.items() if k.startswith(f"{name}/")})


def _filled_up(rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """As many rows as the next power of two, the new ones with weight 0: few shapes, so few compilations."""
    count = len(rows["weight"])
    missing = (1 << max(6, (count - 1).bit_length())) - count
    filled = {name: np.concatenate([values, np.repeat(values[:1], missing, axis=0)]) for name, values in rows.items()}
    filled["weight"][count:] = 0.0
    return filled
