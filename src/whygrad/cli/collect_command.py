"""whygrad collect: a dataset file from the agent of a run, from random actions, or from both."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whygrad.cli import backends
from whygrad.cli.evaluate_command import add_checkpoint
from whygrad.cli.files import check_writable
from whygrad.cli.numbers import at_least
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences

if TYPE_CHECKING:
    from whygrad.rl.dataset import Dataset

NAME = "collect"

DESCRIPTION = """\
Step an environment with the agent of a run, with random actions or with a
mixture of both, and write what happened to a file that an offline algorithm
learns from. The same seed gives the same file.
"""

ENDINGS = (".npz", ".h5", ".hdf5")


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="make a dataset for offline learning",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--env", metavar="ID", help="a Gymnasium environment (default: the run's)")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--run", dest="run_folder", metavar="RUN", help="act as the agent of this run")
    who.add_argument("--random", action="store_true", help="act at random")
    add_checkpoint(parser)
    parser.add_argument("--mix", type=_share, metavar="P", help="share of random steps, in whole episodes (default: 0)")
    parser.add_argument("--steps", type=at_least(1), required=True, metavar="N", help="transitions to write")
    parser.add_argument("--seed", type=at_least(0), default=0, metavar="S", help="of all random numbers (default: 0)")
    parser.add_argument("--out", required=True, metavar="FILE", help="where to: .npz, .h5 or .hdf5")
    backends.add_option(parser, "$KERAS_BACKEND, else the first installed of jax, torch, tensorflow")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Check what was asked, collect and write."""
    if Path(options.out).suffix.lower() not in ENDINGS:
        return fail(f"a dataset is written as {', '.join(ENDINGS)}, got {options.out!r}.")
    if options.random and options.env is None:
        return fail("random actions in which environment? Add --env CartPole-v1.")
    if options.random and (options.mix is not None or options.checkpoint is not None):
        return fail("--mix and --checkpoint go with --run; with --random all steps are random.")
    trouble = check_writable(options.out, "dataset") or backends.missing()
    if trouble is None and not options.random:
        trouble = backends.choose(options.backend)
    return fail(trouble) if trouble else in_sentences(partial(_collect, options))


def _collect(options: argparse.Namespace) -> int:
    from whygrad.rl.dataset import write_dataset

    dataset = _random(options) if options.random else _of_run(options)
    write_dataset(options.out, dataset)
    facts, mean = dataset.facts, dataset.facts["mean_return"]
    score = "no episode ended" if mean is None else f"{facts['episodes']:,} episodes, mean return {mean:.1f}"
    say(f"{len(dataset):,} steps of {dataset.env} ({facts['random_steps']:,} random), {score}: {options.out}")
    return 0


def _random(options: argparse.Namespace) -> Dataset:
    from whygrad.rl.collecting import collect

    return collect(options.env, options.steps, seed=options.seed)


def _of_run(options: argparse.Namespace) -> Dataset:
    from whygrad.rl.collecting import collect
    from whygrad.rl.restoring import restore

    with restore(options.run_folder, options.checkpoint, env=options.env) as restored:
        own = options.env is None
        return collect(
            options.env or restored.plan.env or "",  # a run without one cannot be restored
            options.steps,
            policy=restored.policy,
            mix=options.mix or 0.0,
            seed=options.seed,
            env_options=restored.plan.env_options if own else None,
        )


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise argparse.ArgumentTypeError(f"a share is a number from 0 to 1, got {text!r}")
    return share
