"""Everything that one training holds: networks, engine, environments, loop, random numbers. Saved and loaded whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import keras
import numpy as np

from whygrad.live.run_folder import RunFolder
from whygrad.rl import checkpoint, randomness, resuming
from whygrad.rl.agent import Agent, Spaces, settings
from whygrad.rl.bookkeeping import Books, scale
from whygrad.rl.building import build
from whygrad.rl.catalogue import AGENTS
from whygrad.rl.cluster.learners import SharedEngine
from whygrad.rl.cluster.post import Note
from whygrad.rl.cluster.working_together import cluster_loop, shared_engine, split_lanes
from whygrad.rl.dataset import check_fits, read_dataset
from whygrad.rl.device import precision
from whygrad.rl.engine import Engine, engine_class
from whygrad.rl.engine.contract import check_contracts
from whygrad.rl.engine.last_step import LastStep, last_steps
from whygrad.rl.evaluation import Scores, estimates, greedy, play_episodes
from whygrad.rl.lanes import Lanes
from whygrad.rl.loops.compiled import compiled_loop
from whygrad.rl.loops.compiled_evaluation import CompiledEvaluation
from whygrad.rl.loops.dataset_loop import DatasetLoop
from whygrad.rl.loops.replay_loop import ReplayLoop
from whygrad.rl.loops.rollout_loop import RolloutLoop
from whygrad.rl.loops.round import remaining, seeds
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.offline import Offline
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.plan import BadPlan, Plan
from whygrad.rl.spaces import check_supported
from whygrad.rl.watched import AgentWatch
from whygrad.rl.worlds.catalogue import find_world
from whygrad.rl.worlds.making import make_lanes
from whygrad.rl.worlds.world_lanes import WorldLanes

_EVALUATION, _RESTART = 7, 8
"""Two streams of seeds that never meet."""


class Trainer:
    """One training under way."""

    def __init__(
        self,
        agent: Agent,
        plan: Plan,
        engine: Engine | SharedEngine,
        loop: Any,
        rng: np.random.Generator,
        lanes: Lanes | WorldLanes | None,
        evaluation: Lanes | WorldLanes | None,
    ) -> None:
        self.agent, self.plan = agent, plan
        self.books = Books(engine.losses, {loss.name: engine.variable_names(loss.name) for loss in engine.losses})
        self._engine, self._loop, self._rng, self._lanes, self._evaluation = engine, loop, rng, lanes, evaluation
        self._count = sum(split_lanes(agent, plan.workers)) if plan.workers else lanes.count if lanes is not None else 1
        self._checked = not plan.check
        self._ending: Callable[[], None] = ExitStack().close
        self._judged: tuple[Any, Any] | None = None
        self._compiled_evaluation: CompiledEvaluation | None = None
        if isinstance(evaluation, WorldLanes) and getattr(loop, "moments", None) is None:
            self._compiled_evaluation = CompiledEvaluation(agent, engine, evaluation.world, evaluation.count)
        elif evaluation is not None:
            acting = (agent, engine, evaluation, getattr(loop, "moments", None))
            self._judged = greedy(*acting), estimates(*acting)

    @property
    def steps(self) -> int:
        """Steps so far."""
        return int(self._loop.steps)

    @property
    def networks(self) -> Mapping[str, Any]:
        """All networks by name."""
        return self._engine.networks

    def restart(self) -> None:
        """Begin new episodes, with seeds that follow from the run's seed and this step alone.

        Done at every checkpoint, so that a run that went on and one that was resumed see the same environments.
        """
        self._loop.restart(seeds(self.plan.seed, _RESTART, self.steps, count=self._count))

    def round(self) -> None:
        """Collect and learn; the first batch is checked before it is learned from."""
        if not self._checked:
            self._loop.before_learning = self._check
        self.books.add(self._loop.round())

    def _check(self, batch: Mapping[str, Any]) -> None:
        engine = self._engine.own if isinstance(self._engine, SharedEngine) else self._engine
        check_contracts(engine, {**batch, "remaining": np.float32(1.0)})
        self._checked, self._loop.before_learning = True, None

    def evaluate(self) -> Scores | None:
        """Episodes on seeds that training never sees; None without an environment."""
        fresh = seeds(self.plan.seed, _EVALUATION, self.steps, count=self.plan.evaluate_episodes)
        if self._compiled_evaluation is not None:
            return self._compiled_evaluation.play(fresh)
        if self._evaluation is None or self._judged is None:
            return None
        policy, worth = self._judged
        gamma = getattr(self.agent, "gamma", 1.0)
        return play_episodes(policy, self._evaluation, fresh, worth, gamma)

    @property
    def updates(self) -> int:
        """Updates so far."""
        return int(self._engine.updates)

    def news(self) -> list[Note]:
        """What happened to workers and learners since the last time."""
        found = self._loop.crew.news() if self.plan.workers else []
        if isinstance(self._engine, SharedEngine):
            found, self._engine.notes = found + self._engine.notes, []
        return found

    def collecting(self) -> dict[str, float]:
        """What workers have to say of themselves since the last time, by name."""
        return self._loop.numbers() if self.plan.workers else {}

    def watch(self, folder: RunFolder) -> AgentWatch:
        """Look after the gradients of every loss."""
        shapes = {name: np.shape(value) for name, value in self._engine.state().items()}
        names = {loss.name: self._engine.variable_names(loss.name) for loss in self._engine.losses}
        return AgentWatch(
            folder, self._engine.losses, {loss: {n: shapes[n] for n in held} for loss, held in names.items()}
        )

    def gradients(self) -> Iterator[tuple[str, str, Any, float]]:
        """Loss, variable, its gradient for the last batch, and what clipping multiplies it with."""
        # A compiled loop has its batches on the device; it draws one for us.
        batch = self._loop.batch() if hasattr(self._loop, "batch") and self._engine.updates else self.books.batch
        if batch is None:
            return
        for loss in self._engine.losses:
            _, found = self._engine.gradients(loss.name, {**batch, "remaining": np.float32(1.0)})
            norm = float(np.sqrt(sum(float(np.sum(np.square(g))) for g in found.values())))
            for name, gradient in found.items():
                yield loss.name, name, gradient, scale(loss, norm)

    def last_steps(self) -> dict[str, dict[str, LastStep]]:
        """For each loss how far its last update moved each variable."""
        state, left = self._engine.state(), float(remaining(self.steps, self.plan.steps))
        names = {loss: self._engine.variable_names(loss.name) for loss in self._engine.losses}
        return {loss.name: last_steps(loss, held, state, left) for loss, held in names.items()}

    def save(self, path: Path) -> None:
        """Everything, so that `load` goes on where this was."""
        arrays = {f"loop/{k}": v for k, v in self._loop.state().items()}
        arrays.update({f"books/{k}": v for k, v in self.books.state().items()})
        arrays.update(randomness.state())
        checkpoint.write(path, {**arrays, **self._policy()}, {**self._facts(), "rng": self._rng.bit_generator.state})

    def save_policy(self, path: Path) -> None:
        """What acting needs, without the memory of how it was learned."""
        moments = {k: v for k, v in self._loop.state().items() if k == "steps" or k.startswith("moments/")}
        checkpoint.write(path, {**{f"loop/{k}": v for k, v in moments.items()}, **self._policy()}, self._facts())

    def load(self, path: Path) -> None:
        """Put back what `save` kept, then begin new episodes as the run that went on did."""
        arrays, facts = checkpoint.read(path)
        resuming.check_facts(path, facts, self._facts())
        self._engine.load(resuming.fitting(path, _part(arrays, "engine/"), self._engine.state()))
        self._loop.load(_part(arrays, "loop/"))
        self.books.load(_part(arrays, "books/"))
        self._rng.bit_generator.state = facts["rng"]
        randomness.load(arrays)
        self._checked = self._checked or self._engine.updates > 0
        self.restart()

    def write_back(self) -> None:
        """Give the networks the weights that the engine holds."""
        self._engine.write_back()

    def __enter__(self) -> Trainer:
        return self

    def __exit__(self, *_: object) -> None:
        for lanes in (self._lanes, self._evaluation):
            if lanes is not None:
                lanes.close()
        self._ending()

    def at_end(self, ending: Callable[[], None]) -> None:
        """What is left to end when this is over."""
        self._ending = ending

    def mend(self, reason: str) -> None:
        """Learners were lost in the middle of an update: have new ones. A checkpoint has to be loaded then."""
        if isinstance(self._engine, SharedEngine):
            self._engine.mend(reason)

    def _policy(self) -> dict[str, Any]:
        return {f"engine/{k}": v for k, v in self._engine.state().items()}

    def _facts(self) -> dict[str, Any]:
        return {
            "agent": self.agent.NAME,
            "settings": settings(self.agent),
            "plan": self.plan.as_data(),
            "backend": keras.backend.backend(),
        }


def make_trainer(
    agent: Agent, plan: Plan, env: str | Callable[..., Any] | None, networks: Mapping[str, Any] | None = None
) -> Trainer:
    """Environments, networks, engine and loop for an agent, all from the plan's seed."""
    count = getattr(agent, "lanes", 1)
    dataset = None
    lanes = evaluation = None
    if env is not None:
        most = 10 if find_world(env, plan.env_options) is None else 1024  # games of ours step together
        evaluation = make_lanes(env, min(most, plan.evaluate_episodes), judging=True, **plan.env_options)
        if not isinstance(agent, Offline) and not plan.workers:
            lanes = make_lanes(env, count, processes=plan.processes, **plan.env_options)
    if isinstance(agent, Offline):
        if plan.workers:
            raise BadPlan(f"{agent.NAME} learns from a dataset: workers would have nothing to collect")
        if plan.dataset is None:
            raise BadPlan(
                f"{agent.NAME} learns from a dataset: train(…, dataset='data.npz') (whygrad collect makes one)"
            )
        dataset = read_dataset(plan.dataset)
    elif plan.dataset is not None:
        raise BadPlan(f"{agent.NAME} learns from environments, not from a dataset")
    if lanes is not None:
        spaces = lanes.spaces
    elif evaluation is not None and dataset is None:
        spaces = evaluation.spaces  # training happens elsewhere
    elif dataset is not None:
        # What the environment says comes first: a file may not know its actions' bounds, or not show every choice.
        spaces = evaluation.spaces if evaluation is not None else dataset.spaces
        check_fits(dataset, spaces)
    else:
        raise BadPlan(f"{agent.NAME} needs an environment: train({type(agent).__name__}(), 'CartPole-v1', …)")
    check_supported(agent, spaces)
    rng = np.random.Generator(np.random.PCG64(plan.seed))
    randomness.begin(plan.seed)
    with precision(plan.precision):
        engine: Any = engine_class()(agent, build(agent, spaces, networks), spaces, compiled=plan.compile)
    with ExitStack() as elsewhere:
        if plan.learners > 1:
            engine = shared_engine(agent, engine, networks, spaces, plan, elsewhere)
        if plan.workers:
            loop = cluster_loop(agent, engine, env, networks, spaces, rng, plan, elsewhere)
        else:
            loop = _loop(agent, engine, lanes, dataset, spaces, rng, plan)
        trainer = Trainer(agent, plan, engine, loop, rng, lanes, evaluation)
        trainer.at_end(elsewhere.pop_all().close)
    return trainer


