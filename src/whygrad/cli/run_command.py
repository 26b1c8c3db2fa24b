"""whygrad run: run a training script, unmodified, and explain the gradients it loses."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whygrad.cli import forms
from whygrad.cli.output import Stream, fail
from whygrad.recording_api import collect
from whygrad.report import json_form, step_picture
from whygrad.report.report import Report
from whygrad.report.sources import project_root
from whygrad.rules.finding import ORDER
from whygrad.script import BadScript, Outcome, leave, run, threads_end
from whygrad.trace import loading
from whygrad.trace.session import ALL_DEEP, Session
from whygrad.whole_file import whole_file

NAME = "run"

DESCRIPTION = """\
Run a training script exactly as `python SCRIPT ARGS` would, watch its first few
optimizer updates, and report which variables get no gradient, which expression
is to blame, and what to write instead. The script's own output is left alone;
the report goes to standard error when the script ends, fails or is interrupted.
"""

EPILOG = """\
What follows SCRIPT or MODULE belongs to the script, options included. '-' as a
FILE is standard output.

exit status: the script's own; 3 with --fail-on when something was found;
2 when the script could not be started or the report not be written.
"""

_WITH_VALUE = ("--updates", "--fail-on", *forms.WITH_VALUE)

_EVENTS = 6
"""So many of the things that happened to gradients are told at the end of a watched run; the page has all of them."""

_ABOUT_GRADIENTS = re.compile(r"(?<![a-z])grad(?!io|e|u)|inplace|in-place|No gradients provided", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """What to run, and its arguments."""

    name: str
    module: bool
    arguments: list[str]


def add_parser(commands: Any) -> None:
    """Describe the command to argparse; what follows the script is not its business (see `split`)."""
    parser = commands.add_parser(
        NAME,
        help="run a script and explain the gradients it loses",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="whygrad run [--updates N] [--watch] [--fail-on LEVEL] [--html FILE]\n"
        "                   [--sarif FILE] [--json FILE] [--format FORM] [--quiet]\n"
        "                   (SCRIPT | -m MODULE) [ARGS ...]",
        allow_abbrev=False,
    )
    parser.add_argument("--updates", type=_positive, metavar="N", help="stop the script after N optimizer updates")
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning"),
        metavar="LEVEL",
        help="exit with status 3 on a finding of this level (error, warning) or worse",
    )
    parser.add_argument(
        "--watch",
        action="store_true",
        help="also keep the gradients of the whole run, in a new folder in runs/ (`whygrad view` shows them)",
    )
    forms.add_options(parser)
    parser.set_defaults(run=execute)


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, got {text!r}")
    return number


def split(given: list[str]) -> tuple[list[str], Target | None]:
    """The words before the script, and the script with the words after it, whatever they look like."""
    at = 1
    while at < len(given):
        word = given[at]
        if word == "--":
            return given[:at], _target(given[at + 1 :])
        if word.startswith("-m"):
            return given[:at], _target([word[2:], *given[at + 1 :]] if word != "-m" else given[at + 1 :], module=True)
        if word in _WITH_VALUE:
            at += 2
        elif word.startswith("-") and word != "-":
            at += 1
        else:
            return given[:at], _target(given[at:])
    return given, None


def _target(words: list[str], module: bool = False) -> Target | None:
    return Target(words[0], module, words[1:]) if words else None


def execute(options: argparse.Namespace) -> int:
    """Run the script under a session, report, and choose the exit status."""
    target: Target | None = options.target
    if target is None:
        return fail("what is to be run? Give the path of a script, or -m and the name of a module.")
    trouble = forms.trouble(options)
    if options.watch and not _installed("numpy"):
        trouble = "--watch needs NumPy, which is not installed here: pip install 'whygrad[watch]'."
    if trouble:
        return fail(trouble)
    ending = _Ending(options, target)
    try:
        outcome = run(target.name, target.arguments, ending.session, ending.in_spite_of_it, module=target.module)
    except BadScript as error:
        ending.watch.end()
        return fail(str(error))
    status = ending.report(outcome)
    if outcome.stopped and ending.here() and not threads_end():
        leave(status)
    return status


class _Ending:
    """What happens when the script has ended, in whichever way."""

    def __init__(self, options: argparse.Namespace, target: Target) -> None:
        # Now, before the script can put modules of its own in the way; the other commands do without.
        from whygrad.installation import too_old

        self._too_old = too_old
        self.options = options
        self.script = target.name
        self.session = Session(stop_after=options.updates, whole_script=True)
        self.watch = loading.begin(self.session)
        self._script_watch = _script_watch(self.session, target.name) if options.watch else None
        self._owner = os.getpid()
        self._folder = _here()  # the script may go elsewhere
        self._out, self._error = Stream(sys.stdout, 1), Stream(sys.stderr, 2)

    def here(self) -> bool:
        """Whether this is the process that was started, and not a forked child of the script that came back here."""
        return os.getpid() == self._owner

    def in_spite_of_it(self) -> None:
        """The script catches the request to stop and goes on: report, and end the process."""
        self.session.notes.append(
            "the script catches BaseException (a bare `except:`) and went on when it should have stopped after "
            "--updates; whygrad ended it"
        )
        leave(self.report(Outcome(0, stopped=True)))

    def report(self, outcome: Outcome) -> int:
        """Print and write the report; the exit status."""
        self.watch.end()
        if not self.here():
            return outcome.status
        try:
            self._end_watching()
            return self._report(outcome)
        except KeyboardInterrupt:  # enough is enough
            return 130
        except Exception as error:
            fail(f"the report could not be made, which is a fault of whygrad: {type(error).__name__}: {error}")
            return outcome.status
        finally:
            _let_go_of_errors()

    def _report(self, outcome: Outcome) -> int:
        for stream in (sys.stdout, sys.stderr):
            _flush(stream)
        report = collect(self.session, self.script, outcome.error)
        notes = (*report.notes, *_advice(report, self.session, self._too_old))
        report = replace(report, notes=notes, folder=self._folder, root=project_root(self._folder))
        self._print(report)
        self._keep(report)
        status = _status(report, outcome, self.options.fail_on)
        return forms.write(report, self.options, self._out, status) or status

    def _end_watching(self) -> None:
        """Close the record of the gradients; it was kept until here, whatever became of the script."""
        if self._script_watch is not None:
            try:
                self._script_watch.close()
            except OSError as error:
                self.session.notes.append(str(error))
            if self._script_watch.run is None and self.session.updates and not self._script_watch.said:
                self.session.notes.append(
                    "no gradients were kept: --watch takes optimizers of PyTorch, of Keras on TensorFlow and PyTorch, "
                    "and of Optax; updates that a program makes by hand are not seen"
                )

    def _keep(self, report: Report) -> None:
        """Put the report beside the gradients, and say where they are."""
        run = self._script_watch.run if self._script_watch is not None else None
        if run is None:
            return
        path = Path(self._folder, run.path)
        with whole_file(path / "report.json") as file:
            file.write(json_form.as_text(report).encode())
        _add_pictures(path, report)
        stream = self._error.usable()
        if stream is not None and not self.options.quiet:
            for event in run.events[:_EVENTS]:
                print(f"whygrad: {event.text} [{event.code}]", file=stream)
            more = len(run.events) - _EVENTS
            events = f", with {more} more event{'s' * (more > 1)}" if more > 0 else ""
            print(f"whygrad: gradients kept in {run.path}{events}; look at them: whygrad view {run.path}", file=stream)

    def _print(self, report: Report) -> None:
        stream = self._error.usable()
        if stream is None:
            return
        try:
            forms.print_text(report, stream, self.options.quiet, blank_line=report.script_error is not None)
        except OSError:
            pass  # nobody reads it any more


def _script_watch(session: Session, name: str) -> Any:
    from whygrad.live.script_watch import ScriptWatch  # needs NumPy, which not everybody has

    return ScriptWatch(session, Path(name).stem)


def _add_pictures(path: Path, report: Report) -> None:
    """The drawing of the training step for TensorBoard, where that and Pillow are installed."""
    from whygrad.live.tensorboard_sink import TensorBoardSink

    board = TensorBoardSink(path)
    try:
        for drawing in report.drawings:
            board.picture(f"training step ({drawing.framework})", *step_picture.png(drawing))
    except ImportError:
        pass  # without Pillow there is no picture
    finally:
        board.close()


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder is gone
        return ""


def _let_go_of_errors() -> None:
    """Where nobody reads standard error any more, Python would end with status 120 for what is left to be written."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _flush(stream: Any) -> None:
    try:
        stream.flush()
    except (OSError, ValueError, AttributeError):
        pass  # the script closed it


