"""Collecting a rollout with the current policy, and judging it: what every step was worth against what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from whygrad.rl.engine import Engine
from whygrad.rl.lanes import Episode, Lanes, Step
from whygrad.rl.loops.round import remaining
from whygrad.rl.normalise import RewardScale, RunningMoments
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.returns import advantages


class RolloutCollector:
    """`begin`, then `step` until it says that the rollout is complete, then `rows`.

    `lanes` may be a part of the training's: `all_lanes` is how many there are in all, `total` how many steps the whole
    training has.
    """

    def __init__(self, agent: OnPolicy, engine: Engine, lanes: Lanes, total: int, all_lanes: int | None = None) -> None:
        self._agent, self._engine, self._lanes, self._total = agent, engine, lanes, total
        self._all_lanes = all_lanes or lanes.count
        self._noise = agent.policy_noise(lanes.spaces)
        self.moments = RunningMoments(lanes.spaces.observation) if agent.normalise_observations else None
        self.rewards = RewardScale(lanes.count, agent.gamma) if agent.normalise_rewards else None
        self._observation = np.zeros(0)

    def restart(self, seeds: list[int]) -> None:
        """Begin new episodes; those that were under way count as cut off."""
        if self.rewards is not None:
            self.rewards.cut()
        self._observation = self._seen(self._lanes.start(seeds), learn=False)

    def begin(self, rng: np.random.Generator, steps: int) -> None:
        """A new rollout; `steps` of the training were made before it."""
        self._rng, self.steps = rng, steps
        self._kept: list[dict[str, Any]] = []
        self._steps: list[Step] = []
        self.episodes: list[Episode] = []
        self._ended = np.zeros(self._lanes.count, int)

    def step(self) -> bool:
        """One step of every lane; whether the rollout is complete."""
        agent, count = self._agent, self._lanes.count
        # Episodes of each lane: were they counted together, short ones would have a head start.
        quota = -(-agent.horizon // self._all_lanes)
        batch = {"observation": self._observation}
        noise = {name: kind.draw(self._rng, count) for name, kind in self._noise.items()}
        noise["remaining"] = remaining(self.steps, self._total)
        chosen = self._engine.call(agent.policy, {**batch, **noise})
        step = self._lanes.step(chosen["action"])
        reward = step.reward * agent.reward_scale
        if self.rewards is not None:
            reward = self.rewards.scale(reward, step.terminated | step.truncated)
        open_lanes = self._ended < quota
        weight = open_lanes.astype(np.float32) if agent.WHOLE_EPISODES else np.ones(count, np.float32)
        self._kept.append({**batch, **chosen, "reward": reward, "weight": weight})
        self._steps.append(step)
        self._observation = self._seen(step.observation, learn=True)
        self._ended += step.terminated | step.truncated
        self.steps += self._all_lanes
        self.episodes += step.episodes
        if agent.WHOLE_EPISODES:
            return not (self._ended < quota).any()
        return len(self._kept) >= agent.horizon

    def rows(self) -> dict[str, np.ndarray]:
        """Everything that was collected, row by row, with `return` and `advantage`."""
        rows = {name: np.stack([row[name] for row in self._kept]) for name in self._kept[0]}
        self._judge(rows)
        return {name: values.reshape(-1, *values.shape[2:]) for name, values in rows.items() if name != "reward"}

    def _judge(self, rows: dict[str, np.ndarray]) -> None:
        terminated = np.stack([s.terminated for s in self._steps])
        truncated = np.stack([s.truncated for s in self._steps])
        value = rows.get("value", np.zeros_like(rows["reward"]))
        following = np.concatenate([value[1:], np.zeros_like(value[:1])])
        if "value" in rows:
            # The value of what followed is that of the next row, except where an episode was cut off there.
            following[-1] = self._value(self._observation)
            for t in np.flatnonzero(truncated.any(axis=1)):
                at_end = self._value(self._seen(self._steps[t].final, learn=False))
                following[t] = np.where(truncated[t], at_end, following[t])
        rows["advantage"], rows["return"] = advantages(
            rows["reward"], value, following, terminated, truncated, self._agent.gamma, self._agent.gae_lambda
        )

    def _value(self, observation: Any) -> Any:
        return self._engine.call(self._agent.value, {"observation": observation})

    def _seen(self, observation: Any, *, learn: bool) -> Any:
        if self.moments is None:
            return observation
        if learn:
            self.moments.update(observation)
        return self.moments.scale(observation)

    def state(self) -> dict[str, Any]:
        """What was learned of the size of observations and rewards, for a checkpoint or for another process."""
        return {f"{name}/{k}": v for name, part in self._parts() for k, v in part.state().items()}

    def load(self, state: dict[str, Any]) -> None:
        """Put back what `state` gave."""
        for name, part in self._parts():
            part.load({k.removeprefix(f"{name}/"): v for k, v in state.items() if k.startswith(f"{name}/")})

    def _parts(self) -> list[tuple[str, Any]]:
        return [
            (name, part) for name, part in (("moments", self.moments), ("rewards", self.rewards)) if part is not None
        ]