def _loop(
    agent: Agent, engine: Engine, lanes: Any, dataset: Any, spaces: Spaces, rng: np.random.Generator, plan: Plan
) -> Any:
    if isinstance(lanes, WorldLanes) and plan.learners == 1:
        found = compiled_loop(agent, engine, lanes.world, plan)
        if found is not None:
            return found
    if isinstance(agent, OffPolicy):
        return ReplayLoop(agent, engine, lanes, rng, plan.steps)
    if isinstance(agent, OnPolicy):
        return RolloutLoop(agent, engine, lanes, rng, plan.steps, plan.seed)
    if isinstance(agent, Offline):
        return DatasetLoop(agent, engine, dataset, spaces, rng, plan.steps)
    raise TypeError(
        f"{type(agent).__name__} does not say how it learns: inherit from OffPolicy (a replay memory), OnPolicy "
        "(rollouts) or Offline (a dataset)"
    )


def read_agent(kept: Mapping[str, Any]) -> Agent:
    """The agent of a run folder, from the catalogue."""
    for kind in AGENTS:
        if kept["agent"] == kind.NAME:
            return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in kept["settings"].items()})
    raise BadPlan(
        f"this run trained {kept['agent']!r}, which is not one of whygrad's own agents: give it, resume(path, agent=…)"
    )


def _part(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {key.removeprefix(prefix): value for key, value in arrays.items() if key.startswith(prefix)}
