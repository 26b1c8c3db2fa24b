"""Assertions for tests of training code: `assert_learns` and `assert_contract`.

```python
from whygrad.testing import assert_learns

def test_the_agent_learns():
    assert_learns(agent.update, agent.policy, batch)
```

The step really runs. A failure says which variables do not learn, and why: with the findings of the recorded step
where a rule explains it, else with a table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from whygrad.contract_api import Contract, check
from whygrad.faults import BrokenContract
from whygrad.flow.operations import Numbers
from whygrad.flow.recording import Recording
from whygrad.recording_api import collect
from whygrad.report.report import Report
from whygrad.report.terminal import Options, render
from whygrad.trace import loading
from whygrad.trace.session import Session
from whygrad.variable_content import Content, contents

__all__ = ["assert_contract", "assert_learns"]
__tracebackhide__ = True  # pytest shows the test's own line

_EVERY_UPDATE = 1_000_000


def assert_learns(
    step: Callable[..., Any], model: Any, /, *args: Any, updates: int = 1, frozen: Any = (), **kwargs: Any
) -> Any:
    """Run `step(*args, **kwargs)` and assert that every trainable variable of `model` learns.

    Each must get a gradient that is finite and not all zeros, and change. `model` is a module, a Keras model, a list of
    variables, or several of these; `updates` is how often the step runs; `frozen` is what is meant to stay as it is. A
    JAX step takes the parameters first and returns the new ones, alone or first in a tuple: `assert_learns(step,
    params, batch)`. Returns what the last call of the step returned.
    """
    if not callable(step):
        raise TypeError(
            f"assert_learns takes the training step and the model, assert_learns(step, model), got {step!r}"
        )
    if updates < 1:
        raise ValueError(f"updates is how often the step runs, 1 or more, got {updates}")
    __tracebackhide__ = True
    trial = _Trial(model, frozen)
    failed: Exception | None = None
    result = None
    with trial:
        try:
            for _ in range(updates):
                result = trial.run(step, args, kwargs)
        except Exception as error:
            failed = error
    report, faults = trial.outcome(failed)
    if failed is not None:
        if not any(finding.severity == "error" for finding in report.findings):
            raise failed
        raise AssertionError(_message(report, faults, failed)) from failed
    if faults:
        raise AssertionError(_message(report, faults, None))
    return result


def assert_contract(
    step: Callable[..., Any], contract: Contract, /, *args: Any, updates: int = 1, **kwargs: Any
) -> Any:
    """Run `step(*args, **kwargs)` and assert that a contract is kept; several contracts are given as a list."""
    __tracebackhide__ = True
    contracts = tuple(contract) if isinstance(contract, list | tuple) else (contract,)
    if not contracts or not all(isinstance(one, Contract) for one in contracts):
        raise TypeError(
            "assert_contract takes the training step and its contract, "
            "assert_contract(step, whygrad.contract('loss', trains=[net])), "
            f"got {type(contract).__name__}"
        )
    broken: Report | None = None
    result = None
    try:
        for _ in range(updates):
            result = check(contracts, step, *args, **kwargs)
    except BrokenContract as error:
        broken = error.report
    if broken is not None:
        raise AssertionError(f"the contract is broken\n{render(broken, Options())}")
    return result


@dataclass(slots=True)
class _Fault:
    """One variable that does not learn, in words."""

    name: str
    what: str


class _Trial:
    """The variables before and after, and the recording between."""

    def __init__(self, model: Any, frozen: Any) -> None:
        self.model = model
        self.frozen = frozen
        self.after: Any = model
        self.before = contents([model], except_=[frozen])
        self.session: Session | None = None
        self._watch: loading.ImportWatch | None = None
        self._resume: Callable[[], Any] | None = None
        if not self.before:
            raise ValueError(
                f"assert_learns found nothing to train in {type(model).__name__}: give it the model, or the list of "
                "its variables; a model that builds itself on its first call must be called once before"
            )

    def __enter__(self) -> _Trial:
        self._resume = loading.make_way()
        if loading.running() is None:
            self.session = Session(depth=_EVERY_UPDATE)
            self._watch = loading.begin(self.session)
        return self

    def __exit__(self, *error: object) -> None:
        if self._watch is not None:
            self._watch.end()

    def run(self, step: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """One update; a step on values (JAX) gets the parameters first and returns them."""
        if not next(iter(self.before.values())).by_value:
            return step(*args, **kwargs)
        result = step(self.after, *args, **kwargs)
        new = result[0] if isinstance(result, tuple) and not hasattr(result, "_fields") else result
        self.after = new
        return result

    def outcome(self, error: Exception | None) -> tuple[Report, list[_Fault]]:
        """The report of the recording, and every variable that did not learn."""
        recordings: list[Recording] = []
        report = Report(script="", frameworks=(), updates=0, findings=())
        if self.session is not None:
            text = f"{type(error).__name__}: {error}" if error is not None else None
            for content in self.before.values():
                self.session.contracts.ask_about(content.variable)
            report = collect(self.session, _caller(), text)
            recordings = self.session.recordings
        if self._resume is not None:
            self._resume()
        after = contents([self.after], except_=[self.frozen])
        seen = {r.framework: r for r in recordings}
        faults = []
        for key, content in self.before.items():
            what = _wrong(content, after.get(key), _gradients(seen, self.session, content), bool(error))
            if what:
                faults.append(_Fault(_name(seen, self.session, content), what))
        return report, faults


def _wrong(before: Content, after: Content | None, gradients: list[Numbers], failed: bool) -> str:
    """What is wrong with one variable, empty where it learns."""
    wild = next((gradient for gradient in gradients if not gradient.finite), None)
    if wild is not None:
        return f"its gradient is not finite ({wild.nans} NaN, {wild.infs} infinite of {wild.size})"
    if gradients and all(gradient.all_zero for gradient in gradients):
        return "its gradient is all zeros"
    if failed:
        return ""
    if after is None:
        return "it is gone after the step"
    if after.broken:
        return "it holds NaN or infinity after the step"
    if before.digest == after.digest:
        return "it did not change"
    return ""


def _gradients(recordings: dict[str, Recording], session: Session | None, content: Content) -> list[Numbers]:
    """The gradients that were applied to a variable, where the recorder looked into them."""
    for framework, recorder in session.recorders.items() if session is not None else ():
        number = recorder.variable_number(content.variable, adopt=False)
        if number is not None and framework in recordings:
            return [step.gradients[number] for step in recordings[framework].steps if number in step.gradients]
    return []


def _name(recordings: dict[str, Recording], session: Session | None, content: Content) -> str:
    for framework, recorder in session.recorders.items() if session is not None else ():
        number = recorder.variable_number(content.variable, adopt=False)
        if number is not None and framework in recordings:
            name = recordings[framework].variables[number].name
            if name and not name.startswith(("parameter ", "tensor (")):
                return name
    return content.name


def _message(report: Report, faults: list[_Fault], error: Exception | None) -> str:
    count = "1 variable does not learn" if len(faults) == 1 else f"{len(faults)} variables do not learn"
    lines = [f"the step failed: {type(error).__name__}: {error}" if error is not None else count]
    names = {fault.name for fault in faults}
    telling = [f for f in report.findings if f.severity != "note" and (error or names & set(f.variables))]
    if telling:
        lines.append(render(report, Options()))
    told = {name for finding in telling for name in finding.variables}
    rest = [fault for fault in faults if fault.name not in told]
    if rest:
        width = min(48, max(len(fault.name) for fault in rest))
        lines += [f"  {fault.name:<{width}}  {fault.what}" for fault in rest]
    return "\n".join(lines)


def _caller() -> str:
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return frame.f_code.co_filename if frame is not None else ""
