"""What the rules about cut gradients (W101 to W109) say on JAX programs, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("jax")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "jax"

MESSAGES: dict[str, dict[str, Any]] = {
    "w102_temperature_stopped": {
        "severity": "error",
        "message": "`log_alpha` gets no gradient from the loss at line 16",
        "label": "the gradient stops here: stop_gradient returns the value as a constant",
        "why": "Every way from these variables to the loss passes through stop_gradient, which is there to stop a "
        "gradient.",
        "fix": "take stop_gradient away in `jax.lax.stop_gradient(log_alpha)`, or stop only the side that is meant "
        "to be a constant (the target)",
        "variables": ("log_alpha",),
        "path": [(15, "the gradient stops here"), (16, "the loss")],
    },
    "w102_nnx_sequential": {
        "severity": "error",
        "message": "`model.encoder` (4 variables) gets no gradient from the loss at line 25",
        "label": "the gradient stops here: stop_gradient returns the value as a constant",
        "why": "Every way from these variables to the loss passes through stop_gradient, which is there to stop a "
        "gradient.",
        "fix": "take stop_gradient away in `jax.lax.stop_gradient(self.encoder(inputs))`, or stop only the side "
        "that is meant to be a constant (the target)",
        "variables": (
            "model.encoder.layers[0].bias",
            "model.encoder.layers[0].kernel",
            "model.encoder.layers[2].bias",
            "model.encoder.layers[2].kernel",
        ),
        "path": [(25, "the output of `model.encoder`"), (16, "the gradient stops here")],
    },
    "w109_everything_frozen": {
        "severity": "error",
        "message": "`params` (4 variables) gets a gradient, and every update that the optimizer makes of it is zero",
        "label": "selects no variable",
        "why": "The updates that are applied at line 20 were made without the gradient: a mask, a label or set_to_zero "
        "leaves all variables out, so that none is trained.",
        "fix": "look at the mask or the labels that the optimizer was built with (optax.masked, multi_transform, "
        "set_to_zero): they must select what is to learn",
        "variables": (
            "params['layers_0']['bias']",
            "params['layers_0']['kernel']",
            "params['layers_2']['bias']",
            "params['layers_2']['kernel']",
        ),
        "path": [
            (12, "the optimizer is told what to leave alone"),
            (18, "the loss, which gives them a gradient"),
            (20, "zeros are applied here"),
        ],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
