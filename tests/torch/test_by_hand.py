"""Updates that a program writes itself: that they count, and in which words their faults are told."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "torch"


def test_each_round_is_an_update() -> None:
    assert run(FOLDER / "healthy_w301_by_hand.py").updates == 4
    assert run(FOLDER / "healthy_w304_by_hand_own_class.py").updates == 6


def test_a_flat_vector_of_all_parameters_is_none() -> None:
    assert run(FOLDER / "healthy_w505_by_hand_flat_parameters.py").updates == 0


MESSAGES: dict[str, dict[str, Any]] = {
    "w201_by_hand_left_out": {
        "severity": "error",
        "message": "`b` gets a gradient that the update by hand does not apply",
        "label": "this update leaves out `b`",
        "why": "The loss at line 20 depends on it and could train it, but no update ever reaches it: it keeps its "
        "first values.",
        "fix": "update it there as well, or do not let it ask for a gradient",
        "variables": ("b",),
        "path": [(9, "made here"), (22, "left out here"), (20, "the loss, which gives them a gradient")],
    },
    "w106_rebound_under_no_grad": {
        "severity": "error",
        "message": "the name of `w` and `b` stands for a new tensor after the update, and nothing tracks it",
        "label": "makes a new tensor, which does not require a gradient",
        "why": "An update under torch.no_grad() that makes a new tensor makes one that asks for no gradient. The "
        "variable itself stays as it was, and the next loss is computed from constants.",
        "fix": "update in place: `with torch.no_grad(): w -= lr * w.grad`",
        "variables": ("w", "b"),
        "path": [(14, "a new tensor by the old name"), (12, "fails here")],
    },
    "w302_by_hand_step_first": {
        "severity": "error",
        "message": "`sgd.step()` runs before `loss.backward()`: `net` (4 variables) gets nothing in any update",
        "label": "there is no gradient yet at this point",
        "why": "A step applies what backward() has put into .grad. It comes first here, and what backward() leaves "
        "is cleared before the next step.",
        "fix": "the order is zero_grad, backward, step: move `sgd.step()` behind `loss.backward()`",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [
            (29, "the step has nothing to apply yet"),
            (30, "the gradient comes here"),
            (19, "and is cleared here, before the next step"),
        ],
    },
    "w402_inside_a_force": {
        "severity": "error",
        "message": "the loss at line 21 is NaN: a gradient that it is computed from is not finite",
        "label": "the square root is finite at 0 and its slope there is infinite (5 of its 25 entries are 0)",
        "why": "What is differentiated for it is finite, and its slope here is not. The step applies it, and `net.0` "
        "and `net.2` are lost from then on.",
        "fix": "keep the input above 0: (apart.pow(2).sum(-1)).clamp(min=1e-8). A `where` around it does not help: "
        "0 times infinity is NaN",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight"),
        "path": [(13, "not finite from here on"), (21, "the loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_words(name: str) -> None:
    assert said(only(run(FOLDER / f"{name}.py"), name.split("_")[0].upper())) == MESSAGES[name]
