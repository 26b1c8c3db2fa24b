"""Gradients that are asked of the wrong loss or for the wrong variables, or that nobody asks for: the words."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "tensorflow"

MESSAGES: dict[str, dict[str, Any]] = {
    "w109_head_within": {
        "severity": "warning",
        "message": "`policy.mean` (2 variables) is frozen, and the layers before it learn",
        "label": "trainable=False from here on",
        "why": "With trainable=False it is left out of trainable_variables, so nobody asks for its gradient: it keeps "
        "its first, random values, and what learns has to get by with them.",
        "fix": "leave trainable=False out, or load the weights that are to stay as they are",
        "variables": ("policy.mean.kernel", "policy.mean.bias"),
        "path": [(13, "frozen here")],
    },
    "w204_nones_of_the_twin": {
        "severity": "error",
        "message": "`second` (4 variables) comes to the step without a gradient: that of `first` is asked for, which "
        "the loss at line 18 does not use",
        "label": "asks for `first`, and the result goes to `second`",
        "why": "The loss is computed with `second`, and nothing asks for its gradient; for `first` the answer is None.",
        "fix": "ask for the gradient of `second` here",
        "variables": ("second.dense_2.kernel", "second.dense_2.bias", "second.dense_3.kernel", "second.dense_3.bias"),
        "path": [(21, "asks for `first`, and gets None"), (22, "has nothing to apply")],
    },
    "w105_loss_of_another_tape": {
        "severity": "error",
        "message": "`generator` (4 variables) gets no gradient: it is asked of the loss at line 14, which this tape "
        "has not seen",
        "label": "this asks the wrong loss",
        "why": "That loss trains others, by the request at line 15. The loss at line 18 was computed for these, and "
        "nobody asks for its gradient.",
        "fix": "take the loss at line 18 in `tape.gradient(judge_loss, generator.trainable_variables)`",
        "variables": (
            "generator.dense.kernel",
            "generator.dense.bias",
            "generator.dense_1.kernel",
            "generator.dense_1.bias",
        ),
        "path": [(18, "their own loss, used by nothing"), (19, "asked of another loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_words(name: str) -> None:
    assert said(only(run(FOLDER / f"{name}.py"), name.split("_")[0].upper())) == MESSAGES[name]
