"""`pytest --whygrad`: a failing test that trains something says why it does not learn.

Each test is recorded while it runs. A test that passes is left alone; one that fails gets the findings as a section of
its report. Installed with whygrad; without the option it does nothing, and it imports no framework.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from whygrad.background import Background
from whygrad.report.report import Report
from whygrad.report.terminal import Options, render

SECTION = "whygrad"
_RECORDING = pytest.StashKey[Background]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one option."""
    parser.getgroup("whygrad").addoption(
        "--whygrad",
        action="store_true",
        default=False,
        help="record each test's training, and say in the report of a failing test which gradients are lost, and why",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Record a test, its fixtures included: networks are often made there."""
    if not item.config.getoption("--whygrad"):
        return (yield)
    look = item.stash[_RECORDING] = Background(script=str(item.path))
    look.begin()
    try:
        return (yield)
    finally:
        look.end()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the findings to the report of a test that failed."""
    result = yield
    look = item.stash.get(_RECORDING, None)
    if look is None or call.when == "teardown" or not (call.when == "call" or result.failed):
        return result
    try:
        look.end()
        telling = [report for report in look.reports if not report.clean]
        if result.failed and telling:
            result.sections.append((SECTION, "\n".join(_text(report) for report in telling)))
    except Exception as error:  # the test's own report matters more than ours
        result.sections.append((SECTION, f"whygrad could not say more: {type(error).__name__}: {error}"))
    return result


def _text(report: Report) -> str:
    return render(report, Options())


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """One line: how many of the failing tests have an explanation. Works on the reports, so also under xdist."""
    if not config.getoption("--whygrad"):
        return
    failed = [r for kind in ("failed", "error") for r in terminalreporter.stats.get(kind, [])]
    explained = [r for r in failed if any(title == SECTION for title, _ in getattr(r, "sections", ()))]
    if explained:
        tests = "1 failing test has" if len(explained) == 1 else f"{len(explained)} failing tests have"
        terminalreporter.write_line(f"whygrad: {tests} a gradient fault (see the section `{SECTION}` of each)")
