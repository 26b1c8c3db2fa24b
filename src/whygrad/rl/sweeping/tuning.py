"""Ray Tune runs the trainings of a sweep: which is next, where, and how often one whose process dies is tried again.

Nothing else imports Tune. What came of a training lies in the sweep's folder, written by the training itself, so that
Tune's own records are never needed to go on: a sweep that goes on gives Tune what has no outcome yet.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from whygrad.rl.cluster.joining import NoCluster
from whygrad.rl.sweeping.halving import Halving
from whygrad.rl.sweeping.progress import SweepProgress
from whygrad.rl.sweeping.sweep_folder import Asked, SweepFolder, Trial

_TRIES = 2
"""How often a training whose process died is begun again, from its last checkpoint."""
_QUIET = {
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",  # the runs have their own logs
    "RAY_AIR_NEW_OUTPUT": "0",  # the newer of its two ways to print cannot be silenced
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
    "TUNE_WARN_EXCESSIVE_EXPERIMENT_CHECKPOINT_SYNC_THRESHOLD_S": "0",
    "RAY_TRAIN_ENABLE_V2_MIGRATION_WARNINGS": "0",
}

_ONE_THREAD = {"OMP_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}
"""A training has one CPU; threads would take those of the others."""


def tune_trials(
    ray: Any,
    folder: SweepFolder,
    asked: Asked,
    trials: Sequence[Trial],
    halving: Halving,
    task: Any,
    parallel: int | None,
    progress: SweepProgress,
) -> None:
    """Have these trainings run; returns when all are over, or after Ctrl-C."""
    with _quietly():
        from ray import tune
        from ray.tune.progress_reporter import TrialProgressCallback
        from ray.tune.schedulers import FIFOScheduler
        from ray.tune.search import Searcher

        waiting = list(trials)

        class InOrder(Searcher):  # type: ignore[misc]
            """The trials in their order, without those of configurations that were stopped."""

            def suggest(self, trial_id: str) -> Any:
                while waiting:
                    one = waiting.pop(0)
                    if one.configuration not in halving.stopped:
                        return {"configuration": one.configuration, "seed": one.seed}
                return Searcher.FINISHED

            def on_trial_complete(self, trial_id: str, result: Any = None, error: bool = False) -> None:
                """There is nothing to learn for those that follow."""

        class Judging(FIFOScheduler):  # type: ignore[misc]
            """Halving. A stopped training is not killed: it finds a file, and ends in its own time."""

            def on_trial_result(self, tune_controller: Any, trial: Any, result: dict[str, Any]) -> str:
                if "step" in result:
                    one = _trial(trial)
                    found = halving.told(one.configuration, one.seed, result["step"], result["return"])
                    if found is not None:
                        folder.write_stopped(asked, found)
                        never = [one for one in waiting if one.configuration == found.configuration]
                        progress.stopped(found, len(never))
                return str(FIFOScheduler.CONTINUE)

        class Telling(TrialProgressCallback):  # type: ignore[misc]
            """What is seen of it. In the place of Tune's own, which prints a line even where it is told not to."""

            def on_step_begin(self, iteration: int, trials: Any, **info: Any) -> None:
                progress.tick()

            def on_trial_start(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:
                progress.began(_trial(trial))

            def on_trial_result(self, iteration: int, trials: Any, trial: Any, result: Any, **info: Any) -> None:
                if "step" in result:
                    progress.evaluated(_trial(trial), result["step"], result["return"])

            def on_trial_complete(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:
                progress.ended(_trial(trial), folder.outcome(asked, _trial(trial)))

            def on_trial_error(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:
                from whygrad.rl.sweeping.trials import given_up

                given_up(folder, asked, _trial(trial), _reason(trial))
                progress.ended(_trial(trial), folder.outcome(asked, _trial(trial)))

        room = int(ray.cluster_resources().get("CPU", 0))
        if room < 1:
            raise NoCluster("a training takes one CPU, and the cluster has none: `ray start` with --num-cpus 1 or more")
        tuner = tune.Tuner(
            tune.with_resources(_trainable(ray.cloudpickle.dumps(task), asked.backend), {"cpu": 1}),
            tune_config=tune.TuneConfig(
                search_alg=InOrder(),
                scheduler=Judging(),
                num_samples=len(trials),
                max_concurrent_trials=min(parallel or room, len(trials)),
                trial_dirname_creator=lambda trial: f"{trial.trial_id}",
            ),
            run_config=tune.RunConfig(
                name=_next_name(folder.path / "tune"),
                storage_path=str(folder.path / "tune"),
                callbacks=[Telling()],
                failure_config=tune.FailureConfig(max_failures=_TRIES),
                verbose=0,
            ),
        )
        tuner.fit()


def _trainable(task: bytes, backend: str) -> Callable[[dict[str, Any]], None]:
    """What Tune calls in a process of its own. The framework is chosen there before anything of ours is imported."""
    here, paths = os.getcwd(), [path for path in sys.path if path]
    shared = {
        name: os.environ[name]
        for name in ("TF_CPP_MIN_LOG_LEVEL", "XLA_PYTHON_CLIENT_PREALLOCATE")
        if name in os.environ
    }

    def train_one(config: dict[str, Any]) -> None:
        os.environ.update(shared, KERAS_BACKEND=backend, **_ONE_THREAD)
        sys.path += [path for path in paths if path not in sys.path]
        if os.path.isdir(here):
            os.chdir(here)
        from ray import cloudpickle, tune

        given = cloudpickle.loads(task)
        from whygrad.rl.sweeping.trials import run_trial

        run_trial(given, Trial(**config), lambda step, value: tune.report({"step": step, "return": value}))

    return train_one


def _trial(trial: Any) -> Trial:
    return Trial(trial.config["configuration"], trial.config["seed"])


def _reason(trial: Any) -> str:
    """Why Tune gave a training up, in a sentence."""
    try:
        said = str(trial.get_pickled_error() or "")
    except Exception:
        said = ""
    if "died" in said or not said:
        return f"its process ended without a word, {_TRIES + 1} times: out of memory, or ended from outside"
    return " ".join(said.split())[:500]


def _next_name(folder: Path) -> str:
    """Tune keeps a record of each time that the sweep was started."""
    return f"{len(list(folder.glob('*'))) + 1}" if folder.is_dir() else "1"


@contextmanager
def _quietly() -> Iterator[None]:
    """Tune's remarks are for people who call it themselves; ours says the same in fewer lines."""
    before = {name: os.environ.get(name) for name in _QUIET}
    os.environ.update(_QUIET)
    import ray._private.worker as inside

    # A process that died is told in half a page on standard output; we say it in a line.
    printing = inside.print_to_stdstream
    inside.print_to_stdstream = lambda *_, **__: None
    loggers = [logging.getLogger(name) for name in ("ray.tune", "ray.train", "ray.air")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"ray(\.|$)")
            yield
    finally:
        inside.print_to_stdstream = printing
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
