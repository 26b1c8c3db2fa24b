"""`whygrad.explain` and `whygrad.record`: the diagnosis from inside a program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from whygrad.diagnose import diagnose
from whygrad.report.report import Report
from whygrad.trace import loading
from whygrad.trace.session import Session

_EVERY_UPDATE = 1_000_000


def collect(session: Session, script: str, error: str | None = None) -> Report:
    """End a session and turn what it saw into a report."""
    recordings = session.finish()
    findings, notes = diagnose(recordings)
    return Report(
        script=script,
        frameworks=tuple(recording.framework for recording in recordings if recording.used),
        updates=session.updates,
        findings=tuple(findings),
        script_error=error,
        notes=(*notes, *session.notes),
    )


class record:
    """Records whatever runs inside the block; `report` holds the findings afterwards.

    ```python
    with whygrad.record() as run:
        train_step(batch)
    print(run.report)
    ```

    An exception passes through, with the findings added to its traceback.
    """

    def __init__(self) -> None:
        self.report = Report(script="", frameworks=(), updates=0, findings=())
        self._session = Session(depth=_EVERY_UPDATE)
        self._watch: loading.ImportWatch | None = None
        self._script = ""

    def __enter__(self) -> record:
        self._script = sys._getframe(1).f_code.co_filename
        self._watch = loading.begin(self._session)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watch is not None:
            self._watch.end()
        text = f"{type(error).__name__}: {error}" if error is not None else None
        self.report = collect(self._session, self._script, text)
        if error is not None and self.report.findings:
            error.add_note(str(self.report))


def explain(step: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Report:
    """Run one training step, `step(*args, **kwargs)`, and say which variables get no gradient from it, and why.

    The step really runs: weights change as they would. An exception it raises becomes `report.script_error`, because
    a step that fails is what one wants explained.

    ```python
    report = whygrad.explain(train_step, states, actions)
    print(report)
    ```
    """
    run = record()
    try:
        with run:
            step(*args, **kwargs)
    except Exception:
        pass  # it is in the report, with its text
    return run.report
