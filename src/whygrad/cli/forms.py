"""The forms a report can be written in, for the commands that write one."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TextIO

import whygrad
from whygrad.cli.files import check_writable, write_whole
from whygrad.cli.output import Stream, fail
from whygrad.report import github_form, html_page, json_form, sarif_form
from whygrad.report.report import Report
from whygrad.report.terminal import options_for, render

WITH_VALUE = ("--json", "--html", "--sarif", "--format")
_FILES = {
    "json": "write the report as JSON, from which `whygrad report` draws it again",
    "html": "write it as one web page that needs nothing else",
    "sarif": "write it as SARIF 2.1.0, for code hosts and editors",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that say which forms are wanted, and where."""
    for name, help_text in _FILES.items():
        parser.add_argument(f"--{name}", metavar="FILE", help=help_text)
    parser.add_argument(
        "--format",
        choices=("text", "github"),
        metavar="FORM",
        help="text (the default), or github: annotations for GitHub's log on standard output",
    )
    parser.add_argument("--quiet", action="store_true", help="one line per finding")


def trouble(options: argparse.Namespace, text_to_out: bool = False) -> str | None:
    """Why the forms could not be written later; None, and paths become independent of the working directory."""
    given = {name: getattr(options, name) for name in _FILES if getattr(options, name) is not None}
    to_out = [f"--{name} -" for name, path in given.items() if path == "-"]
    if options.format == "github" or (options.format == "text" and text_to_out):
        to_out.append(f"--format {options.format}")
    if len(to_out) > 1:
        return f"only one report can go to standard output, and here are {' and '.join(to_out)}."
    files = {name: os.path.realpath(path) for name, path in given.items() if path not in ("-", "")}
    for name, path in given.items():
        found = check_writable(path) if path != "-" else None
        if found:
            return found
        twin = next((other for other in files if other < name and files[other] == files.get(name)), None)
        special = os.path.exists(path) and not os.path.isfile(path)
        if twin is not None and not special:
            return f"--{twin} and --{name} name the same file, {path!r}; give each its own."
    for name, path in given.items():
        if path != "-":
            setattr(options, name, os.path.abspath(path))
    return None


def write(report: Report, options: argparse.Namespace, out: Stream, status: int | None = None) -> int:
    """Write what was asked for; 0, or 2 where something could not be written."""
    texts: dict[str, Callable[[], str]] = {
        "json": lambda: json_form.as_text(report),
        "html": lambda: html_page.render(report, whygrad.__version__),
        "sarif": lambda: sarif_form.as_text(report, whygrad.__version__, status),
    }
    failed = 0
    for name, make in texts.items():
        path = getattr(options, name)
        if path is None:
            continue
        try:
            _put(make(), path, out)
        except OSError as error:
            failed = fail(f"the report could not be written to {path!r}: {error.strerror}")
        except Exception as error:  # the other forms still have something to say
            what = f"{type(error).__name__}: {error}"
            failed = fail(f"the {name.upper()} form could not be made, which is a fault of whygrad: {what}")
    if options.format == "github":
        try:
            # The script may have left its last line open, and a command counts only at the beginning of one.
            _put(f"\n{github_form.render(report)}" if report.findings else "", "-", out)
        except OSError as error:
            failed = fail(f"the annotations could not be written: {error.strerror}")
    return failed


def _put(text: str, path: str, out: Stream) -> None:
    if path != "-":
        write_whole(path, text)
        return
    stream = out.usable()
    if stream is not None and text:
        _print(stream, text)
        stream.flush()


def _print(stream: TextIO, text: str) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        text = text.encode("ascii", "backslashreplace").decode()
    stream.write(text)


def print_text(report: Report, stream: TextIO, quiet: bool, blank_line: bool = False) -> None:
    """The terminal form."""
    text = render(report, options_for(stream, quiet=quiet))
    print(f"\n{text}" if blank_line else text, file=stream, flush=True)
