"""whygrad sweep: the same training with other settings and seeds, on Ray Tune."""

from __future__ import annotations

import argparse
import importlib.util
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whygrad.cli import agent_settings, algorithms, backends, own_agents, sweep_axes, sweep_table
from whygrad.cli.env_options import parse_options
from whygrad.cli.narrow_table import terminal_width
from whygrad.cli.numbers import at_least
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences
from whygrad.cli.resumed import said_anew
from whygrad.trainings.presets import preset, preset_steps

if TYPE_CHECKING:
    from whygrad.rl.sweeping.results import Swept
    from whygrad.rl.sweeping.sweep_folder import Asked, SweepFolder

NAME = "sweep"

DESCRIPTION = """\
Train an agent with other settings and seeds, many at a time (on Ray Tune), and
say how the returns depend on them: a table and a picture with the spread over
seeds, and what went wrong in which training. Ctrl-C stops it; --resume goes on.
"""

USAGE = """\
whygrad sweep ALGO --env ID --over lr=1e-4..1e-2 --over seed=1..5
                     [--steps N] [--samples K] [--set FIELD=VALUE ...] [options]
       whygrad sweep --resume SWEEP"""

EPILOG = """\
what to sweep over:
  seed=1..5               repeats every configuration with these seeds
  lr=1e-4..1e-2           a range: --samples values are drawn from it, evenly over
                          powers of ten, as it spans ten times or more (lr is
                          learning_rate)
  gamma=0.9..0.999        the same, evenly
  n_step=1..5             up to ten whole numbers: all of them
  hidden=64,64/256,256    a list: each of them
Lists are combined with lists; all ranges are drawn together.
"""

_NEW_ONLY = (
    "env", "over", "steps", "samples", "sweep_seed", "set", "env_set", "no_preset", "dataset", "root", "no_early_stop",
    "grace", "evaluate_every", "evaluate_episodes", "checkpoint_every", "no_tensorboard", "no_check",
)  # fmt: skip
"""Options that a sweep keeps from its beginning."""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="train with many settings and seeds, and compare",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=USAGE,
        allow_abbrev=False,
    )
    number, count = at_least(0), at_least(1)
    parser.add_argument("algorithm", metavar="ALGO", nargs="?", help="which algorithm, or your own as module:Class")
    parser.add_argument("--env", metavar="ID", help="a Gymnasium environment: CartPole-v1, my_package:Mine-v0")
    parser.add_argument("--over", metavar="FIELD=VALUES", nargs="+", action="extend", help="what to vary; see below")
    parser.add_argument("--steps", type=count, metavar="N", help="of each training (default: the preset's)")
    parser.add_argument("--samples", type=count, metavar="K", help="values to draw from ranges (default: 5)")
    parser.add_argument("--sweep-seed", type=number, metavar="S", help="what the drawn values follow from (default: 0)")
    backends.add_option(parser, f"{backends.DEFAULT}; --resume: the sweep's")
    parser.add_argument(
        "--set", metavar="FIELD=VALUE", nargs="+", action="extend", help="settings that all trainings have"
    )
    parser.add_argument(
        "--env-set", metavar="NAME=VALUE", nargs="+", action="extend", help="options of the environment: height=10"
    )
    parser.add_argument("--no-preset", action="store_true", help="begin with the algorithm's own defaults")
    parser.add_argument("--parallel", type=count, metavar="N", help="trainings at a time (default: one for each CPU)")
    parser.add_argument("--ray", metavar="ADDRESS", help="a Ray cluster, host:port (default: this machine alone)")
    parser.add_argument("--no-early-stop", action="store_true", help="train every configuration to the end")
    parser.add_argument("--grace", type=count, metavar="N", help="steps before any is stopped (default: a quarter)")
    parser.add_argument("--dataset", metavar="FILE", help="what an offline algorithm (cql) learns from")
    parser.add_argument("--root", metavar="DIR", help="where the sweep's folder is made (default: runs)")
    parser.add_argument("--evaluate-every", type=count, metavar="N", help="steps between evaluations")
    parser.add_argument("--evaluate-episodes", type=count, metavar="N", help="episodes of an evaluation (default: 10)")
    parser.add_argument("--checkpoint-every", type=number, metavar="N", help="steps between checkpoints; 0: never")
    parser.add_argument("--no-tensorboard", action="store_true", help="write no files for TensorBoard")
    parser.add_argument("--no-check", action="store_true", help="do not check what each loss trains")
    parser.add_argument("--quiet", action="store_true", help="no progress; only what came of it")
    parser.add_argument("--resume", metavar="SWEEP", help="go on with this sweep")
    parser.add_argument("--retry", action="store_true", help="with --resume: try those again that failed")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """A new sweep, or the rest of an old one."""
    if importlib.util.find_spec("ray") is None:
        return fail("sweeps run on Ray, which is not installed here: pip install 'whygrad[ray]'")
    if options.resume is not None:
        return _resume(options)
    name = options.algorithm
    if options.retry:
        return fail("--retry is for a sweep that is resumed: whygrad sweep --resume SWEEP --retry")
    if name is None:
        names = ", ".join(algorithms.algorithms())
        return fail(f"which algorithm? One of {names}: whygrad sweep dqn --env CartPole-v1 --over lr=1e-4..1e-2")
    if ":" not in name and name not in algorithms.algorithms():
        return fail(algorithms.unknown(name))
    if options.env is None:
        return fail(f"on which environment? whygrad sweep {name} --env CartPole-v1 --over lr=1e-4..1e-2")
    if not options.over:
        return fail("over what? --over lr=1e-4..1e-2 --over seed=1..5")
    trouble = backends.get_ready(options.backend)
    return fail(trouble) if trouble else in_sentences(partial(_sweep, options))


