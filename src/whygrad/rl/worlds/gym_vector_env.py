"""Worlds as Gymnasium vector environments: thousands of games step in one compiled call.

`gymnasium.make_vec("whygrad/Snake-v0", num_envs=1024)`. The games are those that `num_envs` single environments would
play with the same seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from keras import ops

from whygrad.rl.worlds.gym_env import CartPoleEnv, PendulumEnv, SnakeEnv, WorldEnv
from whygrad.rl.worlds.gym_programs import arrays, fits, keys, programs, to_world
from whygrad.rl.worlds.pictures import Painter
from whygrad.rl.worlds.world import State, World, choose

MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)


class WorldVectorEnv(VectorEnv[Any, Any, Any]):
    """Games of a world. `settings` are the world's own.

    A game that ended begins anew at the next step, whose action does not count (`NEXT_STEP`, what Gymnasium's wrappers
    expect), or at once, what was seen last being in the infos as `final_obs` and `final_info` (`SAME_STEP`).
    """

    SINGLE: ClassVar[type[WorldEnv[Any]]]

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        **settings: Any,
    ) -> None:
        if not isinstance(num_envs, int) or num_envs < 1:
            raise ValueError(f"num_envs is a whole number, 1 or more, got {num_envs!r}")
        self._mode = _mode(autoreset_mode)
        if max_episode_steps is not None:  # what Gymnasium calls it
            settings = {**settings, "limit": max_episode_steps}
        single = self.SINGLE(None, **settings)  # never plays; it knows what one game is like
        self.world: World = single.world
        modes = [mode for mode in single.metadata["render_modes"] if mode != "human"]
        if render_mode is not None and render_mode not in modes:
            raise ValueError(f"{self.world.ID} is drawn as {', '.join(modes)}, got render_mode={render_mode!r}")
        self.num_envs, self.render_mode = num_envs, render_mode
        self.metadata = {**single.metadata, "render_modes": modes, "autoreset_mode": self._mode}
        self.single_action_space = self._actions = single.action_space
        self.single_observation_space = single.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._programs = programs(self.world)
        self._state: State | None = None
        self._ended = np.zeros(num_envs, bool)
        self._painters: list[Painter] = []
        if render_mode is not None:
            self._painters = [single._make_painter(render_mode) for _ in range(num_envs)]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin all games. Game i has the seed `seed + i`, or its own from a list; without one, games go on by chance.

        The option `reset_mask` [games] resets some of the games alone.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        mask = self._mask(options)
        key, drawn = self._keys(seed)
        state, told = self._programs.begin(key, drawn)
        if mask is not None and self._state is not None:
            chosen = ops.convert_to_tensor(mask)
            state, told = self._programs.see({n: choose(chosen, new, self._state[n]) for n, new in state.items()})
        self._state = state
        self._ended = np.zeros(self.num_envs, bool) if mask is None else self._ended & ~mask
        told = arrays(told)
        self._show(None, ~self._ended if mask is None else mask, self._ended)
        return told["observation"], _infos(told["info"])

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One step of all games."""
        if self._state is None:
            raise gymnasium.error.ResetNeeded("the games have not begun: call reset() before step()")
        given = self._checked(actions)
        if self._mode is AutoresetMode.NEXT_STEP:
            fresh = self._ended
            ended = ops.convert_to_tensor(fresh)
            self._state, told = self._programs.next_step(self._state, to_world(self.world, given), ended)
            told = arrays(told)
            self._ended = told["terminated"] | told["truncated"]
        else:
            self._state, told = self._programs.same_step(self._state, to_world(self.world, given))
            told = arrays(told)
            fresh = told["terminated"] | told["truncated"]
        infos = _infos(told["info"])
        if self._mode is AutoresetMode.SAME_STEP and fresh.any():
            infos.update(_finals(told["final"], fresh))
        self._show(given, fresh, told["terminated"] & ~fresh)
        return told["observation"], told["reward"], told["terminated"], told["truncated"], infos

    def render(self) -> tuple[Any, ...] | None:
        """A picture, or a text, of each game."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                f"{self.world.ID} was made without a render mode, so there is nothing to draw. Write "
                f'gymnasium.make_vec("{self.world.ID}", render_mode="rgb_array").'
            )
            return None
        return tuple(painter.picture() for painter in self._painters)

    def close_extras(self, **kwargs: Any) -> None:
        """Close what draws."""
        for painter in self._painters:
            painter.close()

    def _keys(self, seed: int | Sequence[int | None] | None) -> tuple[Any, Any]:
        """Each game's own, and how many numbers were drawn from it."""
        if isinstance(seed, int | np.integer):
            seed = [int(seed) + i for i in range(self.num_envs)]
        if seed is None:
            seed = [None] * self.num_envs
        if len(seed) != self.num_envs:
            raise ValueError(f"one seed for each of {self.num_envs} games is needed, got {len(seed)}")
        given = np.array([one is not None for one in seed])
        if self._state is None:
            drawn = np.zeros(self.num_envs, np.int32)
            chance = self.np_random.integers(2**32, size=self.num_envs)
            return keys([chance[i] if one is None else one for i, one in enumerate(seed)]), ops.convert_to_tensor(drawn)
        key, drawn = arrays((self._state["key"], self._state["drawn"]))
        fresh = arrays(keys([one or 0 for one in seed]))
        key, drawn = np.where(given, fresh, key), np.where(given, 0, drawn).astype(np.int32)
        return ops.convert_to_tensor(key), ops.convert_to_tensor(drawn)

    def _mask(self, options: Mapping[str, Any] | None) -> np.ndarray | None:
        if not options:
            return None
        mask = options.get("reset_mask")
        if list(options) != ["reset_mask"]:
            raise ValueError(
                f"games of a vector environment are reset with the option reset_mask alone, got {dict(options)!r}. "
                f'gymnasium.make("{self.world.ID}") takes where a game begins.'
            )
        if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask is an array of {self.num_envs} truths, got {mask!r}")
        if self._state is None and not mask.all():
            raise gymnasium.error.ResetNeeded("no game has begun yet: reset all of them first")
        return mask

    def _checked(self, actions: Any) -> np.ndarray:
        given = np.asarray(actions)
        space: Any = self._actions
        if given.shape != (self.num_envs, *space.shape):
            raise ValueError(f"one action for each of {self.num_envs} games is needed, got an array {given.shape}")
        if not fits(self.world, given, (self.num_envs,)):
            raise ValueError(f"an action of {self.world.ID} is one of {space}, got {given!r}")
        return given

    def _show(self, actions: Any, fresh: np.ndarray, terminated: np.ndarray) -> None:
        if not self._painters:
            return
        state = arrays(self._state)
        for i, painter in enumerate(self._painters):
            one = {name: values[i : i + 1] for name, values in state.items()}
            if actions is not None or fresh[i]:
                painter.see(one, None if fresh[i] else actions[i], bool(terminated[i]))


