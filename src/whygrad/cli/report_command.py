"""whygrad report: draw a saved report again, in any form."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from whygrad.cli import forms
from whygrad.cli.output import Stream, fail
from whygrad.report.json_form import from_text
from whygrad.report.plain import Unreadable

NAME = "report"

DESCRIPTION = """\
Draw a report that `whygrad run --json FILE` has saved, in any form. The file
holds the lines of source that it shows, so the program itself is not needed.
"""

EPILOG = """\
'-' as a FILE is standard input or output. The text is left out where another
form is asked for.
"""
_LARGEST = 256 * 1024 * 1024


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="draw a saved report again: text, web page, SARIF, annotations",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="whygrad report [--html FILE] [--sarif FILE] [--json FILE] [--format FORM]\n"
        "                      [--quiet] FILE",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="a report saved with --json")
    forms.add_options(parser)
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Read the report and write what was asked for."""
    found = forms.trouble(options, text_to_out=True)
    if found:
        return fail(found)
    try:
        report = from_text(_read(options.file))
    except OSError as error:
        return fail(f"the report {options.file!r} could not be read: {error.strerror}")
    except UnicodeDecodeError:
        return fail(f"{options.file!r} is no saved report: it is not text.")
    except Unreadable as error:
        return fail(f"{options.file!r} is no report that can be drawn: {error}.")
    out = Stream(sys.stdout, 1)
    others = [options.html, options.sarif, options.json]
    stream = out.usable()
    if stream is not None and (options.format == "text" or (options.format is None and others == [None] * 3)):
        forms.print_text(report, stream, options.quiet)
    return forms.write(report, options, out)


def _read(path: str) -> str:
    if path == "-":
        return sys.stdin.read(_LARGEST)
    with open(path, encoding="utf-8") as file:
        return file.read(_LARGEST)
