"""whygrad play: watch the agent of a run, as a film or in a window."""

from __future__ import annotations

import argparse
import shlex
from functools import partial
from pathlib import Path
from typing import Any

from whygrad.cli import backends, play_terminal
from whygrad.cli.evaluate_command import add_checkpoint
from whygrad.cli.files import check_writable
from whygrad.cli.numbers import at_least
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences

NAME = "play"

DESCRIPTION = """\
Play episodes with the agent of a run, without exploration, and write them as a
film (GIF or MP4), or show them in the terminal or in a window. A film of Snake
lasts about a minute at most: long games go by faster.
"""

_STREAM = 10
"""Seeds of their own."""
_MOST = 5_000
"""Steps after which an episode in a world of ours is cut off, unless something else is said."""


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
    where.add_argument("--terminal", action="store_true", help="show it in the terminal instead, as text")
    where.add_argument("--show", action="store_true", help="show it in a window instead")
    parser.add_argument("--fps", type=at_least(1), metavar="N", help="frames per second (default: the environment's)")
    parser.add_argument("--speed", type=at_least(1), metavar="N", help="steps per second of Snake and of --terminal")
    parser.add_argument("--size", type=at_least(1), metavar="N", help="pixels of the longer side of a film of Snake")
    parser.add_argument("--max-steps", type=at_least(1), metavar="N", help=f"of an episode (worlds: {_MOST:,})")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Play, and write the film."""
    trouble = backends.get_ready(options.backend)
    return fail(trouble) if trouble else in_sentences(partial(_play, options))


def _play(options: argparse.Namespace) -> int:
    from whygrad.live.run_folder import RunFolder
    from whygrad.rl.film import check_film
    from whygrad.rl.lanes import Episode
    from whygrad.rl.loops.round import seeds
    from whygrad.rl.plan import Plan
    from whygrad.rl.playing import camera_for, moments
    from whygrad.rl.restoring import restore
    from whygrad.rl.worlds.catalogue import find_world

    folder = RunFolder.open(options.run_folder)
    out = Path(options.out) if options.out is not None else folder.path / "play.gif"
    try:
        check_film(out)
    except ValueError as error:
        return fail(str(error))
    live = options.show or options.terminal
    trouble = check_writable(str(out), "film")
    if trouble and not live:
        return fail(trouble)
    plan = Plan.from_data(folder.settings()["plan"])
    if plan.env is None:
        return fail(f"the run {options.run_folder!r} was trained without an environment that could be made by its id.")
    world = find_world(plan.env, plan.env_options)
    trouble = _misplaced(options, world)
    if trouble:
        return fail(trouble)
    camera = camera_for(plan, "human" if options.show else "ansi" if options.terminal else "rgb_array")
    ended: list[Episode] = []
    trouble = None
    try:
        with restore(options.run_folder, options.checkpoint, env=camera) as restored:
            wanted = seeds(options.seed, _STREAM, count=options.episodes)
            most = options.max_steps or (None if world is None else _MOST)
            seen = moments(restored.policy, restored.lanes, camera, wanted, ended, most)
            fps = camera.metadata.get("render_fps") or 30
            if options.terminal:
                trouble = play_terminal.show(seen, options.speed or min(fps, 30))
            elif options.show:
                for _ in seen:
                    pass  # the window shows them itself
            else:
                _write(options, out, seen, fps, _is_snake(world))
    finally:
        camera.close()
    if trouble:
        return fail(trouble)
    for n, episode in enumerate(ended, 1):
        say(_line(n, episode))
    if not live:
        say(f"film       {shlex.quote(str(out))}")
    return 0


def _misplaced(options: argparse.Namespace, world: Any) -> str | None:
    """Why an option does nothing here."""
    if options.speed and not options.terminal and not (_is_snake(world) and not options.show):
        return "--speed is for films of Snake and for --terminal; a film of another environment has --fps."
    if options.size and (options.show or options.terminal or not _is_snake(world)):
        return "--size is for films of Snake; other environments have a size of their own."
    if options.size:
        from whygrad.rl.worlds.snake_picture import check_size

        try:
            check_size(world.height, world.width, options.size)
        except ValueError as error:
            return f"--size {options.size}: {error}."
    return None


def _is_snake(world: Any) -> bool:
    return world is not None and world.ID == "whygrad/Snake-v0"


def _write(options: argparse.Namespace, out: Path, seen: Any, fps: float, snake: bool) -> None:
    """Write the film. Games of Snake are played to their ends first: how long they are says how fast they are shown."""
    from whygrad.rl.film import write_film
    from whygrad.rl.worlds import snake_film

    if not snake:
        write_film(out, (picture for _, picture in seen), options.fps or fps)
        return
    games: list[list[Any]] = []
    for step, board in seen:
        if step == 0:
            games.append([])
        games[-1].append(board)
    pace = snake_film.pace(sum(map(len, games)), options.speed, options.fps)
    size = options.size or snake_film.SIZE
    write_film(out, snake_film.frames(games, size, pace), pace.fps, snake_film.colours(games, size))


def _line(n: int, episode: Any) -> str:
    facts = episode.facts
    steps = "1 step" if episode.length == 1 else f"{episode.length:,} steps"
    words = [f"episode {n}", f"return {episode.score:.1f}", steps]
    if "eaten" in facts:
        words.append(f"{facts['eaten']:.0f} eaten")
    if facts.get("won"):
        words.append("board filled")
    elif facts["cut"] and "eaten" in facts:
        words.append("cut off")
    return "  ".join(words)
