"""What a recording keeps when it is made small, and how it is parted into phases."""

from __future__ import annotations

from whygrad.flow.events import Backward, Step
from whygrad.flow.operations import Op, Tape, Value
from whygrad.flow.recording import Recording
from whygrad.trace.ring import Ring
from whygrad.trace.session import Session
from whygrad.trace.upkeep import prune


def grow(recording: Recording, session: Session, count: int) -> Recording:
    """A chain of nothing: every operation makes a value of its own that nobody holds."""
    for _ in range(count):
        at = session.tick()
        recording.ops[at] = Op(at, "mul", "compute", (), (at,), 0, True)
        recording.values[at] = Value(at, (), True, True)
    return recording


def test_what_led_to_the_first_gradient_of_a_line_stays_while_its_window_is_open() -> None:
    session = Session()
    recording = grow(Recording("tensorflow"), session, 100)
    recording.tapes[0] = Tape(0, 20, 0)
    recording.backwards = [Backward(30, "gradient", None, 7, tape=0), Backward(60, "gradient", None, 7, tape=0)]
    ring = Ring(session, recording, set)
    prune(recording, set(), 10, ring.stays(), {})
    assert sorted(recording.ops) == [*range(20, 31), *range(91, 101)]


def test_without_a_tape_it_is_so_many_operations() -> None:
    session = Session()
    recording = grow(Recording("tensorflow"), session, 100)
    recording.backwards = [Backward(30, "backward", None, 7)]
    prune(recording, set(), 10, Ring(session, recording, set).stays(), {})
    assert sorted(recording.ops) == [*range(1, 31), *range(91, 101)]


def two_windows(second_line: int) -> Recording:
    """A window of updates with gradients asked at line 1, and another, later, with those of another line."""
    session = Session()
    recording = grow(Recording("jax"), session, 10)
    ring = Ring(session, recording, set)
    recording.backwards.append(Backward(4, "grad", None, 1))
    recording.steps.append(Step(5, 0, 0, frozenset(), frozenset()))
    ring.begin()
    grow(recording, session, 10)
    ring.reopen()
    at = session.now()
    grow(recording, session, 10)
    recording.backwards.append(Backward(at + 2, "grad", None, second_line))
    recording.steps.append(Step(at + 3, 0, 0, frozenset(), frozenset()))
    recording.updates = 2
    return ring.split(lambda backward: backward.stack)


def test_a_window_that_shares_no_gradient_with_the_first_is_a_phase_of_its_own() -> None:
    first = two_windows(second_line=2)
    [second] = first.then
    assert [b.stack for b in first.backwards] == [1]
    assert [b.stack for b in second.backwards] == [2]
    assert (first.updates, second.updates, second.earlier) == (1, 1, 1)


def test_a_window_that_goes_on_with_the_same_gradient_is_no_phase() -> None:
    first = two_windows(second_line=1)
    assert first.then == []
    assert [b.stack for b in first.backwards] == [1, 1]
    assert first.updates == 2