def _sweep(options: argparse.Namespace) -> int:
    from whygrad.rl.sweeping.axes import check_axes
    from whygrad.rl.sweeping.sweep import SAMPLES, start

    name, env = options.algorithm, options.env
    module = env.rpartition(":")[0]
    if module and not backends.installed(module):
        return fail(f"there is no module {module!r} to find {env} in.")
    kind = own_agents.find(name)
    fixed = agent_settings.parse(kind, options.set or [])
    axes = sweep_axes.parse(kind, options.over)
    check_axes(axes, fixed)
    known = {} if options.no_preset else preset(name, env)
    steps = options.steps or (None if options.no_preset else preset_steps(name, env))
    if steps is None:
        return fail(f"for how many steps? Without a preset for {name} on {env} it has to be said: --steps 100_000")
    swept = start(
        own_agents.make(kind, {**known, **fixed}),
        env,
        axes=axes,
        steps=steps,
        samples=options.samples or SAMPLES,
        sweep_seed=options.sweep_seed or 0,
        early_stop=not options.no_early_stop,
        grace=options.grace,
        parallel=options.parallel,
        ray=options.ray,
        dataset=options.dataset,
        root=options.root,
        quiet=options.quiet,
        called=name,
        begun=partial(_announce, options.quiet),
        plan={
            "evaluate_every": options.evaluate_every,
            "evaluate_episodes": options.evaluate_episodes,
            "checkpoint_every": options.checkpoint_every,
            "tensorboard": False if options.no_tensorboard else None,
            "check": False if options.no_check else None,
            "env_options": parse_options(env, options.env_set or []) or None,
        },
    )
    return _ended(swept)


def _announce(quiet: bool, folder: SweepFolder, asked: Asked) -> None:
    if quiet:
        return
    counts = _count(len(asked.configurations), "configuration"), _count(len(asked.seeds), "seed")
    say(f"{' × '.join(counts)} of {asked.agent} on {asked.env}, {asked.steps:,} steps each")
    say(f"sweep folder     {_shown(folder.path)}")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def _shown(path: Path) -> str:
    """As short as it can be typed from here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _resume(options: argparse.Namespace) -> int:
    trouble = said_anew(options, NAME, _NEW_ONLY, "sweep", "sweep") or backends.missing()
    return fail(trouble) if trouble else in_sentences(partial(_go_on, options))


def _go_on(options: argparse.Namespace) -> int:
    from whygrad.rl.sweeping.sweep_folder import SweepFolder

    asked = SweepFolder.open(options.resume).asked()
    if options.backend not in (None, asked.backend):
        return fail(f"this sweep runs on {asked.backend}; on another backend its trainings could not be compared.")
    trouble = backends.choose(None, asked.backend)
    if trouble:
        return fail(trouble)
    from whygrad.rl.sweeping.sweep import resume_sweep

    swept = resume_sweep(
        options.resume,
        agent=own_agents.find(asked.agent),
        retry=options.retry,
        parallel=options.parallel,
        ray=options.ray,
        quiet=options.quiet,
    )
    return _ended(swept)


def _ended(swept: Swept) -> int:
    width = terminal_width()
    for line in sweep_table.lines(swept, width):
        say(line)
    wrong = sweep_table.findings(swept, width)
    if wrong:
        say("\nwhat went wrong (whygrad explain CODE says more):")
        for line in wrong:
            say(line)
    path = _shown(swept.path)
    here = shlex.quote(path)
    say(f"\nresults          {path}/results.json")
    if importlib.util.find_spec("matplotlib") is None:
        say("picture          none: pip install 'whygrad[plot]', then whygrad sweep --resume draws it")
    elif (swept.path / "results.png").exists():
        say(f"picture          {path}/results.png (and .svg)")
    say(f"to look at runs  whygrad view {here}")
    if not swept.complete:
        fail(f"stopped with {_count(len(swept.left), 'training')} to go; go on with: whygrad sweep --resume {here}")
        return 130
    if not any(row.ended for row in swept.rows):
        fail("no training ran to its end")
        return 1
    return 0
