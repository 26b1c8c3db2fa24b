"""Captured functions give what the functions give, also where copies and changes in place meet."""

from __future__ import annotations

import keras
import pytest

if keras.backend.backend() != "torch":
    pytest.skip("captures are PyTorch's", allow_module_level=True)

import torch

from whygrad.rl.engine.torch_capture import capture


def changed_after_the_copy(x):
    y = x * 2.0
    copy = y.clone()
    y.add_(1.0)
    return copy + y


def changed_through_a_view(x):
    y = x * 2.0
    copy = y.clone()
    y.t()[0].mul_(3.0)
    return copy.sum() + y


def copy_changed(x):
    y = x * 2.0
    copy = y.clone()
    copy.mul_(5.0)
    return copy + y


def changed_part(x):
    first, second = (x * 2.0).split(2)
    copy = first.clone()
    first.add_(second)
    return copy - first


def copied_twice(x):
    y = (x * 2.0).permute(1, 0)
    return y.clone(memory_format=torch.contiguous_format).clone() @ x


def input_copied(x):
    return x.clone() + 1.0


FUNCTIONS = [changed_after_the_copy, changed_through_a_view, copy_changed, changed_part, copied_twice, input_copied]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_captured_as_called(function):
    first, second = torch.randn(4, 4), torch.randn(4, 4)
    run = capture(function, [first.clone()], False)
    assert run is not function
    for given in (first, second, first):
        kept = given.clone()
        assert torch.equal(run(given), function(kept.clone()))
        assert torch.equal(given, kept)


def copies(run):
    return [node for node in run.__self__.graph.nodes if node.target == torch.ops.aten.clone.default]


def test_copies_that_nobody_needs_are_left_out():
    assert len(copies(capture(copied_twice, [torch.randn(4, 4)], False))) == 0
    assert len(copies(capture(changed_after_the_copy, [torch.randn(4, 4)], False))) == 1
    assert len(copies(capture(copy_changed, [torch.randn(4, 4)], False))) == 1
