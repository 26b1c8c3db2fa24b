"""Signals that end somebody's program so that there is still a report: from outside, and after enough updates."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from whygrad.trace.session import EnoughUpdates, Session

_PATIENCE = 10
"""How often a program may swallow the request to stop before it is ended from outside."""


_BREATH = 0.1
"""Seconds that a thread waits which has swallowed the request: the main thread is about to end the program."""


class Terminated(SystemExit):
    """SIGTERM arrived."""


@contextmanager
def termination() -> Iterator[None]:
    """Let SIGTERM end the program in an orderly way, so that there is a report (of a run under a time limit, say)."""

    def end(number: int, frame: object) -> None:
        if asked:  # the program would not listen: the next signal is for Python itself
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        asked.append(number)
        raise Terminated(128 + signal.SIGTERM)

    asked: list[int] = []
    with _handler(signal.SIGTERM, end):
        yield


@contextmanager
def stopping(session: Session, give_up: Callable[[], None]) -> Iterator[None]:
    """After the last update that was asked for the program ends, in whichever thread it trains."""
    swallowed: dict[int, int] = {}
    wake: int | None = getattr(signal, "SIGURG", None)  # ignored by whoever does not ask for it

    def enough() -> None:
        me = threading.get_ident()
        swallowed[me] = swallowed.get(me, 0) + 1
        if swallowed[me] > _PATIENCE:
            give_up()
        elif wake is not None and me != threading.main_thread().ident:
            if swallowed[me] > 1:
                time.sleep(_BREATH)  # a loop that swallows it at once would else win against the main thread
            signal.pthread_kill(threading.main_thread().ident or 0, wake)
            raise SystemExit(0)  # of this very class: then a thread ends without a word

    def stop(number: int, frame: object) -> None:
        if session.stopped_early:
            raise EnoughUpdates

    session.when_enough = enough
    with _handler(wake, stop):
        yield


@contextmanager
def _handler(number: int | None, function: Callable[[int, object], None]) -> Iterator[None]:
    """A signal handler where the default one was; a forked child has the default one again."""
    try:
        if number is None or signal.getsignal(number) != signal.SIG_DFL:
            raise ValueError("the program, or its parent, has other plans with this signal")
        signal.signal(number, function)
    except ValueError:  # also where this is not the main thread
        yield
        return
    given: int = number
    masks: list[set[Any]] = []

    def restore() -> None:
        if signal.getsignal(given) is function:
            signal.signal(given, signal.SIG_DFL)

    def hold() -> None:  # a child must not meet the signal before its handler is the default one
        if signal.getsignal(given) is function:
            masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, {given}))

    def go_on() -> None:
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, masks.pop())

    def become_child() -> None:
        restore()
        go_on()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=hold, after_in_parent=go_on, after_in_child=become_child)
    try:
        yield
    finally:
        restore()
