"""whygrad probe: which part of an agent is broken, found with environments whose answers are known."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from whygrad.cli import agent_settings, algorithms, backends, forms, own_agents
from whygrad.cli.numbers import at_least
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences
from whygrad.faults import BrokenContract

if TYPE_CHECKING:
    from whygrad.rl.agent import Agent

NAME = "probe"

DESCRIPTION = """\
Train an agent for seconds on each of a few tiny environments whose values and
best actions are known, compare, and say which part of the agent is broken. Size
and pace of the agent are adapted to that; --set overrules it.

The exit status is 0 when all probes passed, 1 when one failed.
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="say which part of an agent is broken",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("algorithm", metavar="ALGO", help="an algorithm, or an agent of your own: my_module:MyAgent")
    parser.add_argument("--only", metavar="NAME", nargs="+", help="some probes: constant, discount, match, …")
    parser.add_argument(
        "--set", metavar="FIELD=VALUE", nargs="+", action="extend", default=[], help="settings of the agent: n_step=3"
    )
    parser.add_argument("--steps", type=at_least(1), metavar="N", help="steps of each training")
    parser.add_argument("--seed", type=at_least(0), default=0, metavar="S", help="of all random numbers (default: 0)")
    backends.add_option(parser, "$KERAS_BACKEND, else the first installed of jax, torch, tensorflow")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Probe and print."""
    if ":" not in options.algorithm and options.algorithm not in algorithms.algorithms():
        return fail(f"{algorithms.unknown(options.algorithm)} One of your own is module:Class.")
    trouble = backends.get_ready(options.backend)
    return fail(trouble) if trouble else in_sentences(partial(_probe, options))


def _probe(options: argparse.Namespace) -> int:
    from whygrad.rl import probe_report
    from whygrad.rl.probing import probe

    kind = own_agents.find(options.algorithm)
    settings = agent_settings.parse(kind, options.set)

    def tell(result: probe_report.Result) -> None:
        say("\n".join(probe_report.lines(result)))

    agent = own_agents.make(kind, settings)
    results = probe(
        agent,
        names=options.only,
        seed=options.seed,
        steps=options.steps,
        settings=settings,
        on_result=None if options.json else tell,
    )
    failed = not all(result.passed for result in results)
    if options.json:
        say(json.dumps(probe_report.as_data(results), indent=2))
        return int(failed)
    say("\n" + probe_report.verdict(results))
    if failed:
        _look_at_gradients(agent, settings)
    return int(failed)


def _look_at_gradients(agent: Agent, settings: dict[str, Any]) -> None:
    """A loss that reaches nothing is told by the diagnoser, with the line at which its gradient ends."""
    from whygrad.rl.probing import check_gradients

    try:
        check_gradients(agent, settings=settings)
    except BrokenContract as error:
        say("")
        forms.print_text(error.report, sys.stdout, quiet=False)
