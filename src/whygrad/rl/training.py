"""`train`: from an agent and an environment to a run folder with everything in it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whygrad.live.run_folder import RunFolder
from whygrad.rl.agent import Agent, settings
from whygrad.rl.cluster.crew import WorkersFailed
from whygrad.rl.cluster.learners import LearnerLost
from whygrad.rl.device import on_device, versions
from whygrad.rl.evaluation import Scores
from whygrad.rl.interrupts import Interrupts
from whygrad.rl.plan import Plan
from whygrad.rl.progress import Progress
from whygrad.rl.resuming import check_agent
from whygrad.rl.time_share import TimeShare
from whygrad.rl.trainer import Trainer, make_trainer, read_agent
from whygrad.rl.watched import AgentWatch

_HISTOGRAMS = 0.03
"""The share of the time that histograms of gradients may take: each needs the gradients computed once more."""

if TYPE_CHECKING:
    from whygrad.live.tensorboard_file import TensorBoardFile


Told = Callable[[int, Scores], Any]
"""What is told of every evaluation: the step and the scores. True ends the training."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What a training leaves behind."""

    path: Path
    """The run folder."""
    steps: int
    finished: bool
    """False when it was interrupted; `resume` goes on."""
    scores: Scores | None
    """The last evaluation."""
    best: Scores | None
    """The best one."""
    networks: Mapping[str, Any]
    """With the last weights."""


def train(
    agent: Agent,
    env: str | Callable[..., Any] | None,
    *,
    steps: int,
    seed: int = 0,
    networks: Mapping[str, Any] | None = None,
    dataset: str | Path | None = None,
    root: str | Path | None = None,
    device: str | None = None,
    quiet: bool | None = None,
    told: Told | None = None,
    **options: Any,
) -> Trained:
    """Train an agent and return what came of it.

    `env` is a Gymnasium id or a function that makes an environment. `networks` are your own, by the agent's names for
    them. `told` is called after every evaluation with the step and the scores; when it returns True the training ends.
    `options` are the fields of `Plan`: `evaluate_every`, `checkpoint_every`, `processes`, `env_options`, …

    ```python
    trained = train(DQN(double=True), "CartPole-v1", steps=50_000)
    print(trained.best.mean, trained.path)
    ```
    """
    agent.check()
    known = env if isinstance(env, str) or env is None else None
    plan = Plan(env=known, steps=steps, seed=seed, dataset=None if dataset is None else str(dataset), **options)
    with on_device(device):
        trainer = make_trainer(agent, plan, env=env, networks=networks)
        with trainer:
            folder = RunFolder.create(f"{agent.NAME}-{plan.env or 'env'}-{seed}", root)
            folder.write_settings(
                {"agent": agent.NAME, "settings": settings(agent), "plan": plan.as_data(), "versions": versions()}
            )
            with folder.alone():
                trainer.restart()
                return _go_on(trainer, folder, quiet, told)


def resume(
    path: str | Path,
    *,
    agent: Agent | None = None,
    env: Callable[..., Any] | None = None,
    networks: Mapping[str, Any] | None = None,
    steps: int | None = None,
    device: str | None = None,
    quiet: bool | None = None,
    told: Told | None = None,
    **options: Any,
) -> Trained:
    """Go on with a run from its last checkpoint.

    An agent, an environment or networks of your own have to be given again: only their settings and weights are kept.
    `steps` is a new total. `options` are `ray`, `worker_cpus`, `max_lag` and `patience`, which may be others than
    before, as the cluster may be another one. On the CPU, and with the same total, a run that was killed ends as if it
    had never stopped. One that was stopped with Ctrl-C has a checkpoint where others have none; it begins new episodes
    there.
    """
    folder = RunFolder.open(path)
    kept = folder.settings()
    if agent is not None:
        check_agent(folder.path, kept, agent)
    plan = replace(Plan.from_data(kept["plan"]).until(steps), **options)
    with on_device(device), folder.alone():
        trainer = make_trainer(agent or read_agent(kept), plan, env=env or plan.env, networks=networks)
        with trainer:
            if folder.last.exists():
                trainer.load(folder.last)
            else:
                trainer.restart()  # killed before its first checkpoint: from the start
            if steps is not None or options:
                folder.write_settings({**kept, "plan": plan.as_data()})
            folder.rewind(trainer.steps)
            return _go_on(trainer, folder, quiet, told, resumed=trainer.steps)