def _advice(report: Report, session: Session, too_old: Callable[[str], str | None]) -> list[str]:
    """What to do where nothing, or not enough, could be seen."""
    if not report.frameworks and not session.notes and not any(_installed(name) for name in loading.RECORDERS):
        return [
            f"neither PyTorch, TensorFlow nor JAX is installed for {sys.executable}; install one (pip install "
            "'whygrad[torch]', 'whygrad[tensorflow]' or 'whygrad[jax]'), or start whygrad with the Python that has "
            "it: python -m whygrad run …"
        ]
    if report.frameworks and not report.findings and not session.updates:
        old = [sentence for name in report.frameworks if (sentence := too_old(name)) is not None]
        if old:
            return old
    ended, failed = session.let_go_after, session.updates + 1
    if ended is None or report.findings or not _ABOUT_GRADIENTS.search(report.script_error or ""):
        return []
    how = (
        f"run again with --updates {failed} to trace every update up to the failure"
        if failed <= ALL_DEEP
        else "make it fail earlier, or put the failing part into a `with whygrad.record():` block"
    )
    count = "1 update" if ended == 1 else f"{ended} updates"
    return [f"tracing had ended after {count} when the script failed in update {failed}; {how}"]


def _installed(name: str) -> bool:
    if sys.modules.get(name) is not None:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _status(report: Report, outcome: Outcome, level: str | None) -> int:
    if level is not None:
        counted = ORDER[: ORDER.index(level) + 1]
        if any(finding.severity in counted for finding in report.findings):
            return 3
    return outcome.status
