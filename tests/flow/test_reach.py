"""Reachability on random programs: where a gradient stops, told from data flow and gradient flow alone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from whygrad.flow import reach
from whygrad.flow.events import Handover
from whygrad.flow.operations import Kind, Op, Value
from whygrad.flow.recording import Recording
from whygrad.flow.variables import Variable

VARIABLES = 4

# What an operation does to a gradient: the kind, and whether the framework would carry one.
KINDS: list[tuple[Kind, str, bool]] = [
    ("compute", "add", True),
    ("compute", "mul", True),
    ("compute", "matmul", True),
    ("compute", "round", True),
    ("stop", "detach", False),
    ("discrete", "argmax", False),
    ("opaque", "solve", False),
]


@st.composite
def recordings(draw: st.DrawFn) -> tuple[Recording, int]:
    """A random program over a few variables and inputs, and the number of its loss. Liveness is PyTorch's: a result
    is live when a carrying operation had a live input."""
    recording = Recording("torch")
    for number in range(VARIABLES):
        recording.variables[number] = Variable(number, f"v{number}", f"v{number}", (), True, None)
        recording.values[number] = Value(number, (), floating=True, live=True, variable=number)
    inputs = draw(st.integers(0, 2))
    for number in range(VARIABLES, VARIABLES + inputs):
        recording.values[number] = Value(number, (), floating=True, live=False)
    for clock in range(1, draw(st.integers(1, 14)) + 1):
        known = sorted(recording.values)
        sources = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
        kind, name, carries = draw(st.sampled_from(KINDS))
        live = carries and any(recording.values[s].live for s in sources)
        target = len(known)
        floating = kind != "discrete"
        recording.values[target] = Value(target, (), floating=floating, live=live and floating)
        place = draw(st.integers(0, 3))  # few, so that some operations are one expression that a loop comes back to
        recording.ops[clock] = Op(clock, name, kind, tuple(sources), (target,), place, live)
    return recording, draw(st.sampled_from(sorted(set(recording.values) - set(range(VARIABLES)) or {0})))


def sliced(recording: Recording, loss: int) -> reach.Slice:
    return reach.backward_slice(recording, loss, reach.producers(recording), len(recording.ops) + 1)


def by_data(recording: Recording, part: reach.Slice) -> set[int]:
    return {v for n in part.values if (v := recording.values[n].variable) is not None}


def by_gradient(recording: Recording, part: reach.Slice) -> set[int]:
    reached = reach.gradient_reach(recording, part, None)
    return {v for n in reached if (v := recording.values[n].variable) is not None}


def paths(recording: Recording, start: int, end: int) -> list[list[int]]:
    """Every way from a value to another, as clocks of operations: slow, obvious, and written on its own."""
    if start == end:
        return [[]]
    found = []
    for op in recording.ops.values():
        if start in op.inputs:
            found += [[op.at, *rest] for target in op.outputs for rest in paths(recording, target, end)]
    return found


def open_way(recording: Recording, start: int, end: int) -> bool:
    """Whether one of the ways lets a gradient through all along."""
    if start == end:
        return True
    return any(
        open_way(recording, target, end)
        for op in recording.ops.values()
        if start in op.inputs
        for target in op.outputs
        if reach.carries(recording, op, start, target, None)
    )


@given(recordings())
def test_slice_holds_exactly_what_leads_to_the_loss(case: tuple[Recording, int]) -> None:
    recording, loss = case
    part = sliced(recording, loss)
    assert part.values == {value for value in recording.values if paths(recording, value, loss)}
    assert [op.at for op in part.ops] == sorted({op.at for op in part.ops})


@given(recordings())
def test_gradient_arrives_where_an_open_way_leads(case: tuple[Recording, int]) -> None:
    recording, loss = case
    part = sliced(recording, loss)
    reached = reach.gradient_reach(recording, part, None)
    assert reached <= part.values
    assert reached == {value for value in part.values if open_way(recording, value, loss)}


@given(recordings())
@settings(max_examples=300)
def test_a_variable_is_cut_iff_it_reaches_the_loss_by_data_and_not_by_gradient(case: tuple[Recording, int]) -> None:
    recording, loss = case
    part = sliced(recording, loss)
    lost = by_data(recording, part) - by_gradient(recording, part)
    found = reach.cuts(recording, part, lost, None)
    assert {v for cut in found for v in cut.variables} == lost


@given(recordings())
def test_an_unlost_variable_may_have_cuts_and_never_only_cuts(case: tuple[Recording, int]) -> None:
    recording, loss = case
    part = sliced(recording, loss)
    for variable in by_gradient(recording, part):
        stopped = {cut.op.at for cut in reach.cuts(recording, part, [variable], None)}
        assert any(not stopped & set(way) for way in paths(recording, variable, loss))


@given(recordings())
def test_a_variable_that_the_loss_is_not_computed_from_has_no_cut(case: tuple[Recording, int]) -> None:
    recording, loss = case
    part = sliced(recording, loss)
    unreached = set(range(VARIABLES)) - by_data(recording, part)
    assert reach.cuts(recording, part, unreached, None) == []


@given(recordings())
def test_every_cut_lies_on_a_way_from_its_variables_to_the_loss(case: tuple[Recording, int]) -> None:
    recording, loss = case
    part = sliced(recording, loss)
    for cut in reach.cuts(recording, part, range(VARIABLES), None):
        assert cut.variables
        for variable in cut.variables:
            assert any(cut.op.at in way for way in paths(recording, variable, loss))


@given(recordings())
def test_the_gradient_gets_as_far_as_the_cut(case: tuple[Recording, int]) -> None:
    recording, loss = case
    part = sliced(recording, loss)
    for cut in reach.cuts(recording, part, range(VARIABLES), None):
        for variable in cut.variables:
            assert any(open_way(recording, variable, source) for source in cut.op.inputs)


@given(recordings())
def test_mending_a_cut_that_stands_alone_opens_a_way(case: tuple[Recording, int]) -> None:
    """`alone` promises that no second wall stands behind the cut. A stop that is met again is the same wall."""
    recording, loss = case
    part = sliced(recording, loss)
    for cut in reach.cuts(recording, part, range(VARIABLES), None):
        if cut.alone:
            walls = {op.at for op in recording.ops.values() if reach.wall(op, None) and not met_again(cut.op, op)}
            behind = [way for target in cut.op.outputs for way in paths(recording, target, loss)]
            assert any(not walls & set(way) for way in behind)


def met_again(stop: Op, op: Op) -> bool:
    """Whether an operation is the same stop in another round of a loop."""
    return op.kind == stop.kind == "stop" and (op.name, op.stack) == (stop.name, stop.stack)


@given(recordings(), st.integers(0, VARIABLES - 1))
def test_cuts_of_one_variable_are_its_share_of_the_cuts_of_all(case: tuple[Recording, int], variable: int) -> None:
    recording, loss = case
    part = sliced(recording, loss)
    alone = {cut.op.at for cut in reach.cuts(recording, part, [variable], None)}
    together = {cut.op.at for cut in reach.cuts(recording, part, range(VARIABLES), None) if variable in cut.variables}
    assert alone == together


def chain(*kinds: tuple[Kind, str, bool]) -> Recording:
    """One variable, one operation after the other."""
    recording = Recording("torch")
    recording.variables[0] = Variable(0, "w", "w", (), True, None)
    recording.values[0] = Value(0, (), floating=True, live=True, variable=0)
    live = True
    for at, (kind, name, carries) in enumerate(kinds, 1):
        live = live and carries
        recording.values[at] = Value(at, (), floating=True, live=live)
        recording.ops[at] = Op(at, name, kind, (at - 1,), (at,), 0, live)
    return recording


def test_only_the_first_of_two_stops_is_the_cut_and_it_does_not_stand_alone() -> None:
    recording = chain(("compute", "mul", True), ("stop", "detach", False), ("opaque", "solve", False))
    [cut] = reach.cuts(recording, sliced(recording, 3), [0], None)
    assert (cut.op.at, cut.alone) == (2, False)


def test_a_stop_in_a_loop_stands_alone_and_two_stops_do_not() -> None:
    recording = chain(("compute", "mul", True), ("stop", "detach", False), ("stop", "detach", False))
    [cut] = reach.cuts(recording, sliced(recording, 3), [0], None)
    assert (cut.op.at, cut.alone) == (2, True)
    recording.ops[3].stack = 1
    [cut] = reach.cuts(recording, sliced(recording, 3), [0], None)
    assert (cut.op.at, cut.alone) == (2, False)


def test_a_step_function_stops_a_gradient_that_the_framework_would_carry() -> None:
    recording = chain(("compute", "round", True), ("compute", "mul", True))
    [cut] = reach.cuts(recording, sliced(recording, 2), [0], None)
    assert (cut.op.at, cut.alone) == (1, True)


def test_a_detach_before_numpy_is_one_wall_with_it() -> None:
    recording = chain(("compute", "mul", True), ("stop", "detach", False))
    recording.ops[3] = Op(3, "numpy", "leave", (2,), (), 0, False)
    recording.values[4] = Value(4, (), floating=True, live=False)
    recording.ops[4] = Op(4, "from_numpy", "enter", (), (4,), 0, False)
    recording.handovers.append(Handover(3, 4, "memory"))
    part = sliced(recording, 4)
    assert [op.at for op in part.ops] == [1, 2, 3, 4]
    [cut] = reach.cuts(recording, part, [0], None)
    assert (cut.op.at, cut.alone) == (2, True)


def test_a_round_trip_counts_only_with_a_proof_that_is_believed() -> None:
    recording = chain(("compute", "mul", True))
    recording.ops[2] = Op(2, "item", "leave", (1,), (), 0, False)
    recording.values[3] = Value(3, (), floating=True, live=False)
    recording.ops[3] = Op(3, "tensor", "enter", (), (3,), 0, False)
    recording.handovers.append(Handover(2, 3, "source"))
    made = reach.producers(recording)
    assert 0 not in reach.backward_slice(recording, 3, made, 4, reach.CERTAIN).values
    assert 0 not in reach.backward_slice(recording, 3, made, 4, reach.PROVED).values
    assert 0 in reach.backward_slice(recording, 3, made, 4, reach.SUGGESTED).values


def test_what_came_after_the_backward_pass_does_not_count() -> None:
    recording = chain(("compute", "mul", True), ("compute", "add", True))
    part = reach.backward_slice(recording, 2, reach.producers(recording), until=2)
    assert part.ops == []


def test_a_tape_carries_only_what_it_recorded() -> None:
    recording = chain(("compute", "mul", True), ("compute", "add", True))
    recording.ops[2].tapes = (7,)
    [cut] = reach.cuts(recording, sliced(recording, 2), [0], tape=7)
    assert (cut.op.at, cut.alone) == (1, True)
    assert reach.cuts(recording, sliced(recording, 2), [0], tape=None) == []


def test_a_stretch_without_recording_is_one_wall_however_long() -> None:
    recording = chain(*[("compute", "mul", False)] * 3, ("compute", "add", True))
    for at in (1, 2, 3):
        recording.ops[at].switch = 1
    [cut] = reach.cuts(recording, sliced(recording, 4), [0], None)
    assert (cut.op.at, cut.alone) == (1, True)


def test_value_cuts_speak_of_the_value() -> None:
    recording = chain(("compute", "mul", True), ("stop", "detach", False))
    [cut] = reach.value_cuts(recording, sliced(recording, 2), 1, None)
    assert (cut.op.at, cut.variables) == (2, frozenset({1}))
    assert reach.value_cuts(recording, sliced(recording, 1), 2, None) == []
