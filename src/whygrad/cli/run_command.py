"""whygrad run: run a training script, unmodified, and explain the gradients it loses."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from typing import Any

from whygrad.cli.files import check_writable, write_whole
from whygrad.recording_api import collect
from whygrad.report.json_form import to_json
from whygrad.report.report import Report
from whygrad.report.terminal import options_for, render
from whygrad.rules.finding import ORDER
from whygrad.script import BadScript, Outcome, run
from whygrad.trace import loading
from whygrad.trace.session import Session

DESCRIPTION = """\
Run a training script exactly as `python SCRIPT ARGS` would, watch its first few optimizer updates, and report which
variables get no gradient, which expression is to blame, and what to write instead. The script's own output is left
alone; the report goes to standard error when the script ends, fails or is interrupted.
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        "run",
        help="run a script and explain the gradients it loses",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="whygrad run [--updates N] [--json FILE] [--fail-on LEVEL] [--quiet] (SCRIPT | -m MODULE) [ARGS ...]",
    )
    parser.add_argument("--updates", type=_positive, metavar="N", help="stop the script after N optimizer updates")
    parser.add_argument("--json", metavar="FILE", help="also write the report as JSON ('-' for standard output)")
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning"),
        metavar="LEVEL",
        help="exit with status 3 on a finding of this level (error, warning) or worse",
    )
    parser.add_argument("--quiet", action="store_true", help="one line per finding")
    parser.add_argument(
        "-m", dest="module", action="store_true", help="SCRIPT is the name of a module, as in python -m"
    )
    parser.add_argument("script", metavar="SCRIPT", help="the script to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="arguments of the script")
    parser.set_defaults(run=execute)


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, got {text!r}")
    return number


def execute(options: argparse.Namespace) -> int:
    """Run the script under a session, report, and choose the exit status."""
    from whygrad.cli.main import fail

    if options.json and options.json != "-":
        trouble = check_writable(options.json)
        if trouble:
            return fail(trouble)
    owner = os.getpid()
    session = Session(stop_after=options.updates)
    watch = loading.begin(session)
    try:
        outcome = run(options.script, options.arguments, module=options.module)
    except BadScript as error:
        watch.end()
        return fail(str(error))
    watch.end()
    if os.getpid() != owner:  # a forked child of the script that came back here: it has no report of its own
        return outcome.status
    _flush()
    report = collect(session, options.script, outcome.error)
    report = _with_advice(report)
    try:
        print(render(report, options_for(sys.stderr, quiet=options.quiet)), file=sys.stderr)
        if options.json:
            text = json.dumps(to_json(report), indent=2) + "\n"
            sys.stdout.write(text) if options.json == "-" else write_whole(options.json, text)
    except OSError as error:
        return fail(f"the report could not be written to {options.json!r}: {error.strerror}")
    return _status(report, outcome, options.fail_on)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass  # the script closed it


def _with_advice(report: Report) -> Report:
    """Say what to do where no framework could be recorded."""
    if report.frameworks or any(importlib.util.find_spec(name) for name in loading.RECORDERS):
        return report
    note = (
        f"neither PyTorch nor TensorFlow is installed for {sys.executable}; install one (pip install 'whygrad[torch]' or "
        "'whygrad[tensorflow]'), or start whygrad with the Python that has it: python -m whygrad run …"
    )
    return Report(
        report.script, report.frameworks, report.updates, report.findings, report.script_error, (*report.notes, note)
    )


def _status(report: Report, outcome: Outcome, level: str | None) -> int:
    if level is not None:
        counted = ORDER[: ORDER.index(level) + 1]  # type: ignore[arg-type]
        if any(finding.severity in counted for finding in report.findings):
            return 3
    return outcome.status
