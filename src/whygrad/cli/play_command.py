"""whygrad play: watch the agent of a run, as a film or in a window."""

from __future__ import annotations

import argparse
import shlex
from functools import partial
from pathlib import Path
from typing import Any

from whygrad.cli import backends
from whygrad.cli.evaluate_command import add_checkpoint
from whygrad.cli.files import check_writable
from whygrad.cli.numbers import at_least
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences

NAME = "play"

DESCRIPTION = """\
Play episodes with the agent of a run, without exploration, and write them as a
film (GIF or MP4), or show them in a window.
"""

_STREAM = 10
"""Seeds of their own."""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="write a film of the agent of a run",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("run_folder", metavar="RUN", help="the folder of a run")
    parser.add_argument("--episodes", type=at_least(1), default=1, metavar="N", help="how many (default: 1)")
    add_checkpoint(parser)
    parser.add_argument("--seed", type=at_least(0), default=0, metavar="S", help="of the episodes (default: 0)")
    backends.add_option(parser, backends.DEFAULT)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--out", metavar="FILE", help="the film, .gif or .mp4 (default: play.gif in the run's folder)")
    where.add_argument("--show", action="store_true", help="show it in a window instead")
    parser.add_argument("--fps", type=at_least(1), metavar="N", help="frames per second (default: the environment's)")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Play, and write the film."""
    trouble = backends.get_ready(options.backend)
    return fail(trouble) if trouble else in_sentences(partial(_play, options))


def _play(options: argparse.Namespace) -> int:
    from whygrad.rl.film import check_film, write_film
    from whygrad.rl.lanes import Episode
    from whygrad.rl.loops.round import seeds
    from whygrad.rl.plan import Plan
    from whygrad.rl.playing import camera_for, frames
    from whygrad.rl.restoring import restore
    from whygrad.rl.run_folder import RunFolder

    folder = RunFolder.open(options.run_folder)
    out = Path(options.out) if options.out is not None else folder.path / "play.gif"
    try:
        check_film(out)
    except ValueError as error:
        return fail(str(error))
    trouble = check_writable(str(out), "film")
    if trouble and not options.show:
        return fail(trouble)
    plan = Plan.from_data(folder.settings()["plan"])
    if plan.env is None:
        return fail(f"the run {options.run_folder!r} was trained without an environment that could be made by its id.")
    camera = camera_for(plan, "human" if options.show else "rgb_array")
    ended: list[Episode] = []
    try:
        with restore(options.run_folder, options.checkpoint, env=camera) as restored:
            episodes = seeds(options.seed, _STREAM, count=options.episodes)
            pictures = frames(restored.policy, restored.lanes, camera, episodes, ended)
            if options.show:
                for _ in pictures:
                    pass  # the window shows them itself
            else:
                write_film(out, pictures, options.fps or camera.metadata.get("render_fps") or 30)
    finally:
        camera.close()
    for n, episode in enumerate(ended, 1):
        say(f"episode {n}  return {episode.score:.1f}  {episode.length:,} steps")
    if not options.show:
        say(f"film       {shlex.quote(str(out))}")
    return 0
