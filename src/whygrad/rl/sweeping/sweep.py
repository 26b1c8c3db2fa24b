"""`sweep`: from an agent, an environment and what to vary to a folder of runs, a table and a picture."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import keras

from whygrad.live.run_folder import RunFolder
from whygrad.rl.agent import Agent, settings
from whygrad.rl.catalogue import AGENTS
from whygrad.rl.cluster.joining import NoCluster, joined
from whygrad.rl.offline import Offline
from whygrad.rl.plan import BadPlan, Plan
from whygrad.rl.spaces import check_supported
from whygrad.rl.sweeping.axes import MOST, Axis, BadSweep, Between, check_axes, configurations, make_axis, seeds
from whygrad.rl.sweeping.halving import Halving, rungs
from whygrad.rl.sweeping.outcome import FAILED
from whygrad.rl.sweeping.progress import SweepProgress
from whygrad.rl.sweeping.results import Swept, results
from whygrad.rl.sweeping.shown import named
from whygrad.rl.sweeping.sweep_folder import Asked, SweepFolder
from whygrad.rl.sweeping.trials import Task
from whygrad.rl.worlds.making import make_lanes

SAMPLES = 5
"""Values that are drawn from ranges when nobody says how many."""


def sweep(
    agent: type[Agent] | Agent,
    env: str | Callable[..., Any] | None,
    *,
    over: Mapping[str, Iterable[Any] | Between],
    steps: int,
    samples: int = SAMPLES,
    sweep_seed: int = 0,
    early_stop: bool = True,
    grace: int | None = None,
    parallel: int | None = None,
    ray: str | None = None,
    dataset: str | Path | None = None,
    root: str | Path | None = None,
    quiet: bool | None = None,
    **options: Any,
) -> Swept:
    """Train an agent with every configuration and every seed, and return what came of it.

    `over` has a list of values or a range for each setting; `seed` is what repeats. `samples` values are drawn from
    ranges, always the same ones for the same `sweep_seed`. Configurations that do worse than half of the others are
    stopped early, first after `grace` steps (a quarter of the training). `options` are those of `train`.

    ```python
    swept = sweep(DQN, "CartPole-v1", over={"lr": between(1e-4, 1e-2), "seed": range(1, 6)}, steps=20_000)
    print(swept.best.settings, swept.best.mean, swept.best.deviation)
    ```
    """
    base = agent if isinstance(agent, Agent) else agent()
    axes = [make_axis(type(base), name, given) for name, given in over.items()]
    check_axes(axes, {})
    return start(
        base, env, axes=axes, steps=steps, samples=samples, sweep_seed=sweep_seed, early_stop=early_stop, grace=grace,
        parallel=parallel, ray=ray, dataset=dataset, root=root, quiet=quiet, plan=options,
    )  # fmt: skip


def resume_sweep(
    path: str | Path,
    *,
    agent: type[Agent] | Agent | None = None,
    env: Callable[..., Any] | None = None,
    retry: bool = False,
    parallel: int | None = None,
    ray: str | None = None,
    quiet: bool | None = None,
) -> Swept:
    """Go on with a sweep: what is over is not made again, what was under way goes on from its last checkpoint.

    `retry` tries those again that failed. An agent or an environment of your own has to be given again.
    """
    folder = SweepFolder.open(path)
    asked = folder.asked()
    kind = _kind(asked.agent) if agent is None else type(agent) if isinstance(agent, Agent) else agent
    base = kind(**asked.settings)
    if env is None and asked.env is None and asked.dataset is None:
        raise BadPlan("the environment of this sweep was given as a function: give it again, resume_sweep(path, env=…)")
    if retry:
        for trial in asked.trials():
            outcome = folder.outcome(asked, trial)
            if outcome is not None and outcome.state == FAILED:
                folder.forget_outcome(asked, trial)
    return _go_on(folder, asked, base, env or asked.env, parallel, ray, quiet)


def start(
    base: Agent,
    env: str | Callable[..., Any] | None,
    *,
    axes: list[Axis],
    steps: int,
    samples: int,
    sweep_seed: int,
    early_stop: bool,
    grace: int | None,
    parallel: int | None,
    ray: str | None,
    dataset: str | Path | None,
    root: str | Path | None,
    quiet: bool | None,
    plan: Mapping[str, Any],
    called: str | None = None,
    begun: Callable[[SweepFolder, Asked], None] = lambda folder, asked: None,
) -> Swept:
    """A new sweep over axes. `called` is a name that finds the agent's class again; `begun` is told of the folder."""
    if samples < 1:
        raise BadSweep(f"samples is a whole number, 1 or more, got {samples!r}")
    found = configurations(axes, samples, sweep_seed)
    repeated = seeds(axes)
    if len(found) * len(repeated) > MOST:
        raise BadSweep(f"these are {len(found) * len(repeated):,} trainings; a sweep has at most {MOST:,}")
    for one in found:
        _check(base, one)
    known = env if isinstance(env, str) or env is None else None
    given = {k: v for k, v in plan.items() if v is not None}
    where = None if dataset is None else str(Path(dataset).absolute())
    asked_plan = Plan(env=known, steps=steps, dataset=where, **given)
    if not asked_plan.evaluate_every:
        raise BadPlan("a sweep compares evaluations: evaluate_every cannot be 0")
    _check_environment(base, env, asked_plan)
    asked = Asked(
        agent=called or base.NAME,
        settings=settings(base),
        env=known,
        steps=steps,
        backend=keras.backend.backend(),
        axes=tuple(axes),
        samples=samples,
        sweep_seed=sweep_seed,
        configurations=tuple(found),
        seeds=repeated,
        rungs=rungs(steps, grace) if early_stop and len(found) > 1 else (),
        dataset=where,
        plan=given,
    )
    folder = SweepFolder.create(asked, root)
    begun(folder, asked)
    return _go_on(folder, asked, base, env, parallel, ray, quiet)


