"""whygrad info: what is installed here, for a report of a fault."""

from __future__ import annotations

import argparse
import json
from typing import Any

from whygrad.cli import backends
from whygrad.cli.output import say

NAME = "info"

DESCRIPTION = """\
Print what a report of a fault should say: the versions of whygrad, Python and
the frameworks, which extras are complete, and which framework Keras runs on.
Names of folders and people are not part of it. Nothing is imported for it, and
nothing is sent anywhere.
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="versions and settings, for a report of a fault",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--devices", action="store_true", help="also ask each framework what it runs on (seconds)")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Print it."""
    from whygrad.device_listing import devices  # what reads metadata is slow to import, and no other command needs it
    from whygrad.installation import installation

    found = installation()
    found["train_backend"] = backends.usual()
    if options.devices:
        found["devices"] = {name: devices(name) for name in ("torch", "tensorflow", "jax") if name in found["packages"]}
    say(json.dumps(found, indent=2) if options.json else "\n".join(_lines(found)))
    return 0


def _lines(found: dict[str, Any]) -> list[str]:
    cpus = found["cpus"]
    usable = "" if cpus["usable"] == cpus["machine"] else f", {cpus['usable']} usable"
    rows = [
        ("whygrad", found["whygrad"]),
        ("Python", found["python"]),
        ("system", f"{found['system']}, {cpus['machine']} CPUs{usable}"),
    ]
    lines = [f"{name:12}{text}" for name, text in rows]
    lines += _block("packages", [f"{name} {version}" for name, version in found["packages"].items()] or ["none"])
    lines += _block("extras", [_extra(name, lacks) for name, lacks in found["extras"].items()])
    lines += _block("backend", _backends(found))
    lines += _block("variables", [f"{name}={value}" for name, value in found["environment"].items()])
    return lines + _block("devices", [_devices(name, seen) for name, seen in found.get("devices", {}).items()])


def _block(title: str, rows: list[str]) -> list[str]:
    """Rows beside a title that stands once."""
    return [f"{title * (not at):12}{row}" for at, row in enumerate(rows)]


def _extra(name: str, lacks: list[str]) -> str:
    return f"{name:12}{'needs ' + ', '.join(lacks) if lacks else 'complete'}"


def _devices(name: str, seen: list[str] | str) -> str:
    return f"{name:12}{seen if isinstance(seen, str) else ', '.join(seen)}"


def _backends(found: dict[str, Any]) -> list[str]:
    rows = []
    if found["keras_backend"] is not None:
        rows.append("Keras runs on {name} ({from})".format(**found["keras_backend"]))
    if found["train_backend"] is not None:
        rows.append("whygrad train takes {name} ({from})".format(**found["train_backend"]))
    return rows
