"""`whygrad.explain` and `whygrad.record`: the diagnosis from inside a program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from whygrad.diagnose import diagnose, drawings, tables
from whygrad.frames import visible_callers
from whygrad.report.report import Report
from whygrad.trace import loading
from whygrad.trace.session import Session

_EVERY_UPDATE = 1_000_000


def collect(session: Session, script: str, error: str | None = None) -> Report:
    """End a session and turn what it saw into a report."""
    session.failed = error is not None
    recordings = session.finish()
    for recording in recordings:
        recording.failed = error is not None
    try:
        findings, notes = diagnose(recordings)
    except Exception as trouble:  # a report that says so is better than none
        session.trouble("recorded", trouble)
        findings, notes = [], []
    owned = tables(recordings, notes)
    drawn = drawings(recordings, findings, owned, notes)
    used = [recording.framework for recording in recordings if recording.used]
    return Report(
        script=script,
        frameworks=tuple(dict.fromkeys(used or [recording.framework for recording in recordings])),
        updates=session.updates,
        findings=tuple(findings),
        script_error=error,
        notes=(*notes, *session.notes),
        ownership=tuple(one for one in owned if one is not None),
        drawings=drawn,
    )


class record:
    """Records whatever runs inside the block; `report` holds the findings afterwards.

    ```python
    with whygrad.record() as run:
        train_step(batch)
    print(run.report)
    ```

    An exception passes through, with the findings added to its traceback. Only one block can record at a time: a
    second one inside it raises `RuntimeError`. In a script started with `whygrad run` the block records nothing, since
    the whole script is recorded already.
    """

    def __init__(self) -> None:
        self.report = Report(script="", frameworks=(), updates=0, findings=())
        self._session: Session | None = None
        self._watch: loading.ImportWatch | None = None
        self._resume: Callable[[], Any] | None = None

    def __enter__(self) -> record:
        self._resume = loading.make_way()
        other = loading.running()
        callers = visible_callers(sys._getframe(1))
        script = callers[0].f_code.co_filename if callers else ""
        notes: tuple[str, ...] = ()
        if other is not None and other.whole_script:
            notes = ("`whygrad run` records the whole script: its report, at the end, covers this block too",)
        elif other is not None:
            raise RuntimeError(
                "whygrad is recording already: leave the other `whygrad.record()` block (or the step that "
                "`whygrad.explain` runs) before beginning a new one"
            )
        self.report = Report(script=script, frameworks=(), updates=0, findings=(), notes=notes)
        if other is None:
            self._session = Session(depth=_EVERY_UPDATE)
            self._watch = loading.begin(self._session)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watch is None or self._session is None:
            return
        if isinstance(error, Exception):
            self._session.ended_by(error)
        self._watch.end()
        text = f"{type(error).__name__}: {error}" if error is not None else None
        self.report = collect(self._session, self.report.script, text)
        self._watch = self._session = None
        if self._resume is not None:
            self._resume()
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
    if not callable(step):
        raise TypeError(
            f"whygrad.explain needs the function of a training step and its arguments, explain(step, batch), "
            f"and got {type(step).__name__}: perhaps the result of step(batch)"
        )
    run = record()
    try:
        with run:
            step(*args, **kwargs)
    except Exception:
        if not run.report.script_error:
            raise  # not recorded by us
    return run.report
