"""A trained agent, from the folder of its run: to be evaluated, shown, or to collect data with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whygrad.live.run_folder import BadRun, RunFolder
from whygrad.rl import checkpoint
from whygrad.rl.agent import Agent
from whygrad.rl.building import build
from whygrad.rl.device import precision
from whygrad.rl.engine import Engine, engine_class
from whygrad.rl.evaluation import greedy
from whygrad.rl.lanes import Lanes
from whygrad.rl.normalise import RunningMoments
from whygrad.rl.plan import BadPlan, Plan
from whygrad.rl.spaces import check_supported
from whygrad.rl.trainer import read_agent
from whygrad.rl.worlds.making import make_lanes
from whygrad.rl.worlds.world_lanes import WorldLanes


@dataclass(frozen=True, slots=True)
class Restored:
    """An agent with the weights of a checkpoint, and environments to act in. Leaving the block closes these."""

    agent: Agent
    plan: Plan
    which: str
    """`best` or `last`."""
    steps: int
    """Steps of training behind it."""
    lanes: Lanes | WorldLanes
    engine: Engine
    moments: RunningMoments | None
    """What observations are scaled with, where the agent wants that."""

    @property
    def policy(self) -> Callable[[Any], Any]:
        """Observations [lanes, …] to the actions that the agent thinks best."""
        return greedy(self.agent, self.engine, self.lanes, self.moments)

    def __enter__(self) -> Restored:
        return self

    def __exit__(self, *_: object) -> None:
        self.lanes.close()


def restore(
    path: str | Path,
    which: str | None = None,
    *,
    count: int = 1,
    env: Any = None,
    agent: Agent | None = None,
    networks: Mapping[str, Any] | None = None,
) -> Restored:
    """The agent of a run with the weights of its `best` or `last` checkpoint (None: the best there is).

    The checkpoint may come from another backend. `count` environments are made of what the run trained on, or of `env`;
    an agent, an environment or networks of your own have to be given again.
    """
    folder = RunFolder.open(path)
    file = _file(folder, which)
    kept = folder.settings()
    plan = Plan.from_data(kept["plan"])
    agent = agent or read_agent(kept)
    made = plan.env if env is None else env
    if made is None:
        raise BadPlan(
            f"the run {str(path)!r} has no environment that could be made by its id. Give one from Python: "
            "whygrad.rl.restoring.restore(path, env=…)."
        )
    lanes = make_lanes(made, count, judging=True, **(plan.env_options if env is None else {}))
    try:
        check_supported(agent, lanes.spaces)
        with precision(plan.precision):
            engine: Engine = engine_class()(agent, build(agent, lanes.spaces, networks), lanes.spaces)
        arrays, _ = checkpoint.read(file)
        _load(engine, arrays, file)
        moments = None
        if any(name.startswith("loop/moments/") for name in arrays):
            moments = RunningMoments(lanes.spaces.observation)
            moments.load(_part(arrays, "loop/moments/"))
    except BaseException:
        lanes.close()
        raise
    return Restored(agent, plan, file.stem, int(arrays["loop/steps"]), lanes, engine, moments)


def _file(folder: RunFolder, which: str | None) -> Path:
    files = {"best": folder.best, "last": folder.last}
    there = [name for name, file in files.items() if file.exists()]
    if not there:
        raise BadRun(f"The run {str(folder.path)!r} has no checkpoint yet.")
    if which is not None and which not in there:
        raise BadRun(f"The run {str(folder.path)!r} has no checkpoint {which!r}; it has {there[0]!r}.")
    return files[which or there[0]]


def _load(engine: Engine, arrays: Mapping[str, Any], file: Path) -> None:
    state = _part(arrays, "engine/")
    now = engine.state()
    wrong = [name for name, value in now.items() if name not in state or state[name].shape != value.shape]
    if wrong:
        name = wrong[0]
        there = f"has it with shape {state[name].shape}" if name in state else "does not have it"
        raise BadRun(
            f"The networks do not fit {str(file)!r}: {name} has shape {now[name].shape}, and the file {there}. "
            "Networks of your own have to be given again: restore(path, networks=…)."
        )
    engine.load(state)


def _part(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {key.removeprefix(prefix): value for key, value in arrays.items() if key.startswith(prefix)}
