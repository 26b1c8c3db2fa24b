"""An agent at work, frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gymnasium
import numpy as np

from whygrad.rl.envs.making import env_maker
from whygrad.rl.lanes import Episode, Lanes
from whygrad.rl.plan import BadPlan, Plan


class Camera(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Takes a picture after every reset and every step. The last one of an episode would be lost otherwise: lanes begin
    the next episode in the same step."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._pictures: list[Any] = []

    def reset(self, **kwargs: Any) -> Any:
        """Begin an episode."""
        given = self.env.reset(**kwargs)
        self._pictures.append(self.env.render())
        return given

    def step(self, action: Any) -> Any:
        """One step."""
        given = self.env.step(action)
        self._pictures.append(self.env.render())
        return given

    def taken(self) -> list[Any]:
        """The pictures since the last time of asking."""
        pictures, self._pictures = self._pictures, []
        return pictures


def camera_for(plan: Plan, mode: str) -> Camera:
    """The environment of a run, made to be looked at: as `rgb_array`, or in a window (`human`)."""
    plain = env_maker(plan.env, plan.env_options)()
    modes = list(plain.metadata.get("render_modes") or [])
    plain.close()
    if mode not in modes:
        offer = f"it offers {', '.join(map(str, modes))}" if modes else "it offers no way of drawing itself"
        raise BadPlan(f"{plan.env} cannot be shown: that takes the render mode {mode!r}, and {offer}.")
    return Camera(env_maker(plan.env, {**plan.env_options, "render_mode": mode})())


def frames(
    policy: Callable[[Any], Any], lanes: Lanes, camera: Camera, seeds: Sequence[int], ended: list[Episode]
) -> Iterator[np.ndarray]:
    """One episode for each seed, as pictures; episodes are added to `ended` as they end. `lanes` is one: the camera."""
    for seed in seeds:
        observation = lanes.start([seed])
        yield from camera.taken()
        while True:
            step = lanes.step(policy(observation))
            observation = step.observation
            first, *_ = camera.taken()  # after an end there is a second one, of the episode that nobody asked for
            yield first
            if step.episodes:
                ended += step.episodes
                break
