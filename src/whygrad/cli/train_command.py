"""whygrad train: train an agent on a Gymnasium environment, or go on with a training."""

from __future__ import annotations

import argparse
import shlex
import shutil
from functools import partial
from typing import TYPE_CHECKING, Any

from whygrad.cli import agent_settings, algorithms, backends
from whygrad.cli.env_options import parse_options
from whygrad.cli.numbers import at_least
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences
from whygrad.cli.resumed import said_anew
from whygrad.trainings.presets import preset, preset_envs, preset_steps
from whygrad.trainings.recipes import Recipe, find_recipe, recipe_names

if TYPE_CHECKING:
    from whygrad.rl.agent import Agent
    from whygrad.rl.training import Trained

NAME = "train"

DESCRIPTION = """\
Train an agent, with presets for the classic-control environments. Everything
about the training lies in one folder: settings, metrics, checkpoints,
TensorBoard's files. Ctrl-C stops it with a checkpoint; --resume goes on.
"""

USAGE = """\
whygrad train ALGO --env ID [--steps N] [--seed S] [--backend B]
                     [--set FIELD=VALUE ...] [options]
       whygrad train RECIPE [options]
       whygrad train --resume RUN [--steps N] [--backend B]
       whygrad train ALGO --help"""

_NEW_ONLY = (
    "env", "seed", "set", "env_set", "stop_at", "minutes", "processes", "workers", "learners", "dataset", "precision",
    "compile", "root", "evaluate_every", "evaluate_episodes", "checkpoint_every", "no_tensorboard", "no_check",
    "no_preset",
)  # fmt: skip
"""Options that a run keeps from its beginning."""

_ANEW = ("ray", "worker_cpus", "max_lag", "patience")
"""Those that may be others when it goes on: the cluster may be another one."""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="train an agent on TensorFlow, PyTorch or JAX",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=USAGE,
        allow_abbrev=False,
        add_help=False,  # ours also lists algorithms, or the settings of one
    )
    number, count = at_least(0), at_least(1)
    parser.add_argument("algorithm", metavar="ALGO", nargs="?", help="which algorithm; ALGO --help lists its settings")
    parser.add_argument("-h", "--help", action="store_true", help="print this, and with ALGO its settings")
    parser.add_argument("--env", metavar="ID", help="a Gymnasium environment: CartPole-v1, my_package:Mine-v0")
    parser.add_argument("--steps", type=count, metavar="N", help="how long, in steps (default: the preset's)")
    parser.add_argument("--seed", type=number, metavar="S", help="what all random numbers follow from (default: 0)")
    backends.add_option(parser, f"{backends.DEFAULT}; --resume: the run's")
    parser.add_argument(
        "--set", metavar="FIELD=VALUE", nargs="+", action="extend", help="settings of the algorithm: hidden=64,64"
    )
    parser.add_argument(
        "--env-set", metavar="NAME=VALUE", nargs="+", action="extend", help="options of the environment: height=10"
    )
    parser.add_argument("--stop-at", type=float, metavar="R", help="end when the mean return of 100 episodes is R")
    parser.add_argument("--minutes", type=float, metavar="M", help="end after so long, whatever the steps")
    parser.add_argument("--no-preset", action="store_true", help="begin with the algorithm's own defaults")
    parser.add_argument("--dataset", metavar="FILE", help="what an offline algorithm (cql) learns from: .npz or .hdf5")
    parser.add_argument("--processes", action="store_true", help="step every environment in a process of its own")
    parser.add_argument("--workers", type=number, metavar="N", help="so many Ray workers collect; 0: this process does")
    parser.add_argument("--learners", type=count, metavar="N", help="with torch: so many processes share each update")
    parser.add_argument("--ray", metavar="ADDRESS", help="a Ray cluster, host:port (default: Ray on this machine)")
    parser.add_argument("--worker-cpus", type=float, metavar="C", help="CPUs that a worker takes up (default: 1)")
    parser.add_argument("--max-lag", type=count, metavar="N", help="updates a worker's policy may be behind (1000)")
    parser.add_argument("--patience", type=float, metavar="S", help="seconds until a silent worker is replaced (120)")
    parser.add_argument("--device", metavar="D", help="cpu, gpu or gpu:1 (default: the framework's choice)")
    parser.add_argument("--compile", action="store_true", help="with torch: torch.compile, for long trainings")
    parser.add_argument("--precision", metavar="P", help="float32 (default) or bfloat16, for wide networks on a GPU")
    parser.add_argument("--root", metavar="DIR", help="where the run's folder is made (default: runs)")
    parser.add_argument("--evaluate-every", type=number, metavar="N", help="steps between evaluations; 0: never")
    parser.add_argument("--evaluate-episodes", type=count, metavar="N", help="episodes of an evaluation (default: 10)")
    parser.add_argument("--checkpoint-every", type=number, metavar="N", help="steps between checkpoints; 0: never")
    parser.add_argument("--no-tensorboard", action="store_true", help="write no files for TensorBoard")
    parser.add_argument("--no-check", action="store_true", help="do not check what each loss trains")
    parser.add_argument("--quiet", action="store_true", help="no progress, no preset; only what came of it")
    parser.add_argument("--resume", metavar="RUN", help="go on with this run from its last checkpoint")
    parser.set_defaults(run=partial(execute, parser))


