"""What the rules say of losses that are asked for another network, and of terms that train nobody, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "tensorflow"

MESSAGES: dict[str, dict[str, Any]] = {
    "w105_noise_is_decoded": {
        "severity": "warning",
        "message": "`encoder` learns nothing from the data: what it makes at line 13 is used by nothing",
        "label": "decodes noise",
        "why": "`decoder(tf.random.normal(z.shape))` is given noise of the same shape. What is left "
        "for `encoder` to learn from is a penalty on its own output.",
        "fix": "give it what `encoder` makes at line 13",
        "variables": ("encoder.dense.kernel", "encoder.dense.bias", "encoder.dense_1.kernel", "encoder.dense_1.bias"),
        "path": [(13, "what `encoder` makes, used by nothing"), (15, "noise is decoded instead"), (15, "the loss")],
    },
    "w105_penalty_to_no_name": {
        "severity": "warning",
        "message": "`penalty(0.5 * (real + fake))` is computed for `critic` and is no part of the loss at line 22",
        "label": "computed, and used by nothing",
        "why": "It has a gradient for what that loss trains, and goes to a name that nothing reads: "
        "neither a loss nor a log gets it.",
        "fix": "add it to the loss at line 22, or leave it out",
        "variables": ("critic.dense.kernel", "critic.dense.bias", "critic.dense_1.kernel", "critic.dense_1.bias"),
        "path": [(21, "a term of a loss, used by nothing"), (22, "the loss, put together without it")],
    },
    "w105_teacher_with_itself": {
        "severity": "warning",
        "message": "a term of the loss at line 16 compares `teacher` with itself: `student` is not in it",
        "label": "both sides come from `teacher`",
        "why": "Both sides of the comparison in `divergence(tf.nn.softmax(from_teacher / 3.0), "
        "tf.nn.softmax…` are what `teacher` says, so that the term is the same whatever "
        "`student` does. It was so in every one of 4 updates that were looked at.",
        "fix": "give one side what `student` says",
        "variables": (
            "student.dense_2.kernel",
            "student.dense_2.bias",
            "student.dense_3.kernel",
            "student.dense_3.bias",
        ),
        "path": [(15, "compares a thing with itself"), (16, "the loss")],
    },
    "w205_cycle_asked_of_the_first_loss": {
        "severity": "warning",
        "message": "`back` (4 variables) is moved by the loss at line 19, which is there to train `there`",
        "label": "asks `there`'s loss for `back`",
        "why": "`there` is asked for by that loss too at line 21. The loss at line 20 was computed "
        "for `back`, and nobody asks for its gradient.",
        "fix": "take the loss at line 20 here",
        "variables": ("back.dense_2.kernel", "back.dense_2.bias", "back.dense_3.kernel", "back.dense_3.bias"),
        "path": [
            (19, "the loss of `there`"),
            (20, "that of `back`, used by nothing"),
            (22, "the gradient is computed here"),
        ],
    },
    "w205_judges_gradient_of_the_makers_loss": {
        "severity": "warning",
        "message": "`discriminator` (4 variables) is moved by the loss at line 17, which is there to train `generator`",
        "label": "asks `generator`'s loss for `discriminator`",
        "why": "That loss is small where `discriminator` is wrong about what `generator` makes: it "
        "teaches `discriminator` to be wrong. The loss at line 18 was computed for "
        "`discriminator`, and nobody asks for its gradient.",
        "fix": "take the loss at line 18 here",
        "variables": (
            "discriminator.dense_2.kernel",
            "discriminator.dense_2.bias",
            "discriminator.dense_3.kernel",
            "discriminator.dense_3.bias",
        ),
        "path": [
            (17, "the loss of `generator`"),
            (18, "that of `discriminator`, used by nothing"),
            (20, "the gradient is computed here"),
        ],
    },
    "w205_makers_gradient_of_the_judges_loss": {
        "severity": "warning",
        "message": "`generator` (4 variables) is moved by the loss at line 18, which is there to train `discriminator`",
        "label": "asks `discriminator`'s loss for `generator`",
        "why": "That loss is small where `discriminator` tells what `generator` makes from the rest: "
        "it teaches `generator` to be told apart. The loss at line 17 was computed for "
        "`generator`, and nobody asks for its gradient.",
        "fix": "take the loss at line 17 here",
        "variables": (
            "generator.dense.kernel",
            "generator.dense.bias",
            "generator.dense_1.kernel",
            "generator.dense_1.bias",
        ),
        "path": [
            (18, "the loss of `discriminator`"),
            (17, "that of `generator`, used by nothing"),
            (19, "the gradient is computed here"),
        ],
    },
    "w503_average_into_another_target": {
        "severity": "error",
        "message": "`critic_2` is copied into `target_1`, another one's target; `target_2` never follows",
        "label": "this copies into `target_1`",
        "why": "The loss takes its targets from `target_2` too, which stays what it was when training began.",
        "fix": "copy into `target_2`",
        "variables": (
            "target_2.dense_6.kernel",
            "target_2.dense_6.bias",
            "target_2.dense_7.kernel",
            "target_2.dense_7.bias",
        ),
        "path": [(25, "the target is computed with `target_2`"), (20, "this copies into `target_1`"), (27, "the loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
