"""Recording the first updates of a training that somebody else runs: for callbacks and the pytest plugin.

It begins in the middle of a program, ends by itself once enough was seen, and makes way for a recording that the
program begins on its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal

from whygrad.faults import BrokenContract, GradientFault
from whygrad.recording_api import collect
from whygrad.report.report import Report
from whygrad.report.terminal import options_for, render
from whygrad.trace import loading, names
from whygrad.trace.session import DEPTH, Session

OnFinding = Literal["print", "raise"] | Callable[[Report], Any]


class Background:
    """One recording that may be asked at any time whether it has seen enough."""

    def __init__(self, updates: int = DEPTH, script: str = "") -> None:
        self.updates = updates
        self.script = script
        self.reports: list[Report] = []
        self.known: dict[str, Any] = {}
        self._session: Session | None = None
        self._watch: loading.ImportWatch | None = None

    @property
    def recording(self) -> bool:
        """Whether it looks at this moment."""
        return self._session is not None

    @property
    def enough(self) -> bool:
        """Whether every optimizer was seen often enough."""
        session = self._session
        return session is not None and session.let_go_after is not None

    def begin(self, **known: Any) -> bool:
        """Begin, unless something records already: then that one will report. `known` are networks by a name."""
        self.known |= known
        if self._session is not None or loading.running() is not None:
            return False
        names.hints.update(self.known)
        session = Session(depth=self.updates)
        session.make_way = self._make_way
        self._watch = loading.begin(session)
        self._session = session
        return True

    def end(self, error: str | None = None) -> Report | None:
        """Stop looking; what was seen, None where nothing was being recorded."""
        session, watch, self._session, self._watch = self._session, self._watch, None, None
        if session is None or watch is None:
            return None
        watch.end()
        report = collect(session, self.script, error)
        names.hints.clear()
        self.reports.append(report)
        return report

    def _make_way(self) -> Callable[[], Any]:
        self.end()
        return self.begin


class FirstUpdates:
    """What the callbacks share: record the first updates of a training, then tell."""

    def __init__(self, updates: int, on_finding: OnFinding) -> None:
        if not (on_finding in ("print", "raise") or callable(on_finding)):
            raise ValueError(f"on_finding is 'print', 'raise' or a function that takes the report, got {on_finding!r}")
        if updates < 1:
            raise ValueError(f"updates is how many of the first updates are looked at, 1 or more, got {updates}")
        self.on_finding = on_finding
        self.report: Report | None = None
        self._look = Background(updates, sys.argv[0] if sys.argv else "")
        self._told = False

    def begin(self, **known: Any) -> None:
        """Training starts, or is about to go on. `known` are networks by a name, for where the program has none."""
        if not self._told:
            self._guarded(lambda: self._look.begin(**known))

    def look(self) -> None:
        """An update may have gone by."""
        if self._look.enough:
            self.tell()

    def tell(self, error: BaseException | None = None) -> None:
        """Training ends, or enough was seen: hand the report over. Only `raise` lets an exception out."""
        if not self._look.recording:
            return
        text = f"{type(error).__name__}: {error}" if error is not None else None
        self.report = self._guarded(lambda: self._look.end(text))
        if self.report is None or (self.report.updates == 0 and self.report.clean):
            return
        self._told = True
        self._look.known.clear()
        if self.on_finding == "raise":
            if not self.report.clean:
                broken = any(finding.contract for finding in self.report.findings)
                raise (BrokenContract if broken else GradientFault)(self.report)
        elif callable(self.on_finding):
            self.on_finding(self.report)
        else:
            self._guarded(self._print)

    def _print(self) -> None:
        if self.report is not None and sys.stderr is not None:
            print(render(self.report, options_for(sys.stderr)), file=sys.stderr, flush=True)

    def _guarded(self, what: Callable[[], Any]) -> Any:
        """Whatever happens to us, the training goes on."""
        try:
            return what()
        except Exception as error:
            if sys.stderr is not None:
                print(f"whygrad: {type(error).__name__}: {error}", file=sys.stderr)
            return None