class SnakeVectorEnv(WorldVectorEnv):
    """`whygrad/Snake-v0`, many games."""

    SINGLE = SnakeEnv


class CartPoleVectorEnv(WorldVectorEnv):
    """`whygrad/CartPole-v1`, many games."""

    SINGLE = CartPoleEnv


class PendulumVectorEnv(WorldVectorEnv):
    """`whygrad/Pendulum-v1`, many games."""

    SINGLE = PendulumEnv


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    for mode in MODES:
        if given in (mode, mode.value, mode.name):
            return mode
    raise ValueError(f"autoreset_mode is {' or '.join(mode.value for mode in MODES)}, got {given!r}")


def _infos(info: Mapping[str, Any]) -> dict[str, Any]:
    """As Gymnasium has them: each with a mask that says for which games it is known, here for all."""
    return {**info, **{f"_{name}": np.ones(len(values), bool) for name, values in info.items()}}


def _finals(final: Mapping[str, Any], over: np.ndarray) -> dict[str, Any]:
    """What was seen last of the games that ended. Only their entries mean something."""
    seen = np.full(len(over), None, dtype=object)
    for i in np.flatnonzero(over):
        seen[i] = final["observation"][i]
    info = {}
    for name, values in final["info"].items():
        info[name] = np.where(over, values, np.zeros_like(values))
        info[f"_{name}"] = over.copy()
    return {"final_obs": seen, "_final_obs": over.copy(), "final_info": info, "_final_info": over.copy()}
