"""Every rule on TensorFlow programs: fires on the marked line, quiet on the neighbour, and says it in these words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, assert_as_marked, only, programs, run, said

FOLDER = PROGRAMS / "tensorflow"

# Faults of whygrad itself that are known. An entry whose program does what it should fails: take it off the list.
KNOWN: dict[str, str] = {}


# Wording that is known to be wrong. The messages below are how it should read.
def listed() -> list[Any]:
    return [
        pytest.param(
            p, id=p.stem, marks=pytest.mark.xfail(strict=True, reason=KNOWN[p.stem]) if p.stem in KNOWN else ()
        )
        for p in programs("tensorflow")
    ]


@pytest.mark.parametrize("program", listed())
def test_program(program: Path) -> None:
    assert_as_marked(program)


def test_only_the_branch_that_is_cut_is_named() -> None:
    finding = only(run(FOLDER / "w102_one_branch.py"), "W102")
    assert finding.variables == ("model.read.kernel", "model.read.bias")


def test_network_of_an_agent_is_called_by_its_attribute() -> None:
    finding = only(run(FOLDER / "w102_actor_stopped.py"), "W102")
    assert {name.split(".")[0] for name in finding.variables} == {"actor"}
    assert len(finding.variables) == 4


def test_two_faults_are_told_apart() -> None:
    report = run(FOLDER / "two_faults_w102_w201.py")
    named = {f.code: {name.split(".")[0] for name in f.variables} for f in report.findings}
    assert named == {"W102": {"actor"}, "W201": {"encoder"}}


def test_comment_with_the_code_silences_the_line(tmp_path: Path) -> None:
    quiet = FOLDER / "healthy_w102_meant.py"
    assert run(quiet).findings == ()
    loud = tmp_path / "loud.py"
    loud.write_text(quiet.read_text().replace("  # whygrad: ok W102", ""))
    assert [f.code for f in run(loud).findings] == ["W102"]


def test_comment_with_another_code_silences_nothing(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text((FOLDER / "healthy_w102_meant.py").read_text().replace("ok W102", "ok W104"))
    report = run(other)
    assert [f.code for f in report.findings] == ["W102"]
    assert report.notes == ()


def test_comment_with_an_unknown_code_is_reported(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text((FOLDER / "healthy_w102_meant.py").read_text().replace("ok W102", "ok W999"))
    report = run(other)
    assert [f.code for f in report.findings] == ["W102"]
    assert report.notes == (f"{other}:13: `# whygrad: ok W999` names no rule; `whygrad rules` lists them",)


MESSAGES: dict[str, dict[str, Any]] = {
    "w101_before_the_tape": {
        "severity": "error",
        "message": "`actor` (4 variables) gets no gradient from the loss at line 15",
        "label": "computed before the tape at line 13 was opened, so the tape never saw it",
        "why": "A GradientTape differentiates only what runs while it is open.",
        "fix": "move `actor(states)` into the `with tf.GradientTape() as tape:` block",
        "variables": ("actor.dense.kernel", "actor.dense.bias", "actor.dense_1.kernel", "actor.dense_1.bias"),
        "path": [
            (12, "the gradient stops here"),
            (13, "the tape"),
            (15, "the loss"),
        ],
    },
    "w101_stop_recording": {
        "severity": "error",
        "message": "`encoder` (2 variables) gets no gradient from the loss at line 16",
        "label": "not recorded: it runs under tape.stop_recording(), opened at line 14",
        "why": (
            "What runs under tape.stop_recording() leaves no trace to differentiate, so the loss is a "
            "constant to everything before it."
        ),
        "fix": (
            "compute `encoder(batch)` outside tape.stop_recording(); keep tape.stop_recording() for targets, "
            "evaluation and acting"
        ),
        "variables": ("encoder.dense.kernel", "encoder.dense.bias"),
        "path": [
            (15, "the gradient stops here"),
            (14, "recording is off from here"),
            (13, "the tape"),
            (16, "the loss"),
        ],
    },
    "w102_actor_stopped": {
        "severity": "error",
        "message": "`actor` (4 variables) gets no gradient from the loss at line 22",
        "label": "the gradient stops here: stop_gradient returns the value as a constant",
        "why": (
            "Every way from these variables to the loss passes through stop_gradient, which is there to "
            "stop a gradient."
        ),
        "fix": (
            "take stop_gradient away in `tf.stop_gradient(self.actor(states))`, or stop only the side "
            "that is meant to be a constant (the target)"
        ),
        "variables": ("actor.dense.kernel", "actor.dense.bias", "actor.dense_1.kernel", "actor.dense_1.bias"),
        "path": [
            (21, "the gradient stops here"),
            (22, "the loss"),
        ],
    },
    "w103_predict_in_loss": {
        "severity": "error",
        "message": "`q_net` (4 variables) gets no gradient from the loss at line 14",
        "label": "the value leaves the framework here (predict()) and comes back at line 14 as a constant",
        "why": (
            "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to "
            "the framework."
        ),
        "fix": "call the model itself inside the tape, `model(x, training=True)`; predict() is for inference",
        "variables": ("q_net.dense.kernel", "q_net.dense.bias", "q_net.dense_1.kernel", "q_net.dense_1.bias"),
        "path": [
            (13, "the gradient stops here"),
            (14, "comes back here, as a constant"),
        ],
    },
    "w103_numpy_physics": {
        "severity": "error",
        "message": "`controller` (4 variables) gets no gradient from the loss at line 18",
        "label": "the value leaves the framework here (.numpy()) and comes back at line 17 as a constant",
        "why": (
            "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to "
            "the framework."
        ),
        "fix": (
            "stay in the framework up to the loss: drop .numpy() in `force.numpy()` and use tf / keras.ops functions"
        ),
        "variables": (
            "controller.dense.kernel",
            "controller.dense.bias",
            "controller.dense_1.kernel",
            "controller.dense_1.bias",
        ),
        "path": [
            (14, "the output of `controller`"),
            (15, "the gradient stops here"),
            (17, "comes back here, as a constant"),
            (18, "the loss"),
        ],
    },
    "w103_numpy_function": {
        "severity": "error",
        "message": "`net` (4 variables) gets no gradient from the loss at line 19",
        "label": "the value leaves the framework here (numpy_function)",
        "why": (
            "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to "
            "the framework."
        ),
        "fix": (
            "write the function with tf / keras.ops operations, or use tf.py_function with TensorFlow operations inside"
        ),
        "variables": ("net.dense.kernel", "net.dense.bias", "net.dense_1.kernel", "net.dense_1.bias"),
        "path": [
            (18, "the gradient stops here"),
            (19, "the loss"),
        ],
    },
    "w104_argmax_loss": {
        "severity": "error",
        "message": "`q_net` (4 variables) gets no gradient from the loss at line 14",
        "label": "the gradient stops here: argmax returns an index, and an index has no derivative",
        "why": "Which entry is the largest does not change when an entry moves a little; its value does.",
        "fix": (
            "use the value, not its index, in place of `tf.argmax(q_net(states), axis=1)` (such as "
            "tf.reduce_max(q, axis=1)), or gather the entry that was taken"
        ),
        "variables": ("q_net.dense.kernel", "q_net.dense.bias", "q_net.dense_1.kernel", "q_net.dense_1.bias"),
        "path": [
            (13, "the gradient stops here"),
            (14, "the loss"),
        ],
    },
    "w104_sampled_action": {
        "severity": "error",
        "message": "`actor` (4 variables) gets no gradient from the loss at line 14",
        "label": "the gradient stops here: random.categorical draws a number, and a draw has no derivative",
        "why": (
            "A plain sample is a constant to the gradient; the distribution's parameters are not reached through it."
        ),
        "fix": (
            "for a continuous distribution write mean + std * noise; for a discrete one put "
            "-log_prob(action) * advantage into the loss"
        ),
        "variables": ("actor.dense.kernel", "actor.dense.bias", "actor.dense_1.kernel", "actor.dense_1.bias"),
        "path": [
            (12, "the gradient stops here"),
            (14, "the loss"),
        ],
    },
    "w104_rounded_code": {
        "severity": "error",
        "message": "`encoder` (2 variables) gets no gradient from the loss at line 14",
        "label": "the gradient stops here: round is flat, its derivative is zero everywhere",
        "why": ("A step function changes nothing when its input moves a little, so nothing can be learned through it."),
        "fix": "use the value before it, or a straight-through estimator: x + tf.stop_gradient(tf.round(x) - x)",
        "variables": ("encoder.dense.kernel", "encoder.dense.bias"),
        "path": [
            (13, "the gradient stops here"),
            (14, "the loss"),
        ],
    },
    "w105_value_loss_left_out": {
        "severity": "warning",
        "message": "`net.value` (2 variables) gets no gradient: its term at line 20 is not part of the loss",
        "label": "this loss leaves out the term computed at line 20",
        "why": ("`tf.reduce_mean((returns - values) ** 2)` was computed and dropped: the loss does not contain it."),
        "fix": "add the term at line 20 to the loss",
        "variables": ("net.value.kernel", "net.value.bias"),
        "path": [
            (20, "a loss term for them, used by nothing"),
            (21, "the loss, put together without it"),
        ],
    },
    "w105_unused_gain": {
        "severity": "warning",
        "message": "`model.scaled.gain` gets no gradient: it was never computed before the loss at line 22",
        "label": "made here, and never used in the forward pass",
        "why": "It exists and the optimizer holds it, but the forward pass never uses it.",
        "fix": "use it in the forward pass, or remove it",
        "variables": ("model.scaled.gain",),
        "path": [
            (13, "made here, never called"),
            (22, "the loss"),
        ],
    },
    "w105_wrong_batch": {
        "severity": "error",
        "message": "`generator` (4 variables) gets no gradient: nothing made from it goes into the loss at line 20",
        "label": "the loss is computed from this, and nothing of `generator` goes into it",
        "why": (
            "The loss is computed from `discriminator(real)`; the output of `generator` was never computed for "
            "this loss."
        ),
        "fix": "let `discriminator(real)` use the output of `generator`, or leave it out of the optimizer",
        "variables": (
            "generator.dense.kernel",
            "generator.dense.bias",
            "generator.dense_1.kernel",
            "generator.dense_1.bias",
        ),
        "path": [
            (19, "used in its place"),
            (20, "the loss"),
        ],
    },
    "w106_constant_temperature": {
        "severity": "error",
        "message": "the gradient of `tf.constant(-1.0)` is asked for at line 11, and nothing tracks it",
        "label": "the tape does not watch this tensor: it is a constant",
        "why": "A GradientTape watches trainable variables by itself, and tensors only when it is told to.",
        "fix": "call `tape.watch(x)` first thing in the block, or make it a tf.Variable",
        "variables": (),
        "path": [
            (6, "made here"),
            (11, "its gradient is asked for here"),
        ],
    },
    "w106_penalty_unwatched": {
        "severity": "error",
        "message": "the gradient of `0.5 * real + 0.5 * fake` is asked for at line 14, and nothing tracks it",
        "label": "the tape does not watch this tensor: it is a constant",
        "why": "A GradientTape watches trainable variables by itself, and tensors only when it is told to.",
        "fix": "call `tape.watch(x)` first thing in the block, or make it a tf.Variable",
        "variables": (),
        "path": [
            (10, "made here"),
            (14, "its gradient is asked for here"),
        ],
    },
    "w106_rebound": {
        "severity": "error",
        "message": "the gradient of `weights - 0.5 * slope` is asked for at line 14, and nothing tracks it",
        "label": ("the name now stands for a new tensor, the result of this operation, and no longer for the variable"),
        "why": (
            "An update that makes a new tensor leaves the variable as it was; what is trained must be written into."
        ),
        "fix": "write into the variable: w.assign_sub(lr * gradient)",
        "variables": (),
        "path": [(14, "its gradient is asked for here")],
    },
    "w106_watches_nothing": {
        "severity": "error",
        "message": "`slope` gets no gradient: the tape at line 11 does not watch it",
        "label": "asked of a tape that watches nothing by itself",
        "why": "With watch_accessed_variables=False a tape records only what it is told to watch.",
        "fix": "call tape.watch(variable) for each variable to train, or drop watch_accessed_variables=False",
        "variables": ("slope",),
        "path": [],
    },
    "w107_loss_after_tape": {
        "severity": "error",
        "message": "`net` (4 variables) gets no gradient from the loss at line 12",
        "label": "computed after the tape at line 10 was closed, so the tape never saw it",
        "why": (
            "A GradientTape records only while its `with` block is open; tape.gradient may be called later, "
            "but the loss must be computed inside."
        ),
        "fix": "move `predicted - targets` into the `with tf.GradientTape() as tape:` block",
        "variables": ("net.dense.kernel", "net.dense.bias", "net.dense_1.kernel", "net.dense_1.bias"),
        "path": [
            (11, "the output of `net`"),
            (10, "the tape"),
            (12, "the gradient stops here"),
        ],
    },
    "w107_tape_asked_twice": {
        "severity": "error",
        "message": "a GradientTape that is not persistent is asked for gradients twice",
        "label": "this tape has been used up",
        "why": "A tape frees what it recorded as soon as gradient() has been called once.",
        "fix": (
            "ask once for everything, tape.gradient(loss, [*actor_vars, *critic_vars]), or use one tape per "
            "loss, or tf.GradientTape(persistent=True) and `del tape` afterwards"
        ),
        "variables": (),
        "path": [
            (13, "the tape was used up here"),
            (14, "and is asked again here"),
        ],
    },
    "w107_second_derivative_late": {
        "severity": "error",
        "message": "`inner.gradient(u, points)` runs after the tape at line 8 has closed, so its gradient is None",
        "label": "the tape does not see this any more",
        "why": "A GradientTape records only while its `with` block is open.",
        "fix": "move `inner.gradient(u, points)` into the block of the tape that differentiates it",
        "variables": (),
        "path": [
            (8, "the tape"),
            (13, "computed after it closed"),
            (14, "its gradient is asked for here"),
        ],
    },
    "w108_memory_slot": {
        "severity": "error",
        "message": "`controller` (2 variables) gets no gradient from the loss at line 15",
        "label": (
            "the gradient stops here: .assign() stores the value in a variable, and no gradient goes through a store"
        ),
        "why": ("A variable's content has no history. What was assigned arrives at the loss as if it were a constant."),
        "fix": (
            "use the computed value itself in the loss, not the variable that `memory.assign(controller(inputs))` wrote"
        ),
        "variables": ("controller.dense.kernel", "controller.dense.bias"),
        "path": [
            (14, "the gradient stops here"),
            (15, "the loss"),
        ],
    },
    "w109_model_frozen": {
        "severity": "error",
        "message": "`model` (4 variables) is frozen, and the loss has nothing else to train",
        "label": "trainable=False from here on",
        "why": ("With trainable=False a variable is left out of trainable_variables, so nobody asks for its gradient."),
        "fix": (
            "set trainable = True (before compile and before the variables are listed) on it, or do not give "
            "it to the optimizer if it is meant to stay as it is"
        ),
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [
            (7, "frozen here"),
        ],
    },
    "w201_head_only": {
        "severity": "warning",
        "message": "`encoder` (2 variables) could learn from the loss, and nobody asks for the gradient",
        "label": "`encoder` is not asked for here",
        "why": (
            "The loss at line 12 depends on it and could train it, but no update ever reaches it: it keeps "
            "its first values."
        ),
        "fix": ("ask for it and apply it: encoder.trainable_variables belongs into tape.gradient and apply_gradients"),
        "variables": ("encoder.dense.kernel", "encoder.dense.bias"),
        "path": [
            (6, "made here"),
            (13, "left out here"),
            (12, "the loss, which gives them a gradient"),
        ],
    },
    "w201_apply_leaves_out": {
        "severity": "warning",
        "message": "`encoder` (2 variables) gets a gradient that no optimizer applies",
        "label": "`encoder` is left out here",
        "why": (
            "The loss at line 14 depends on it and could train it, but no update ever reaches it: it keeps "
            "its first values."
        ),
        "fix": ("ask for it and apply it: encoder.trainable_variables belongs into tape.gradient and apply_gradients"),
        "variables": ("encoder.dense.kernel", "encoder.dense.bias"),
        "path": [
            (6, "made here"),
            (17, "left out here"),
            (14, "the loss, which gives them a gradient"),
        ],
    },
    "w202_list_captured": {
        "severity": "error",
        "message": (
            "the training step still asks for 2 variables that the model no longer uses; `net` (2 variables) "
            "is trained by nobody"
        ),
        "label": "new variables, made after the old ones were listed",
        "why": (
            "A list of variables names the ones that were there when it was made. A layer or a model that "
            "replaces them brings new ones."
        ),
        "fix": "take the list from the model at every step (model.trainable_variables), not once at the start",
        "variables": ("net.dense_2.kernel", "net.dense_2.bias"),
        "path": [
            (9, "the model got new variables here"),
        ],
    },
    "w202_head_made_anew_later": {
        "severity": "error",
        "message": "the optimizer at line 13 still holds 2 variables that the model no longer uses; `head.dense_3` "
        "(2 variables) is trained by nobody",
        "label": "new variables, made after the optimizer was built",
        "why": "The gradient is asked of a list that was made before. A layer or a model that is replaced brings "
        "variables that are not in it.",
        "fix": "take the list from the model again after the replacement, with a new optimizer for it (Keras 3 refuses "
        "new variables); or keep the layers, and give them new numbers with set_weights()",
        "variables": ("head.dense_3.kernel", "head.dense_3.bias"),
        "path": [
            (13, "the optimizer took the old variables here"),
            (19, "the model got new variables here"),
        ],
    },
    "w202_optimizer_refuses": {
        "severity": "error",
        "message": "the optimizer was built for other variables than `net` has now",
        "label": "new variables, made after the optimizer was built",
        "why": (
            "A Keras optimizer keeps a slot for every variable it was built with; a rebuilt or reloaded model "
            "has new ones."
        ),
        "fix": (
            "make a new optimizer for the new model, or keep the model and copy weights into it with set_weights()"
        ),
        "variables": ("net.dense_2.kernel", "net.dense_2.bias", "net.dense_3.kernel", "net.dense_3.bias"),
        "path": [(21, "the new variables"), (14, "refused here")],
    },
    "w203_plain_object": {
        "severity": "error",
        "message": "`tower.block.dense` (2 variables) is used by `tower` but not registered with it",
        "label": "layers in here are invisible to the model",
        "why": (
            "`tower` does not look into plain containers, so tower.trainable_variables leaves these out: no "
            "optimizer gets them, no checkpoint saves them."
        ),
        "fix": (
            "make the layers in __init__ and keep them as attributes of the model (lists and dicts are tracked there)"
        ),
        "variables": ("tower.block.dense.kernel", "tower.block.dense.bias"),
        "path": [
            (18, "made here"),
        ],
    },
    "w103_zeros_for_none": {
        "severity": "error",
        "message": "`policy` (4 variables) gets no gradient from the loss at line 19",
        "label": "the value leaves the framework here (.numpy()) and comes back at line 19 as a constant",
        "why": "Python numbers and NumPy arrays carry no gradient; what is computed with them is a "
        "constant to the framework.",
        "fix": "stay in the framework up to the loss: drop .numpy() in `policy(state)[0].numpy()` and "
        "use tf / keras.ops functions",
        "variables": ("policy.dense.kernel", "policy.dense.bias", "policy.dense_1.kernel", "policy.dense_1.bias"),
        "path": [(15, "the gradient stops here"), (19, "comes back here, as a constant")],
    },
    "w104_pairs_left_out": {
        "severity": "error",
        "message": "`maker` (4 variables) gets no gradient from the loss at line 16",
        "label": "the gradient stops here: a comparison is true or false, and neither has a derivative",
        "why": "A comparison returns bool; turning it into 0.0 and 1.0 afterwards does not bring the gradient back.",
        "fix": "replace `fooled > 0.5` by something smooth: a sigmoid of the difference, or a margin "
        "(relu of the difference)",
        "variables": ("maker.dense.kernel", "maker.dense.bias", "maker.dense_1.kernel", "maker.dense_1.bias"),
        "path": [(13, "the output of `maker`"), (16, "the gradient stops here")],
    },
    "w101_logits_before_the_tape": {
        "severity": "error",
        "message": "`actor` (4 variables) gets no gradient from the loss at line 17",
        "label": "computed before the tape at line 15 was opened, so the tape never saw it",
        "why": "A GradientTape differentiates only what runs while it is open.",
        "fix": "move `actor(states)` into the `with tf.GradientTape() as tape:` block",
        "variables": ("actor.dense.kernel", "actor.dense.bias", "actor.dense_1.kernel", "actor.dense_1.bias"),
        "path": [(14, "the gradient stops here"), (15, "the tape"), (17, "the loss")],
    },
    "w105_target_asked_for_the_prediction": {
        "severity": "error",
        "message": "`network` (4 variables) gets no gradient: nothing made from it goes into the loss at line 26",
        "label": "the loss is computed from this, and nothing of `network` goes into it",
        "why": "The loss is computed from `self.target(states)`; the output of `network` was never computed for "
        "this loss.",
        "fix": "let `self.target(states)` use the output of `network`, or leave it out of the optimizer",
        "variables": ("network.encoder.kernel", "network.encoder.bias", "network.head.kernel", "network.head.bias"),
        "path": [(36, "used in its place"), (26, "the loss")],
    },
    "w102_codebook_stopped": {
        "severity": "error",
        "message": "`model.quantizer.codes` gets no gradient from the loss at line 26",
        "label": "the gradient stops here: stop_gradient returns the value as a constant",
        "why": "Every way from these variables to the loss passes through stop_gradient, which is there to stop a "
        "gradient.",
        "fix": "take stop_gradient away in `tf.stop_gradient(nearest)`, or stop only the side that is meant to be "
        "a constant (the target)",
        "variables": ("model.quantizer.codes",),
        "path": [(26, "the output of `model.quantizer`"), (16, "the gradient stops here")],
    },
    "w103_rollout_in_numpy_function": {
        "severity": "error",
        "message": "`model` (6 variables) gets no gradient from the loss at line 26",
        "label": "the value leaves the framework here (numpy_function)",
        "why": "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to "
        "the framework.",
        "fix": "write the function with tf / keras.ops operations, or use tf.py_function with TensorFlow "
        "operations inside",
        "variables": (
            "model.dense.kernel",
            "model.dense.bias",
            "model.dense_2.kernel",
            "model.dense_2.bias",
            "model.dense_1.kernel",
            "model.dense_1.bias",
        ),
        "path": [(24, "the gradient stops here"), (26, "the loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
