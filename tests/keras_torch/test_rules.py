"""Every rule on Keras with PyTorch below: fires on the marked line, quiet on the neighbour, in these words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
keras = pytest.importorskip("keras")

from program_runner import PROGRAMS, assert_as_marked, only, programs, run, said

if keras.config.backend() != "torch":
    pytest.skip("needs KERAS_BACKEND=torch", allow_module_level=True)

FOLDER = PROGRAMS / "keras_torch"

# Faults of whygrad itself that are known. An entry whose program does what it should fails: take it off the list.
KNOWN: dict[str, str] = {
    "w105_layer_never_called": "where a Keras layer on torch was made is not known",
    "w202_head_replaced": "where and when a Keras layer on torch was made is not known",
    "w203_plain_object": "layers in a plain object are not told from unnamed parameters",
}


def listed() -> list[Any]:
    return [
        pytest.param(
            p, id=p.stem, marks=pytest.mark.xfail(strict=True, reason=KNOWN[p.stem]) if p.stem in KNOWN else ()
        )
        for p in programs("keras_torch")
    ]


@pytest.mark.parametrize("program", listed())
def test_program(program: Path) -> None:
    assert_as_marked(program)


def test_names_are_those_of_the_user() -> None:
    finding = only(run(FOLDER / "w102_ops_stop_gradient.py"), "W102")
    assert finding.variables == ("actor.dense.kernel", "actor.dense.bias", "actor.dense_1.kernel", "actor.dense_1.bias")


MESSAGES: dict[str, dict[str, Any]] = {
    "w101_no_grad_forward": {
        "severity": "error",
        "message": "`net` (4 variables) gets no gradient from the loss at line 14",
        "label": "not recorded: it runs under torch.no_grad(), opened at line 11",
        "why": (
            "What runs under torch.no_grad() leaves no trace to differentiate, so the loss is a constant to "
            "everything before it."
        ),
        "fix": (
            "compute `net(inputs)` outside torch.no_grad(); keep torch.no_grad() for targets, evaluation and acting"
        ),
        "variables": ("net.dense.kernel", "net.dense.bias", "net.dense_1.kernel", "net.dense_1.bias"),
        "path": [
            (13, "the gradient stops here"),
            (11, "recording is off from here"),
            (14, "the loss"),
        ],
    },
    "w102_ops_stop_gradient": {
        "severity": "error",
        "message": "`actor` (4 variables) gets no gradient from the loss at line 14",
        "label": "the gradient stops here: stop_gradient returns the value as a constant",
        "why": (
            "Every way from these variables to the loss passes through stop_gradient, which is there to stop a "
            "gradient."
        ),
        "fix": (
            "take stop_gradient away in `keras.ops.stop_gradient(self.actor(states))`, or stop only the side "
            "that is meant to be a constant (the target)"
        ),
        "variables": ("actor.dense.kernel", "actor.dense.bias", "actor.dense_1.kernel", "actor.dense_1.bias"),
        "path": [
            (13, "the gradient stops here"),
            (14, "the loss"),
        ],
    },
    "w103_numpy_round_trip": {
        "severity": "error",
        "message": "`encoder` (2 variables) gets no gradient from the loss at line 12",
        "label": "the value leaves the framework here (NumPy) and comes back at line 12 as a constant",
        "why": (
            "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to "
            "the framework."
        ),
        "fix": (
            "stay in the framework up to the loss: drop NumPy in "
            "`keras.ops.convert_to_numpy(encoder(batch))` and use torch functions"
        ),
        "variables": ("encoder.dense.kernel", "encoder.dense.bias"),
        "path": [
            (11, "the gradient stops here"),
            (12, "comes back here, as a constant"),
        ],
    },
    "w104_ops_argmax": {
        "severity": "error",
        "message": "`actor` (4 variables) gets no gradient from the loss at line 13",
        "label": "the gradient stops here: argmax returns an index, and an index has no derivative",
        "why": "Which entry is the largest does not change when an entry moves a little; its value does.",
        "fix": (
            "use the value, not its index, in place of `keras.ops.argmax(actor(states), axis=1)` (such as "
            "q.max(dim=1).values), or gather the entry that was taken"
        ),
        "variables": ("actor.dense.kernel", "actor.dense.bias", "actor.dense_1.kernel", "actor.dense_1.bias"),
        "path": [
            (11, "the gradient stops here"),
            (13, "the loss"),
        ],
    },
    "w503_never_again": {
        "severity": "warning",
        "message": "`target_model` never follows `model`",
        "label": "copied here once, and never again",
        "why": "The loss takes its targets from `target_model`, which stays what it was when training began.",
        "fix": "do the same after every so many updates: `target_model.set_weights(model.get_weights())`",
        "variables": (
            "target_model.dense_2.kernel",
            "target_model.dense_2.bias",
            "target_model.dense_3.kernel",
            "target_model.dense_3.bias",
        ),
        "path": [
            (17, "the target is computed with `target_model`"),
            (13, "copied here once, and never again"),
            (18, "the loss"),
        ],
    },
}


@pytest.mark.parametrize("name", MESSAGES)
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
