"""Trees as lists and back."""

from __future__ import annotations

from typing import NamedTuple

from whygrad.rl.engine.trees import leaves, planted


class Pair(NamedTuple):
    left: int
    right: int


def test_the_order_is_that_of_names_at_every_depth():
    one = ({"b": {"z": 1, "a": 2}, "a": [3, (4, None)]},)
    other = ({"a": [3, (4, None)], "b": {"a": 2, "z": 1}},)
    assert leaves(one) == leaves(other) == [3, 4, 2, 1]


def test_planting_gives_each_leaf_its_place():
    form = ({"score": 0, "length": 0, "games": {"z": 0, "a": 0}}, Pair(0, 0), None, [0])
    tree = ({"games": {"a": 1, "z": 2}, "length": 3, "score": 4}, Pair(5, 6), None, [7])
    assert planted(form, leaves(tree)) == tree
    assert planted(None, []) is None
