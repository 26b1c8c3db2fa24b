"""The table of who trains what: the names in its cells."""

from __future__ import annotations

from whygrad.flow.ownership import OptimizerRow, Ownership


def test_optimizers_of_one_name_are_counted():
    labels = ("Adam", "Adam", "critic_opt", "Adam")
    table = Ownership("torch", optimizers=tuple(OptimizerRow(label, "Adam", None, 4) for label in labels))
    assert table.called((0, 1, 3, 2)) == "Adam (3 of them), critic_opt"
    assert table.called((2, 0)) == "critic_opt, Adam"
    assert table.called(()) == ""