def execute(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Help, a new training or the rest of an old one."""
    name = options.algorithm
    if name is not None and name not in (*algorithms.algorithms(), *recipe_names()):
        return fail(algorithms.unknown(name, recipe_names()))
    if options.help:
        return _help(parser, options)
    if options.resume is not None:
        return _resume(options)
    if name is None:
        names = ", ".join(algorithms.algorithms())
        return fail(f"which algorithm? One of {names}: whygrad train dqn --env CartPole-v1")
    if options.env is None and options.dataset is None and name not in recipe_names():
        return fail(f"on which environment? whygrad train {name} --env CartPole-v1")
    for name in ("ray", "worker_cpus", "max_lag", "patience"):
        if getattr(options, name) is not None and not (options.workers or (options.learners or 1) > 1):
            return fail(f"--{name.replace('_', '-')} is about workers, and there are none: --workers 2")
    trouble = backends.get_ready(options.backend)
    return fail(trouble) if trouble else in_sentences(partial(_train, options))


def _train(options: argparse.Namespace) -> int:
    from whygrad.rl.plan import BadPlan
    from whygrad.rl.training import train

    recipe = _recipe(options)
    name = recipe.agent if recipe else options.algorithm
    env = options.env or (recipe.env if recipe else "")
    module = env.rpartition(":")[0]
    if module and not backends.installed(module):
        return fail(f"there is no module {module!r} to find {env} in.")
    use_preset = not options.no_preset and recipe is None
    known = preset(name, env) if use_preset else {}
    kind = _kind(name)
    if recipe:
        known = agent_settings.parse(kind, recipe.settings)
    try:
        agent = kind(**{**known, **agent_settings.parse(kind, options.set or [])})
        agent.check()
        env_options = parse_options(env, [*(recipe.env_options if recipe else ()), *(options.env_set or [])])
    except agent_settings.BadSetting:
        raise
    except ValueError as error:
        raise BadPlan(str(error)) from error
    steps = options.steps or (recipe.steps if recipe else preset_steps(name, env) if use_preset else None)
    if steps is None:
        where = env or "a dataset alone"
        return fail(f"for how many steps? Without a preset for {name} on {where} it has to be said: --steps 100_000")
    if known and not options.quiet:
        settings = " ".join(f"{k}={agent_settings.shown(v)}" for k, v in known.items())
        said = f"{options.algorithm}, {name} on {env}" if recipe else f"preset for {name} on {env}"
        say(f"{said}: {settings}")
    plan = {
        "precision": options.precision,
        "compile": options.compile or None,
        "evaluate_every": options.evaluate_every,
        "evaluate_episodes": options.evaluate_episodes,
        "checkpoint_every": options.checkpoint_every,
        "stop_at": options.stop_at,
        "minutes": options.minutes,
        "workers": options.workers,
        "learners": options.learners,
        "ray": options.ray,
        "worker_cpus": options.worker_cpus,
        "max_lag": options.max_lag,
        "patience": options.patience,
    }
    given = {k: v for k, v in plan.items() if v is not None}
    if recipe:  # what happens every so often keeps its share when the training is made shorter or longer
        share = steps / recipe.steps
        kept = {k: max(1, int(v * share)) if k.endswith("_every") else v for k, v in recipe.plan.items()}
        given = {**kept, **given}
    trained = train(
        agent,
        env or None,
        steps=steps,
        seed=options.seed or 0,
        dataset=options.dataset,
        root=options.root,
        device=options.device,
        quiet=options.quiet,
        processes=options.processes,
        tensorboard=not options.no_tensorboard,
        check=not options.no_check,
        env_options=env_options,
        **given,
    )
    return _ended(trained, steps, tensorboard=not options.no_tensorboard)


def _recipe(options: argparse.Namespace) -> Recipe | None:
    if options.algorithm not in recipe_names():
        return None
    from whygrad.rl.device import machine

    return find_recipe(options.algorithm, machine(options.device))


def _resume(options: argparse.Namespace) -> int:
    trouble = said_anew(options, NAME, _NEW_ONLY, "training", "run") or backends.missing()
    return fail(trouble) if trouble else in_sentences(partial(_go_on, options))


def _go_on(options: argparse.Namespace) -> int:
    from whygrad.live.run_folder import RunFolder

    folder = RunFolder.open(options.resume)
    kept = folder.settings()
    trouble = backends.choose(options.backend, kept.get("versions", {}).get("backend"))
    if trouble:
        return fail(trouble)
    steps = options.steps or kept["plan"]["steps"]
    done = max((row["step"] for row in folder.rows()), default=0)
    if done >= kept["plan"]["steps"] >= steps:
        return fail(f"this run has all of its {done:,} steps; a larger --steps goes on.")
    from whygrad.rl.training import resume

    given = {name: getattr(options, name) for name in _ANEW if getattr(options, name) is not None}
    trained = resume(options.resume, steps=options.steps, device=options.device, quiet=options.quiet, **given)
    return _ended(trained, steps, tensorboard=kept["plan"]["tensorboard"])


def _ended(trained: Trained, steps: int, tensorboard: bool) -> int:
    run = shlex.quote(str(trained.path))
    if not trained.finished:
        fail(f"stopped at step {trained.steps:,} of {steps:,}; go on with: whygrad train --resume {run}")
        return 130
    for name, scores in (("best", trained.best), ("last", trained.scores)):
        if scores is not None:
            say(f"{name} evaluation  {scores.mean:.1f} ± {scores.deviation:.1f} over {len(scores.returns)} episodes")
    say(f"run folder       {trained.path}")
    if tensorboard:
        say(f"to look at it    whygrad view {run}   (or tensorboard --logdir {run})")
    if trained.scores is not None:
        say(f"to watch it      whygrad play {run}")
    return 0


def _help(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    say(parser.format_help())
    width = min(shutil.get_terminal_size().columns, 100)
    name = options.algorithm
    if name is None:
        names = algorithms.algorithms()
        say("algorithms:")
        say(agent_settings.table([(name, algorithms.first_line(name)) for name in names], width))
        say("\nrecipes:")
        about = [(name, recipe.about) for name in recipe_names() if (recipe := find_recipe(name))]
        say(agent_settings.table(about, width))
        return 0
    trouble = backends.get_ready(options.backend)
    if trouble:
        return fail(trouble)
    from whygrad.rl.agent import setting_help

    recipe = _recipe(options)
    known = {} if options.no_preset else preset(name, options.env or "")
    said = f", with the preset for {options.env}" if known else ""
    if recipe:
        say(f"{name}: {recipe.about}\n  {recipe.steps:,} steps of {recipe.agent} on {recipe.env}\n")
        said, name = f", as {name} has them", recipe.agent
        known = agent_settings.parse(_kind(name), recipe.settings)
    say(f"settings of {name}{said} (--set FIELD=VALUE):")
    rows = [(k, agent_settings.shown(known.get(k, v)), text) for k, v, text in setting_help(_kind(name))]
    say(agent_settings.table(rows, width))
    presets = [f"{env} ({preset_steps(name, env):,} steps)" for env in preset_envs(name)]
    say(f"\npresets: {', '.join(presets) or 'none'}")
    return 0


def _kind(name: str) -> type[Agent]:
    from whygrad.rl.catalogue import AGENTS

    return next(kind for kind in AGENTS if name == kind.NAME)
