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
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
