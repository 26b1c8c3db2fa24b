"""`assert_learns` and `assert_contract` on PyTorch."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import whygrad
from whygrad.testing import assert_contract, assert_learns


class Two(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.left, self.right, self.head = nn.Linear(3, 8), nn.Linear(3, 8), nn.Linear(16, 1)

    def forward(self, x: torch.Tensor, cut: bool) -> torch.Tensor:
        right = self.right(x)
        if cut:
            right = right.detach()
        return self.head(torch.cat([self.left(x), right], 1))


@pytest.fixture
def net() -> Two:
    torch.manual_seed(0)
    return Two()


@pytest.fixture
def step(net):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    x = torch.randn(8, 3)

    def step(cut: bool = False, scale: float = 1.0, forget: bool = False) -> float:
        loss = scale * (net(x, cut) - 1).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        if not forget:
            optimizer.step()
        return loss.item()

    return step


def test_a_network_that_learns(net, step):
    assert 0 < assert_learns(step, net) < 10
    assert_learns(step, net, updates=3)
    assert_learns(step, list(net.parameters()))
    assert_learns(step, {"left": net.left, "head": [net.head.weight, net.head.bias]})


def test_a_cut_branch_is_explained(net, step):
    with pytest.raises(AssertionError) as caught:
        assert_learns(step, net, cut=True)
    text = str(caught.value)
    assert text.startswith("2 variables do not learn\nerror[W102] stopped: `net.right` (2 variables) gets no gradient")
    assert "right = right.detach()" in text
    assert "\x1b" not in text


def test_what_is_meant_to_stay(net, step):
    assert_learns(step, net, cut=True, frozen=net.right)
    net.right.requires_grad_(False)
    assert_learns(step, net)


def test_a_table_where_no_rule_explains(net, step):
    with pytest.raises(AssertionError) as caught:
        assert_learns(step, net, scale=0.0)
    assert "net.left.weight" in str(caught.value)
    assert "its gradient is all zeros" in str(caught.value)
    with pytest.raises(AssertionError) as caught:
        assert_learns(step, net, forget=True)
    assert "it did not change" in str(caught.value)
    with pytest.raises(AssertionError) as caught:
        assert_learns(step, net, scale=float("inf"))
    assert "its gradient is not finite" in str(caught.value) or "W402" in str(caught.value)


def test_a_step_that_fails(net):
    with pytest.raises(AssertionError, match="the step failed: RuntimeError: element 0") as caught:
        assert_learns(lambda: net(torch.ones(2, 3), False).detach().sum().backward(), net)
    assert "error[W102]" in str(caught.value)
    with pytest.raises(ZeroDivisionError):
        assert_learns(lambda: 1 / 0, net)


def test_a_contract(net, step):
    contract = whygrad.Contract("loss", trains=[net])
    assert assert_contract(step, contract, updates=2) > 0
    assert assert_contract(step, [contract]) > 0
    with pytest.raises(AssertionError, match=r"the contract is broken\nerror\[W102\]"):
        assert_contract(step, contract, cut=True)


def test_wrong_use(net, step):
    with pytest.raises(TypeError, match="takes the training step and the model"):
        assert_learns(net.parameters(), net)
    with pytest.raises(ValueError, match="found nothing to train in list"):
        assert_learns(step, [])
    with pytest.raises(ValueError, match="1 or more, got 0"):
        assert_learns(step, net, updates=0)
    with pytest.raises(TypeError, match="got Two"):
        assert_contract(step, net)