def _go_on(
    trainer: Trainer, folder: RunFolder, quiet: bool | None, told: Told | None, resumed: int | None = None
) -> Trained:
    """Rounds until the plan is fulfilled, with everything that happens now and then between them."""
    plan, books = trainer.plan, trainer.books
    began = time.perf_counter()
    with ExitStack() as stack:
        stack.callback(folder.close)
        interrupts = stack.enter_context(Interrupts())
        board = _board(folder, resumed) if plan.tensorboard else None
        if board is not None:
            stack.callback(board.close)
        watch = _watch(trainer, folder, resumed) if plan.watch else None
        if watch is not None:
            stack.callback(watch.close)
        bar = Progress(plan.steps, trainer.steps, quiet)
        stack.callback(bar.close)
        histograms = TimeShare(_HISTOGRAMS)
        lag: float | None = None
        late, reached, enough = False, books.reached(plan.stop_at), False
        if plan.learners > 1 and not folder.last.exists():
            trainer.save(folder.last)  # where to begin again when a learner is lost
        while trainer.steps < plan.steps and not (interrupts.asked or reached or late or enough):
            before = trainer.steps
            try:
                trainer.round()
            except WorkersFailed:
                _tell_news(trainer, folder, watch, quiet)
                trainer.save(folder.last)  # what was learned is not lost with who collected it
                raise
            except LearnerLost as lost:
                trainer.mend(str(lost))
                _tell_news(trainer, folder, watch, quiet)
                trainer.load(folder.last)
                folder.rewind(trainer.steps)
                if watch is not None:
                    watch.rewind(trainer.steps, trainer.updates)
                continue
            if watch is not None:
                watch.round(books.last, trainer.updates)
            late = plan.minutes is not None and time.perf_counter() - began > 60 * plan.minutes
            reached = books.reached(plan.stop_at)
            due = _due(before, trainer.steps, plan, reached or late)
            if plan.workers or plan.learners > 1:
                _tell_news(trainer, folder, watch, quiet)
            if due["log"]:
                lag = _log(trainer, folder, board, watch, began, histograms).get("policy_lag")
            if due["evaluate"]:
                scores = _evaluate(trainer, folder, board, watch)
                enough = told is not None and scores is not None and bool(told(trainer.steps, scores))
            if due["checkpoint"]:
                trainer.save(folder.last)
                trainer.restart()
            bar.update(trainer.steps, {**books.shown(), "lag": lag})
        if interrupts.asked:
            trainer.save(folder.last)
            bar.close()
            _say(f"Stopped at step {trainer.steps:,} and saved; go on with resume({str(folder.path)!r}).", quiet)
        elif reached and trainer.steps < plan.steps:
            bar.close()
            _say(f"A mean return of {plan.stop_at:g} over 100 episodes was reached at step {trainer.steps:,}.", quiet)
        trainer.write_back()
    finished = reached or late or enough or trainer.steps >= plan.steps
    return Trained(folder.path, trainer.steps, finished, books.scores, books.best, dict(trainer.networks))


def _say(sentence: str, quiet: bool | None) -> None:
    if not quiet:
        print(sentence, file=sys.stderr, flush=True)


def _tell_news(trainer: Trainer, folder: RunFolder, watch: AgentWatch | None, quiet: bool | None) -> None:
    """The run's record says what happened to whom."""
    for note in trainer.news():
        folder.note({"step": trainer.steps, "time": time.time(), **asdict(note)})
        if watch is not None:
            watch.note(trainer.updates, note.worker, note.kind, note.text)
        _say(f"\n{note.detail}{note.text}" if note.detail else f"\n{note.text}", quiet)


def _board(folder: RunFolder, resumed: int | None) -> TensorBoardFile:
    from whygrad.live.tensorboard_file import TensorBoardFile  # takes a moment to load; not everybody wants it

    return TensorBoardFile(folder.tensorboard, resumed=resumed)


def _due(before: int, now: int, plan: Plan, over: bool) -> dict[str, bool]:
    """What has its time between two steps. At the end everything has."""
    end = over or now >= plan.steps
    every = {"log": plan.log_every, "evaluate": plan.evaluate_every, "checkpoint": plan.checkpoint_every}
    return {k: n is not None and n > 0 and (before // n < now // n or end) for k, n in every.items()}


def _watch(trainer: Trainer, folder: RunFolder, resumed: int | None) -> AgentWatch:
    watch = trainer.watch(folder)
    if resumed is not None:
        watch.rewind(resumed, trainer.updates)
    return watch


def _log(
    trainer: Trainer,
    folder: RunFolder,
    board: TensorBoardFile | None,
    watch: AgentWatch | None,
    began: float,
    histograms: TimeShare,
) -> dict[str, float]:
    row = {**trainer.books.row(), **trainer.collecting()}
    folder.log({"step": trainer.steps, "seconds": round(time.perf_counter() - began, 3), **row})
    if watch is not None:
        watch.log(trainer.steps, row)
    if board is not None:
        board.scalars(trainer.steps, row)
        for name, (before, after) in trainer.books.norms().items():
            board.scalars(trainer.steps, {f"gradient_norm/{name}": before, f"clipped_gradient_norm/{name}": after})
    if not trainer.plan.histograms or (board is None and watch is None) or not histograms.allows():
        return row
    with histograms.spending():
        gradients = list(trainer.gradients())
        if watch is not None:
            watch.gradients(trainer.updates, gradients, trainer.last_steps())
        if board is not None:
            for _, name, gradient, left in gradients:
                board.histogram(trainer.steps, f"gradient/{name}", gradient)
                board.histogram(trainer.steps, f"clipped_gradient/{name}", gradient * np.float32(left))
    return row


def _evaluate(
    trainer: Trainer, folder: RunFolder, board: TensorBoardFile | None, watch: AgentWatch | None
) -> Scores | None:
    scores = trainer.evaluate()
    if scores is None:
        return None
    row = {"evaluation.return": scores.mean, "evaluation.deviation": scores.deviation}
    for name in scores.facts[0] if scores.facts else ():
        row[f"evaluation.{name}"] = float(np.mean([facts[name] for facts in scores.facts]))
    if scores.values:  # far above what came of it: the agent fools itself
        row["evaluation.value"] = float(np.mean(scores.values))
        row["evaluation.discounted_return"] = float(np.mean(scores.discounted))
    folder.log({"step": trainer.steps, **row, "evaluation.returns": list(scores.returns)})
    if watch is not None:
        watch.log(trainer.steps, row)
    if board is not None:
        board.scalars(trainer.steps, row)
    if trainer.books.judge(scores):
        trainer.save_policy(folder.best)
    return scores
