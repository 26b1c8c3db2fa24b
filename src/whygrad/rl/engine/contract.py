"""The contract of each loss, checked by the diagnoser before the first update.

An agent's losses say what they train. Here each is computed and applied once, uncompiled, under a recorder, and undone:
a network that gets no gradient, or a fault that the rules know, raises the report instead of a training that goes
nowhere.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType
from typing import Any

import numpy as np

from whygrad.contract_api import Contract, checking
from whygrad.faults import BrokenContract
from whygrad.report.report import Report
from whygrad.rl.agent import Loss
from whygrad.rl.engine.interface import Engine
from whygrad.trace import names, user_line

ROWS = 16
"""Of a batch, as many as are looked at: where a gradient flows does not depend on their number."""


class SuspiciousGradient(UserWarning):
    """The diagnoser has found something that is probably wrong in an agent's loss; the training goes on."""


def check_contracts(engine: Engine, batch: Mapping[str, Any]) -> None:
    """Raise `BrokenContract` for a loss that does not train what it says it trains."""
    few = {name: rows[:ROWS] if np.ndim(rows) else rows for name, rows in batch.items()}
    before = engine.state()
    names.hints.update(engine.networks)
    try:
        for loss in engine.losses:
            _check(engine, loss, few)
    finally:
        names.hints.clear()
        engine.load(before)


def _check(engine: Engine, loss: Loss, batch: Mapping[str, Any]) -> None:
    others = [name for name in engine.networks if name not in loss.trains]
    contract = Contract(
        f"{loss.name} loss",
        trains=[engine.held(name) for name in loss.trains],
        leaves=[engine.held(name) for name in others],
    )
    looked = checking(contract, updates=1)
    code = _code(loss.of)
    try:
        with _asked_by(engine, code), looked:
            engine.demand(loss.name, batch)
    except BrokenContract as broken:
        raise BrokenContract(_as_told(broken.report, code)) from None
    if looked.report is None:  # a recording of the whole program is under way: its own report tells
        return
    report = _as_told(looked.report, code)
    worst = {finding.severity for finding in report.findings}
    if "error" in worst:
        raise BrokenContract(report)
    if "warning" in worst:
        warnings.warn(f"{loss.name} loss\n{report}", SuspiciousGradient, stacklevel=2)


def _as_told(report: Report, code: CodeType | None) -> Report:
    """About the file with the loss; and without the error with which a framework answered to what is reported."""
    return replace(report, script=code.co_filename if code is not None else report.script, script_error=None)


@contextmanager
def _asked_by(engine: Engine, code: CodeType | None) -> Iterator[None]:
    """Inside, what the engine asks for is asked for at the end of the loss: that line, and none of ours, is shown."""
    machinery = type(engine).demand.__code__
    if code is not None:
        user_line.stand_ins[machinery] = code
    try:
        yield
    finally:
        user_line.stand_ins.pop(machinery, None)


def _code(function: Any) -> CodeType | None:
    while isinstance(function, functools.partial):
        function = function.func
    found = getattr(function, "__code__", None)  # a method has that of its function
    return found if isinstance(found, CodeType) else None
