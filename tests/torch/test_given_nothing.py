"""What is said, word for word, where PyTorch refuses an optimizer because its list of parameters is empty."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run, said


def test_layers_in_a_plain_list():
    assert said(only(run(PROGRAMS / "torch" / "w203_all_layers_in_a_list.py"), "W203")) == {
        "severity": "error",
        "message": "`policy` (4 variables) and `value` (2 variables) are not registered: `Branches` keeps its layers "
        "in `self.parts`, and parameters() is empty",
        "label": "layers in here are invisible to the model",
        "why": "nn.Module does not look into plain containers, so parameters() of `Branches` lists nothing and PyTorch "
        "refuses to build the optimizer.",
        "fix": "keep layers in nn.ModuleList([...]) or nn.ModuleDict({...}), parameters in nn.ParameterList",
        "variables": (
            "policy.0.weight", "policy.0.bias", "policy.2.weight", "policy.2.bias", "value.weight", "value.bias",
        ),
        "path": [(16, "made here"), (19, "gets an empty list")],
    }  # fmt: skip


def test_everything_frozen():
    finding = only(run(PROGRAMS / "torch" / "w109_nothing_left_to_train.py"), "W109")
    assert finding.severity == "error"
    assert finding.message == "`net` (4 variables) is frozen, and nothing is left for the optimizer at line 12"
    assert finding.why == (
        "It is given what asks for a gradient, and with requires_grad=False nothing does: the list is empty, and "
        "PyTorch refuses to build the optimizer."
    )
    assert finding.fix == (
        "set requires_grad_(True) on what is to learn, or put a new layer in the place of the last one after the "
        "others were frozen"
    )


def test_a_generator_that_is_used_up():
    finding = only(run(PROGRAMS / "torch" / "w201_generator_used_up.py"), "W201")
    assert finding.severity == "error"
    assert finding.message == (
        "`torch.optim.SGD(parameters, 0.1)` is given no parameters: the generator was used up before"
    )
    assert finding.why == (
        "parameters() returns a generator, which gives each parameter once. Whoever went through it first (a count, a "
        "print, another optimizer) left nothing over for this one."
    )
    assert finding.fix == "call parameters() again for each use, or keep a list: list(model.parameters())"
