"""PyTorch's own fused Adam, without the Python around it.

`torch.optim.Adam.step` looks for hooks, groups, sparse gradients and devices each time, which costs as much as the
arithmetic of a small network. The moments stay where `torch.optim.Adam` keeps them.
"""

from __future__ import annotations

import torch


def fused_step(
    optimizer: torch.optim.Adam, variables: list[torch.Tensor], grads: list[torch.Tensor], rate: float
) -> None:
    """One step for these gradients, the same as `optimizer.step()` makes."""
    state = optimizer.state
    if variables[0] not in state:
        for variable in variables:
            state[variable] = fresh_moments(variable)
    held = [state[variable] for variable in variables]
    group = optimizer.param_groups[0]
    steps = [one["step"] for one in held]
    torch._foreach_add_(steps, 1)
    # On a CPU it walks through memory and asks nothing about strides: a transposed kernel needs such a gradient, too.
    pairs = zip(variables, grads, strict=True)
    grads = [g if g.stride() == v.stride() else torch.empty_like(v).copy_(g) for v, g in pairs]
    torch._fused_adam_(
        variables,
        grads,
        [one["exp_avg"] for one in held],
        [one["exp_avg_sq"] for one in held],
        [],
        steps,
        lr=rate,
        beta1=group["betas"][0],
        beta2=group["betas"][1],
        weight_decay=0.0,
        eps=group["eps"],
        amsgrad=False,
        maximize=False,
    )


def fresh_moments(variable: torch.Tensor) -> dict[str, torch.Tensor]:
    """Adam's state before its first step."""
    zeros = torch.zeros_like(variable, requires_grad=False)
    return {"step": torch.zeros((), device=variable.device), "exp_avg": zeros, "exp_avg_sq": zeros.clone()}
