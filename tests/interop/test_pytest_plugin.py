"""The pytest plugin, in test sessions of its own, against real PyTorch."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SOURCE = str(Path(__file__).resolve().parents[2] / "src")

TRAINING = """
import pytest
import torch
from torch import nn

import whygrad

@pytest.fixture
def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))

def train(net, cut, updates=3):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    x, y = torch.ones(8, 3), torch.full((8, 1), 5.0)
    for _ in range(updates):
        hidden = net[:2](x)
        if cut:
            hidden = hidden.detach()
        loss = (net[2](hidden) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    installed = any(e.name == "whygrad" for e in importlib.metadata.entry_points(group="pytest11"))

    def run(tests: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(TRAINING + tests)
        plugin = [] if installed else ["-p", "whygrad.interop.pytest_plugin"]
        return pytester.runpytest_subprocess(*plugin, "-p", "no:cacheprovider", *arguments)

    return run


FAILING = """
def test_a_cut_is_explained(net):
    before = net[0].weight.detach().clone()
    train(net, cut=True)
    assert not torch.equal(before, net[0].weight), "the first layer did not move"

def test_a_healthy_training_that_fails_for_another_reason(net):
    assert train(net, cut=False) < 0

def test_that_passes_with_a_cut(net):
    train(net, cut=True)

def test_without_training():
    assert 1 + 1 == 3

@pytest.fixture
def broken(net):
    train(net, cut=True)
    raise ValueError("in a fixture")

def test_with_a_broken_fixture(broken):
    pass
"""


def test_a_failing_test_is_explained(run):
    result = run(FAILING, "--whygrad")
    result.assert_outcomes(failed=3, passed=1, errors=1)
    text = result.stdout.str()
    assert text.count("- whygrad -") == 2
    assert text.count("error[W102] stopped: `net.0` (2 variables) gets no gradient") == 2
    first = text.split("test_a_healthy_training_that_fails")[0]
    assert "hidden = hidden.detach()" in first
    result.stdout.fnmatch_lines(["whygrad: 2 failing tests have a gradient fault*"])


def test_nothing_happens_without_the_option(run):
    result = run(FAILING)
    result.assert_outcomes(failed=3, passed=1, errors=1)
    assert "W102" not in result.stdout.str()


NESTED = """
from whygrad.testing import assert_learns

def test_that_records_itself(net):
    train(net, cut=True)
    with whygrad.record() as run:
        train(net, cut=False)
    assert run.report.clean and run.report.updates == 3
    report = whygrad.explain(train, net, True)
    assert [f.code for f in report.findings] == ["W102"]
    train(net, cut=True)
    assert False

def test_that_asserts(net):
    assert_learns(train, net, net, True)

def test_with_a_contract(net):
    whygrad.contract("loss", trains=net).check(train, net, False)

def test_that_nothing_is_left():
    from whygrad.trace import loading, names
    assert len(loading._running) == 1 and names.hints == {}
"""


def test_tests_that_record_themselves(run):
    result = run(NESTED, "--whygrad")
    result.assert_outcomes(failed=2, passed=2)
    text = result.stdout.str()
    assert text.count("- whygrad -") == 1
    assert "AssertionError: 2 variables do not learn" in text


def test_with_xdist(run):
    pytest.importorskip("xdist")
    result = run(FAILING, "--whygrad", "-n", "2")
    result.assert_outcomes(failed=3, passed=1, errors=1)
    result.stdout.fnmatch_lines(["whygrad: 2 failing tests have a gradient fault*"])


def test_the_plugin_imports_no_framework(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    code = "import whygrad.interop.pytest_plugin, whygrad.testing, sys\n"
    code += "print({'torch', 'keras', 'jax', 'numpy'} & set(sys.modules))"
    result = pytester.run(sys.executable, "-c", code)
    result.stdout.fnmatch_lines(["set()"])