def _go_on(
    folder: SweepFolder,
    asked: Asked,
    base: Agent,
    env: str | Callable[..., Any] | None,
    parallel: int | None,
    ray: str | None,
    quiet: bool | None,
) -> Swept:
    if ray is not None and ray.startswith("ray://"):
        raise NoCluster(f"a sweep joins a cluster from one of its machines: give host:port instead of {ray}")
    with RunFolder(folder.path).alone():
        before = results(folder, asked)
        if before.left:
            from whygrad.rl.sweeping.tuning import tune_trials

            halving = _halving(before)
            left = set(before.left)
            waiting = [trial for trial in asked.trials() if trial in left]
            over = sum(folder.outcome(asked, trial) is not None for trial in asked.trials())
            progress = SweepProgress(asked, over + len(waiting), over, quiet)
            task = Task(folder.path, base, env)
            try:
                with joined(ray) as connected:
                    tune_trials(connected, folder, asked, waiting, halving, task, parallel, progress)
            finally:
                progress.close()
        found = results(folder, asked)
        folder.write_results(found.as_data())
        draw_results(found)
    return found


def draw_results(swept: Swept) -> tuple[Path, ...]:
    """`results.png` and `results.svg`; nothing without matplotlib, or without anything to draw."""
    if importlib.util.find_spec("matplotlib") is None or not any(row.curve() for row in swept.rows):
        return ()
    from whygrad.rl.sweeping.sweep_plot import draw

    files = tuple(swept.path / f"results.{kind}" for kind in ("png", "svg"))
    for file in files:
        draw(swept, file)
    return files


def _halving(before: Swept) -> Halving:
    """What is known at each rung already, from the runs themselves."""
    halving = Halving(before.asked.rungs)
    for row in before.rows:
        if row.stopped is not None:
            halving.stopped[row.configuration] = row.stopped
        for seed in row.seeds:
            for step, value in seed.points:
                halving.told(row.configuration, seed.seed, step, value, judge=False)
    return halving


def _check(base: Agent, configuration: Mapping[str, Any]) -> None:
    try:
        replace(base, **configuration).check()  # type: ignore[type-var]
    except (ValueError, TypeError) as error:
        raise BadSweep(f"{named(configuration, ' ') or 'the agent'} cannot be trained: {error}") from error


def _check_environment(base: Agent, env: str | Callable[..., Any] | None, plan: Plan) -> None:
    """What would go wrong in every training is said before the first."""
    if isinstance(base, Offline):
        if plan.dataset is None or env is None:
            raise BadPlan(f"{base.NAME} learns from a dataset and is judged on an environment: give both")
    elif env is None:
        raise BadPlan(f"{base.NAME} needs an environment: sweep({type(base).__name__}, 'CartPole-v1', …)")
    lanes = make_lanes(env, 1, **plan.env_options)
    try:
        check_supported(base, lanes.spaces)
    finally:
        lanes.close()


def _kind(name: str) -> type[Agent]:
    for kind in AGENTS:
        if name == kind.NAME:
            return kind
    raise BadPlan(f"this sweep trains {name!r}, which is not one of whygrad's own agents: give it, agent=…")
