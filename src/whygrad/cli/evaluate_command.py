"""whygrad evaluate: how good the agent of a run is, on episodes that it has never seen."""

from __future__ import annotations

import argparse
import json
import os
from functools import partial
from typing import Any

from whygrad.cli import backends
from whygrad.cli.numbers import at_least
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences

NAME = "evaluate"

DESCRIPTION = """\
Play whole episodes with the agent of a run, without exploration, and say what
return they had and how long they were. The run may have been trained on another
backend.
"""

_STREAM = 9
"""Seeds that neither training nor its evaluations use."""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="say how good the agent of a run is",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("run_folder", metavar="RUN", help="the folder of a run")
    parser.add_argument("--episodes", type=at_least(1), default=100, metavar="N", help="how many (default: 100)")
    add_checkpoint(parser)
    parser.add_argument("--seed", type=at_least(0), default=0, metavar="S", help="of the episodes (default: 0)")
    backends.add_option(parser, backends.DEFAULT)
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")
    parser.set_defaults(run=execute)


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    """`--checkpoint`."""
    parser.add_argument("--checkpoint", choices=("best", "last"), help="which (default: the best, where there is one)")


def execute(options: argparse.Namespace) -> int:
    """Evaluate and print."""
    trouble = backends.get_ready(options.backend)
    return fail(trouble) if trouble else in_sentences(partial(_evaluate, options))


def _evaluate(options: argparse.Namespace) -> int:
    from whygrad.live.run_folder import RunFolder
    from whygrad.rl.evaluation import play_episodes
    from whygrad.rl.loops.round import seeds
    from whygrad.rl.plan import Plan
    from whygrad.rl.restoring import restore
    from whygrad.rl.worlds.catalogue import find_world

    plan = Plan.from_data(RunFolder.open(options.run_folder).settings()["plan"])
    most = 10 if find_world(plan.env, plan.env_options) is None else 256  # games of ours step together
    with restore(options.run_folder, options.checkpoint, count=min(most, options.episodes)) as restored:
        episodes = seeds(options.seed, _STREAM, count=options.episodes)
        scores = play_episodes(restored.policy, restored.lanes, episodes)
    found = {
        "run": options.run_folder,
        "agent": restored.agent.NAME,
        "env": restored.plan.env,
        "checkpoint": restored.which,
        "step": restored.steps,
        "backend": os.environ["KERAS_BACKEND"],
        "seed": options.seed,
        "episodes": options.episodes,
        "return": {"mean": scores.mean, "deviation": scores.deviation, **_ends(scores.returns)},
        "length": {"mean": sum(scores.lengths) / len(scores.lengths), **_ends(scores.lengths)},
        **{name: _fact(name, scores.facts) for name in scores.facts[0]},
        "returns": scores.returns,
        "lengths": scores.lengths,
    }
    say(json.dumps(found, indent=2) if options.json else _text(found))
    return 0


def _ends(numbers: Any) -> dict[str, Any]:
    return {"min": min(numbers), "max": max(numbers)}


def _fact(name: str, facts: Any) -> Any:
    numbers = [one[name] for one in facts]
    mean = sum(numbers) / len(numbers)
    return mean if name == "won" else {"mean": mean, **_ends(numbers)}


def _text(found: dict[str, Any]) -> str:
    count = "1 episode" if found["episodes"] == 1 else f"{found['episodes']:,} episodes"
    rows = [f"{found['agent']} on {found['env']}, {found['checkpoint']} checkpoint (step {found['step']:,}), {count}"]
    for name in ("return", "length", "eaten"):
        if name in found:
            rows.append("  ".join([f"{name:8}", *(f"{k} {v:.1f}" for k, v in found[name].items())]))
    if "won" in found:
        rows.append(f"{'won':8}  {found['won']:.1%} of the boards filled")
    return "\n".join(rows)
