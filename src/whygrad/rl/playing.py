"""An agent at work, moment by moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import gymnasium

from whygrad.rl.envs.making import env_maker
from whygrad.rl.lanes import Episode, Lanes
from whygrad.rl.plan import BadPlan, Plan
from whygrad.rl.worlds.catalogue import find_world
from whygrad.rl.worlds.gym_env import SnakeEnv
from whygrad.rl.worlds.world_lanes import WorldLanes


class Camera(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Takes a picture after every reset and every step. The last one of an episode would be lost otherwise: lanes begin
    the next episode in the same step."""

    def __init__(self, env: gymnasium.Env[Any, Any], take: Callable[[], Any] | None = None) -> None:
        super().__init__(env)
        self.info: Mapping[str, Any] = {}
        """What the environment said of the last step."""
        self._take = take or env.render
        self._pictures: list[Any] = []

    def reset(self, **kwargs: Any) -> Any:
        """Begin an episode."""
        given = self.env.reset(**kwargs)
        self._pictures.append(self._take())
        return given

    def step(self, action: Any) -> Any:
        """One step."""
        given = self.env.step(action)
        self.info = given[4]
        self._pictures.append(self._take())
        return given

    def taken(self) -> list[Any]:
        """The pictures since the last time of asking."""
        pictures, self._pictures = self._pictures, []
        return pictures


def camera_for(plan: Plan, mode: str) -> Camera:
    """The environment of a run, made to be looked at: as `rgb_array`, as text (`ansi`), or in a window (`human`).

    Of Snake the pictures are boards, to be drawn by who wants them, except in a window.
    """
    world = find_world(plan.env, plan.env_options)
    # As in evaluations, a policy that goes round in circles comes to an end.
    options = plan.env_options if world is None else asdict(world.to_judge())  # type: ignore[call-overload]
    plain = env_maker(plan.env, options)()
    modes = list(plain.metadata.get("render_modes") or [])
    plain.close()
    if mode not in modes:
        offer = f"it offers {', '.join(map(str, modes))}" if modes else "it offers no way of drawing itself"
        raise BadPlan(f"{plan.env} cannot be shown: that takes the render mode {mode!r}, and {offer}.")
    env = env_maker(plan.env, {**options, "render_mode": mode})()
    snake = env.unwrapped
    if isinstance(snake, SnakeEnv) and mode != "human":
        return Camera(env, lambda: snake.board)
    return Camera(env)


def moments(
    policy: Callable[[Any], Any],
    lanes: Lanes | WorldLanes,
    camera: Camera,
    seeds: Sequence[int],
    ended: list[Episode],
    most: int | None = None,
) -> Iterator[tuple[int, Any]]:
    """One episode for each seed, as pairs of a step's number, from 0 on, and its picture; `lanes` is one: the camera.

    Episodes are added to `ended` as they end, with what the environment said of their last step; those of `most` steps
    are cut off there.
    """
    for seed in seeds:
        observation = lanes.start([seed])
        yield 0, camera.taken()[-1]
        score, length = 0.0, 0
        while True:
            step = lanes.step(policy(observation))
            observation = step.observation
            score, length = score + float(step.reward[0]), length + 1
            info = camera.info
            cut = bool(step.truncated[0]) or (length == most and not step.episodes)
            yield length, camera.taken()[0]  # after an end there is a second one, of the next episode
            if step.episodes or length == most:
                ended.append(Episode(0, score, length, {**_numbers(info), "cut": float(cut)}))
                break


def _numbers(info: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in info.items() if isinstance(value, bool | int | float)}
