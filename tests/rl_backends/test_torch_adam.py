"""The fused step against PyTorch's own optimizer, whatever lies how in memory."""

from __future__ import annotations

import keras
import pytest

if keras.backend.backend() != "torch":
    pytest.skip("of the PyTorch engine", allow_module_level=True)

import torch

from whygrad.rl.engine.torch_adam import fused_step


@pytest.mark.parametrize("transposed_weights", [False, True])
@pytest.mark.parametrize("transposed_gradient", [False, True])
def test_a_step_is_that_of_the_optimizer(transposed_weights, transposed_gradient):
    torch.manual_seed(0)
    values, grads = torch.randn(5, 3), [torch.randn(5, 3) for _ in range(3)]
    ours = values.t().contiguous().t() if transposed_weights else values.clone()
    theirs = torch.nn.Parameter(values.clone())
    mine = torch.optim.Adam([ours.requires_grad_()], lr=0.1, fused=True)
    plain = torch.optim.Adam([theirs], lr=0.1)
    for grad in grads:
        theirs.grad = grad
        plain.step()
        with torch.no_grad():
            fused_step(mine, [ours], [grad.t().contiguous().t() if transposed_gradient else grad], 0.1)
    torch.testing.assert_close(ours, theirs)
