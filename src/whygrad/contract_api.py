"""`whygrad.contract`: what a loss trains and what it leaves alone, declared by the program and checked.

A contract speaks of one loss. It is checked on demand (`contract.check(step, batch)`), around a training step
(`with contract:`, `@contract`) for the first few updates, and in every recording: `whygrad run`, `whygrad.record`,
the callbacks.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from whygrad.contract_demand import loss_of, reached
from whygrad.faults import BrokenContract
from whygrad.frames import visible_callers
from whygrad.recording_api import collect
from whygrad.report.report import Report
from whygrad.rules.contracts import has_its_loss
from whygrad.rules.finding import Finding
from whygrad.trace import declared, loading
from whygrad.trace.session import Session

UPDATES = 3
"""First updates that are checked."""
_PATIENCE = 25
"""How many times `updates` to look at a step in which the contract's loss does not occur."""
_EVERY_UPDATE = 1_000_000

P = ParamSpec("P")
R = TypeVar("R")


class Contract:
    """What one loss trains and what it leaves alone, as plain data.

    Networks are PyTorch modules, Keras models and layers, optimizers, single variables, lists or pytrees of these, or
    the names by which the program calls them.
    """

    def __init__(self, loss: str, *, trains: Any = (), leaves: Any = (), updates: int = UPDATES) -> None:
        if not isinstance(loss, str) or not loss.strip():
            raise TypeError(
                f"a contract begins with what the loss is called, contract('actor loss', trains=…), got {loss!r}"
            )
        self.loss = loss
        self.trains = _together(trains)
        self.leaves = _together(leaves)
        if not self.trains and not self.leaves:
            raise ValueError(
                f"the contract {loss!r} says nothing: give trains=, leaves= or both "
                "(a network that is not built yet counts as given)"
            )
        self._checks = Checks((self,), updates)

    def __repr__(self) -> str:
        sides = [
            f"{word}={', '.join(_called(thing) for thing in things)}"
            for word, things in (("trains", self.trains), ("leaves", self.leaves))
            if things
        ]
        return f"<contract {self.loss!r}: {'; '.join(sides)}>"

    def among(self, networks: Mapping[str, Any]) -> Contract:
        """The same contract with its names replaced by these networks; a name that is not among them is an error."""
        missing = [n for n in (*self.trains, *self.leaves) if isinstance(n, str) and n not in networks]
        if missing:
            raise KeyError(
                f"the contract {self.loss!r} names {missing[0]!r}; there are {', '.join(networks) or 'none'}"
            )
        trains, leaves = (
            [networks[thing] if isinstance(thing, str) else thing for thing in side]
            for side in (self.trains, self.leaves)
        )
        return Contract(self.loss, trains=trains, leaves=leaves, updates=self._checks.updates)

    def check(self, what: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Check now; raises `BrokenContract`.

        `check(step, *args)` runs one training step, or computes a loss with a function that returns it, and gives back
        what it returned. `check(loss)` asks a PyTorch loss, `check(tape, loss)` a persistent `GradientTape`, whether a
        gradient arrives where it should; why it does not is told only by the first form.
        """
        if callable(what) and not hasattr(what, "backward"):
            return check((self,), what, *args, **kwargs)
        missing = reached(what, args, declared.variables(self.trains))
        if missing:
            raise BrokenContract(_plain_report(self, missing))
        return what

    def __enter__(self) -> Contract:
        self._checks.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._checks.__exit__(kind, error, trace)

    def __call__(self, step: Callable[P, R]) -> Callable[P, R]:
        """Decorate the training step: its first updates are checked."""
        return self._checks(step)


def contract(loss: str, *, trains: Any = (), leaves: Any = (), updates: int = UPDATES) -> Contract:
    """Declare what a loss trains and what it leaves alone.

    ```python
    contract = whygrad.contract("actor loss", trains=[actor], leaves=[critic])

    @contract
    def update(batch):
        ...
    ```

    The first `updates` calls are checked; a broken contract raises `BrokenContract`. Every recording (`whygrad run`,
    `whygrad.record`, a callback) reads the declaration too: what is meant is no finding, what is broken is one.
    """
    made = Contract(loss, trains=trains, leaves=leaves, updates=updates)
    callers = visible_callers(sys._getframe(1))
    place = (callers[0].f_code.co_filename, callers[0].f_lineno) if callers else ("", 0)
    declared.remember(made, *place)
    return made


def checking(*contracts: Contract, updates: int = UPDATES) -> Checks:
    """Several contracts of one training step, as a `with` block or a decorator.

    ```python
    @whygrad.checking(actor_contract, critic_contract)
    def update(batch):
        ...
    ```
    """
    if not contracts or not all(isinstance(one, Contract) for one in contracts):
        raise TypeError("whygrad.checking takes contracts: checking(actor_contract, critic_contract)")
    return Checks(contracts, updates)


def check(contracts: tuple[Contract, ...], step: Callable[..., R], /, *args: Any, **kwargs: Any) -> R:
    """Run one training step (or compute one loss) and raise `BrokenContract` where a contract is not kept."""
    checks = Checks(contracts, 1)
    with checks:
        networks = [thing for one in contracts for thing in one.trains]
        result: R = loss_of(networks, step, args, kwargs, checks.session)
        return result


class Checks:
    """Looks at the first updates that pass through it, then steps out of the way."""

    def __init__(self, contracts: tuple[Contract, ...], updates: int) -> None:
        if updates < 1:
            raise ValueError(f"updates is how many of the first updates are checked, 1 or more, got {updates}")
        self.contracts = contracts
        self.updates = updates
        self.session: Session | None = None
        self.report: Report | None = None
        """What the last look gave, findings that concern no contract among it."""
        self._seen = 0
        self._entered = 0
        self._watch: loading.ImportWatch | None = None
        self._begun: tuple[Session, int] | None = None
        self._depth = 0
        self._resume: Callable[[], Any] | None = None
        self._before: list[tuple[list[Any], list[Any]]] = []

    @property
    def done(self) -> bool:
        """Whether enough was seen."""
        return self._seen >= self.updates or self._entered >= _PATIENCE * self.updates

    def __enter__(self) -> Checks:
        self._depth += 1
        if self._depth > 1 or self.done:
            return self
        self._entered += 1
        self._before = [(declared.variables(one.trains), declared.variables(one.leaves)) for one in self.contracts]
        self._resume = loading.make_way()
        other = loading.running()
        if other is not None:
            self._begun = other, other.now()  # whoever records already will tell
            return self
        self.session = Session(depth=_EVERY_UPDATE)
        self._watch = loading.begin(self.session)
        self._begun = self.session, self.session.now()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth or self._begun is None:
            return
        session, begin = self._begun
        self._begun = None
        for one, before in zip(self.contracts, self._before, strict=True):
            session.contracts.add(one, begin, session.now(), before)
        self._before = []
        if self._watch is None or self.session is None:
            self._seen += 1
            return
        watch, self._watch, self.session = self._watch, None, None
        watch.end()
        try:
            self._judge(session, error)
        finally:
            if self._resume is not None:
                self._resume()

    def _judge(self, session: Session, error: BaseException | None) -> None:
        if error is not None and not isinstance(error, Exception):
            session.finish()
            return  # an interrupt is no matter of contracts
        report = collect(session, _script(), f"{type(error).__name__}: {error}" if error is not None else None)
        self.report = report
        found = all(any(has_its_loss(r, one.loss) for r in session.recordings) for one in self.contracts)
        self._seen += found or self._seen > 0  # until its first time a loss is waited for
        if any(finding.contract for finding in report.findings):
            raise BrokenContract(report) from error
        if error is not None and report.findings:
            error.add_note(str(report))

    def __call__(self, step: Callable[P, R]) -> Callable[P, R]:
        """Decorate the training step."""
        if not callable(step):
            raise TypeError(f"a contract decorates the function of a training step, got {type(step).__name__}")

        @functools.wraps(step)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            if self.done:
                return step(*args, **kwargs)
            with self:
                return step(*args, **kwargs)

        return checked


def _script() -> str:
    callers = visible_callers(sys._getframe(1))
    return callers[0].f_code.co_filename if callers else ""


def _together(things: Any) -> tuple[Any, ...]:
    """One network or several, as a tuple; what can be read only once (`actor.parameters()`) is read here."""
    if isinstance(things, list | tuple | set | frozenset):
        return tuple(list(one) if hasattr(one, "__next__") else one for one in things)
    if hasattr(things, "__next__"):
        return tuple(things)
    return () if things is None else (things,)


def _called(thing: Any) -> str:
    return thing if isinstance(thing, str) else type(thing).__name__


def _plain_report(contract: Contract, missing: list[str]) -> Report:
    """What can be said of a loss that was computed before anybody looked."""
    named = ", ".join(f"`{name}`" for name in missing[:6]) + (f" and {len(missing) - 6} more" if missing[6:] else "")
    finding = Finding(
        code="W105",
        rule="loss-ignores",
        severity="error",
        message=f"the contract `{contract.loss}` is broken: {named} {'gets' if len(missing) == 1 else 'get'} no "
        "gradient from this loss",
        why="The framework's own graph of this loss does not lead there.",
        fix="check the whole step to see where the gradient stops: contract.check(step, batch), or `with contract:` "
        "around it",
        variables=tuple(missing),
        where=None,
        contract=contract.loss,
    )
    return Report(script=_script(), frameworks=(), updates=0, findings=(finding,))
