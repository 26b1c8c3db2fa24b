"""The proofs that what left the framework is what came back: the same memory, the same numbers, the source."""

from __future__ import annotations

from pathlib import Path

import pytest

np = pytest.importorskip("numpy")

from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording
from whygrad.flow.site import Site
from whygrad.trace.handover import Exits


def recording(*ops: Op, stacks: tuple[tuple[Site, ...], ...] = ((),)) -> Recording:
    made = Recording("torch", ops={op.at: op for op in ops})
    made.stacks = list(stacks)
    return made


def leave(at: int, stack: int = 0) -> Op:
    return Op(at, "numpy", "leave", (), (), stack, False)


def enter(at: int, stack: int = 0) -> Op:
    return Op(at, "tensor", "enter", (), (at,), stack, False)


def links(made: Recording, exits: Exits) -> list[tuple[int, int, str]]:
    exits.link(made)
    return [(h.left, h.entered, h.proof) for h in made.handovers]


def test_same_memory() -> None:
    exits, array = Exits(), np.arange(4.0)
    exits.left(1, array)
    exits.entered(2, array[1:3])
    assert links(recording(leave(1), enter(2)), exits) == [(1, 2, "memory")]


def test_other_memory_is_no_proof() -> None:
    exits, array = Exits(), np.arange(4.0)
    exits.left(1, array)
    exits.entered(2, array + 1.0)
    assert links(recording(leave(1), enter(2)), exits) == []


def test_memory_of_an_array_that_is_gone_is_no_proof() -> None:
    exits = Exits()
    array = np.full(4, 2.0)
    exits.left(1, array)
    del array
    exits.entered(2, np.full(4, 2.0))
    assert links(recording(leave(1), enter(2)), exits) == []


@pytest.mark.parametrize("data", [0.7351928, [0.1, 0.7351928], ((0.7351928,),), np.array([[0.7351928]])])
def test_same_number(data: object) -> None:
    exits = Exits()
    exits.left(1, 0.7351928)
    exits.entered(2, data)
    assert (1, 2, "value") in links(recording(leave(1), enter(2)), exits)


def test_a_number_whose_sign_was_turned() -> None:
    exits = Exits()
    exits.left(1, 0.7351928)
    exits.entered(2, -0.7351928)
    assert links(recording(leave(1), enter(2)), exits) == [(1, 2, "value")]


def test_each_number_of_a_list_is_traced_to_its_own_exit() -> None:
    exits = Exits()
    for at, number in enumerate((0.1234567, 0.2345678, 0.3456789), 1):
        exits.left(at, number)
    exits.entered(9, [0.1234567, 0.3456789])
    made = recording(leave(1), leave(2), leave(3), enter(9))
    assert links(made, exits) == [(1, 9, "value"), (3, 9, "value")]


@pytest.mark.parametrize("common", [0.0, 1.0, 0.5, -2.0, 0.25, 3.0, float("nan")])
def test_numbers_that_are_everywhere_prove_nothing(common: float) -> None:
    exits = Exits()
    exits.left(1, common)
    exits.entered(2, [common])
    assert links(recording(leave(1), enter(2)), exits) == []


def test_integers_prove_nothing() -> None:
    exits = Exits()
    exits.left(1, np.array([7, 8]))
    exits.entered(2, [7, 8])
    assert links(recording(leave(1), enter(2)), exits) == []


def test_large_data_are_known_again_by_their_first_numbers() -> None:
    exits = Exits()
    exits.left(1, np.linspace(0.1, 0.9, 5000))
    exits.entered(2, np.linspace(0.1, 0.9, 5000))
    assert links(recording(leave(1), enter(2)), exits) == [(1, 2, "value")]


def test_large_data_that_are_others_or_say_too_little_are_not_linked() -> None:
    for left, entered in (
        (np.linspace(0.1, 0.9, 5000), np.linspace(0.1, 0.8, 5000)),
        (np.linspace(0.1, 0.9, 5000), np.linspace(0.1, 0.9, 5001)),
        (np.zeros(5000), np.zeros(5000)),
    ):
        exits = Exits()
        exits.left(1, left)
        exits.entered(2, entered)
        assert links(recording(leave(1), enter(2)), exits) == []


def test_operations_that_were_let_go_are_not_linked() -> None:
    exits, array = Exits(), np.arange(3.0)
    exits.left(1, array)
    exits.entered(2, array)
    assert links(recording(enter(2)), exits) == []


def places(tmp_path: Path) -> tuple[tuple[Site, ...], ...]:
    file = tmp_path / "trip.py"
    file.write_text("pushed = force.numpy()\nmoved = sin(pushed)\nreached = tensor(moved)\n")
    out = Site(str(file), 1, 9, 1, 22, "<module>", first_line=1)
    back = Site(str(file), 3, 10, 3, 23, "<module>", first_line=1)
    return (out,), (back,)


def test_the_source_where_arithmetic_lies_between(tmp_path: Path) -> None:
    exits = Exits()
    exits.left(1, np.array([0.3]))
    exits.entered(2, np.sin(np.array([0.3])))
    made = recording(leave(1, 0), enter(2, 1), stacks=places(tmp_path))
    assert links(made, exits) == [(1, 2, "source")]


def test_a_proof_makes_the_source_superfluous(tmp_path: Path) -> None:
    exits, array = Exits(), np.array([0.5])
    exits.left(1, array)
    exits.entered(2, array)
    made = recording(leave(1, 0), enter(2, 1), stacks=places(tmp_path))
    assert links(made, exits) == [(1, 2, "memory")]


def test_what_was_taken_in_already_is_not_taken_in_again(tmp_path: Path) -> None:
    """The second update's entry belongs to the second update's exit."""
    exits = Exits()
    for at in (1, 3):
        exits.left(at, np.array([0.3]))
        exits.entered(at + 1, np.sin(np.array([0.3])))
    made = recording(leave(1, 0), enter(2, 1), leave(3, 0), enter(4, 1), stacks=places(tmp_path))
    assert links(made, exits) == [(1, 2, "source"), (3, 4, "source")]


def test_an_exit_that_is_not_to_be_followed_is_linked_by_proof_alone(tmp_path: Path) -> None:
    exits = Exits()
    exits.left(1, np.array([0.3]), follow=False)
    exits.entered(2, np.sin(np.array([0.3])))
    assert links(recording(leave(1, 0), enter(2, 1), stacks=places(tmp_path)), exits) == []
