"""What the rules about order and ownership (W201 to W304) say on PyTorch programs, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "torch"

MESSAGES: dict[str, dict[str, Any]] = {
    "w201_step_forgotten": {
        "severity": "error",
        "message": "`net` (4 variables) gets a gradient that nobody applies: `optimizer` never steps",
        "label": "computed, and never applied",
        "why": "The gradient is computed here, 4 times in this run, and it keeps its first values.",
        "fix": "call optimizer.step() after it",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(8, "made here, and never used"), (13, "the gradient comes here")],
    },
    "w204_wrong_optimizer_steps": {
        "severity": "error",
        "message": '`self.optimizers["critic"]` steps after `actor_loss` at line 22, '
        "which trains `actor` (4 variables): that gradient is not applied",
        "label": "does not hold `actor`",
        "why": '`self.optimizers["critic"]` does not hold `actor`. It applies what '
        "it finds in the .grad of its own variables: what was left there, or "
        "what this loss leaked into them.",
        "fix": "step the optimizer that holds `actor`, built at line 12",
        "variables": ("actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias"),
        "path": [(12, "holds `actor`"), (22, "the gradient comes here"), (23, "the wrong optimizer")],
    },
    "w205_one_optimizer": {
        "severity": "error",
        "message": "`critic` (4 variables) is moved by the loss at line 22, which is there to train `actor`",
        "label": "holds `critic` beside `actor`",
        "why": "That loss makes the output of `critic` large and reaches `actor` through its "
        "input. Applied to `critic` it only inflates that output; what `critic` is to "
        "predict it learns from the loss at line 18.",
        "fix": "give `actor` an optimizer of its own, and step only that one after this loss",
        "variables": ("critic.0.weight", "critic.0.bias", "critic.2.weight", "critic.2.bias"),
        "path": [
            (9, "holds both networks"),
            (22, "the loss"),
            (24, "the gradient is computed here"),
            (25, "and applied here"),
        ],
    },
    "w205_one_sum": {
        "severity": "error",
        "message": "`critic` (4 variables) is moved by the loss at line 17, which is there to train `actor`",
        "label": "one pass for both: it trains `critic` by what is there for `actor` too",
        "why": "A part of that sum makes the output of `critic` large and reaches `actor` through its input. Applied "
        "to `critic` it only inflates that output.",
        "fix": "backpropagate the two apart, and clear `critic` (critic_optimizer.zero_grad()) before its own loss",
        "variables": ("critic.0.weight", "critic.0.bias", "critic.2.weight", "critic.2.bias"),
        "path": [(17, "the loss"), (17, "the gradient is computed here"), (19, "and applied here")],
    },
    "w201_rate_of_zero": {
        "severity": "warning",
        "message": "`net` (2 variables) gets a gradient, and every step is zero: the learning rate is 0",
        "label": "its learning rate is 0",
        "why": "A step moves the weights by the learning rate times the gradient. It was 0 in all of the 5 updates "
        "that were looked at.",
        "fix": "give the optimizer a learning rate above zero, or look at the schedule that sets it",
        "variables": ("net.weight", "net.bias"),
        "path": [(9, "made here"), (12, "the loss, which gives them a gradient"), (15, "changes nothing")],
    },
    "w206_old_weights_loaded_back": {
        "severity": "error",
        "message": "`net` (4 variables) is updated, and `net.load_state_dict(best)` brings the old values back each "
        "time",
        "label": "writes the content from before the step",
        "why": "All of the 4 updates that were looked at began from the same weights: what a step changes is "
        "overwritten before the next gradient.",
        "fix": "call `net.load_state_dict(best)` once, before or after the loop, or give it the weights that are to be "
        "kept",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(18, "updated here"), (19, "and overwritten here")],
    },
    "w206_inner_step_unused": {
        "severity": "warning",
        "message": "new values of `net` are computed from its gradient, and nothing uses them",
        "label": "the new values are computed here, and nobody uses them",
        "why": "An inner step makes new tensors. Where no loss is computed with them, the outer update is the same as "
        "without the inner step.",
        "fix": "compute the next loss with the new values: torch.func.functional_call(model, new_values, inputs)",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(21, "computed and dropped")],
    },
    "w206_loop_rebinds": {
        "severity": "error",
        "message": "`net` (4 variables) keeps its first values: the update is computed and dropped",
        "label": "the new values are computed here, and nobody keeps them",
        "why": "The result is a new tensor. Binding it to a name, or changing a copy, leaves the variable as it was.",
        "fix": "change the parameter in place, under torch.no_grad(): p -= rate * p.grad, or let an optimizer do it",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(13, "the gradient comes here"), (16, "computed and dropped")],
    },
    "w301_zero_grad_in_loop": {
        "severity": "error",
        "message": "`policy` (4 variables) comes to every step without a gradient: it is "
        "cleared after the backward pass at line 25",
        "label": "clears what the backward pass has just computed",
        "why": "`(-log_prob * value).backward()` puts gradients into .grad, and the next "
        "step applies what is there. Here nothing is left, and the step changes "
        "nothing.",
        "fix": "move `self.optimizer.zero_grad()` before `(-log_prob * "
        "value).backward()` or after `self.optimizer.step()`",
        "variables": ("policy.0.weight", "policy.0.bias", "policy.2.weight", "policy.2.bias"),
        "path": [(25, "the gradient comes here"), (26, "and is cleared here"), (27, "before it could be applied here")],
    },
    "w302_step_first": {
        "severity": "error",
        "message": "`optimizer.step()` runs before `loss.backward()`: `q_net` (4 variables) gets nothing in any update",
        "label": "there is no gradient yet at this point",
        "why": "A step applies what backward() has put into .grad. It comes first here, and "
        "what backward() leaves is cleared before the next step.",
        "fix": "the order is zero_grad, backward, step: move `optimizer.step()` behind `loss.backward()`",
        "variables": ("q_net.0.weight", "q_net.0.bias", "q_net.2.weight", "q_net.2.bias"),
        "path": [
            (12, "the step has nothing to apply yet"),
            (15, "the gradient comes here"),
            (11, "and is cleared here, before the next step"),
        ],
    },
    "w303_clip_before_backward": {
        "severity": "error",
        "message": "`clip_grad_norm_(parameters, max_norm=0.5)` runs before backward "
        "at line 18: what the optimizer applies to `model` (4 variables) "
        "and `head` (2 variables) is never clipped",
        "label": "the gradient is not complete here",
        "why": "backward() adds a gradient after it, and the step applies that one at its full size.",
        "fix": "clip between backward and step: move `clip_grad_norm_(parameters, "
        "max_norm=0.5)` between `loss.backward()` and `optimizer.step()`",
        "variables": (
            "model.weight_ih_l0",
            "model.weight_hh_l0",
            "model.bias_ih_l0",
            "model.bias_hh_l0",
            "head.weight",
            "head.bias",
        ),
        "path": [(18, "the gradient comes here"), (17, "clipped here"), (19, "applied here")],
    },
    "w304_zero_grad_per_epoch": {
        "severity": "error",
        "message": "the gradients of `model` (4 variables) pile up: `loss` adds to "
        "those of the updates before; `optimizer.zero_grad()` does not run "
        "between the updates",
        "label": "its gradient from the update before is still there",
        "why": "backward() adds to .grad, and a step leaves it there. Each update "
        "applies the sum of all gradients so far, of which all but one belong "
        "to weights that are long gone. Seen in 3 of the traced updates.",
        "fix": "clear before each backward pass: optimizer.zero_grad() before `loss.backward()`",
        "variables": ("model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"),
        "path": [(15, "adds to what is there"), (16, "applies the whole heap")],
    },
    "w204_built_for_each_other": {
        "severity": "error",
        "message": "`trainer_G` holds `model.encoder`, and steps after `loss_G` at line 21, which trains "
        "`model.decoder` (2 variables)",
        "label": "holds `model.encoder`",
        "why": "What that loss gives `model.decoder` is not applied. The optimizer that holds `model.decoder` steps "
        "after another loss: each of the two was given what is for the other.",
        "fix": "give `trainer_G` the parameters of `model.decoder`, and the other optimizer those of `model.encoder`",
        "variables": ("model.decoder.weight", "model.decoder.bias"),
        "path": [
            (9, "holds `model.encoder`"),
            (21, "the gradient comes here"),
            (22, "does not hold what it was computed for"),
        ],
    },
    "w204_handed_crosswise": {
        "severity": "error",
        "message": "`for_judge` and `for_maker` hold each other's variables: each steps after the loss that trains "
        "what the other one holds",
        "label": "hands each of the two on by the name of the other",
        "why": "`for_judge` holds `maker` and steps after a loss that trains `judge`. That loss has no gradient for "
        "it, and `for_maker` moves `judge` by the loss that is for `maker`.",
        "fix": "take the two in the order in which they are handed out",
        "variables": (
            "maker.0.weight",
            "maker.0.bias",
            "maker.2.weight",
            "maker.2.bias",
            "judge.0.weight",
            "judge.0.bias",
            "judge.2.weight",
            "judge.2.bias",
        ),
        "path": [(7, "holds `maker`"), (20, "trains `judge`"), (21, "finds no gradient")],
    },
    "w204_adversaries_exchanged": {
        "severity": "error",
        "message": "`self.judge_step` and `self.maker_step` hold each other's variables: each steps after the loss "
        "that trains what the other one holds",
        "label": "holds `maker`, and steps after the loss of `judge`",
        "why": "`self.judge_step` holds `maker` and steps after a loss that trains `judge`. That loss goes through "
        "`maker` too: each of the two is moved by what the other one is to achieve.",
        "fix": "give `self.judge_step` the parameters of `judge`, and `self.maker_step` those of `maker`",
        "variables": (
            "judge.0.weight",
            "judge.0.bias",
            "judge.2.weight",
            "judge.2.bias",
            "maker.0.weight",
            "maker.0.bias",
            "maker.2.weight",
            "maker.2.bias",
        ),
        "path": [(11, "holds `maker`"), (17, "trains `judge`"), (18, "moves `maker`")],
    },
    "w205_generator_moves_judge": {
        "severity": "warning",
        "message": "`judge` (4 variables) is moved by the loss at line 20, which is there to train `generator`",
        "label": "holds `judge` beside `generator`",
        "why": "That loss is small where `judge` is wrong about what `generator` "
        "makes. Applied to `judge` it undoes what the loss at line 16 "
        "teaches.",
        "fix": "give `generator` an optimizer of its own, and step only that one after this loss",
        "variables": ("judge.0.weight", "judge.0.bias", "judge.2.weight", "judge.2.bias"),
        "path": [
            (9, "holds both networks"),
            (20, "the loss"),
            (21, "the gradient is computed here"),
            (22, "and applied here"),
        ],
    },
    "w304_cleared_outside_the_closure": {
        "severity": "error",
        "message": "the gradients of `model` (2 variables) pile up within a step: `loss` adds to those "
        "of the calls of the closure before",
        "label": "its gradient from the call before is still there",
        "why": "`optimizer` calls its closure up to 5 times in one step, each time with other "
        "weights, and needs the gradient at those. backward() adds to .grad, and nothing "
        "clears it between two calls.",
        "fix": "clear within the closure, before `loss.backward()`: optimizer.zero_grad()",
        "variables": ("model.weight", "model.bias"),
        "path": [(15, "adds to what is there"), (18, "calls the closure again and again")],
    },
    "w202_picture_bound_anew": {
        "severity": "error",
        "message": "the optimizer at line 9 still holds 1 variable that the loss no longer uses; "
        "`picture` is trained by nobody",
        "label": "a new tensor, made after the optimizer was built",
        "why": "An optimizer keeps the very tensors it was given. The name belongs to a new one "
        "since; the old one gets no gradient any more.",
        "fix": "change the values in place, under torch.no_grad(): picture.copy_(…), picture.clamp_(…)",
        "variables": ("picture",),
        "path": [(9, "the optimizer took the old variables here"), (15, "the name got a new tensor here")],
    },
    "w304_other_optimizer_cleared": {
        "severity": "error",
        "message": "the gradients of `critic` (4 variables) pile up: `critic_loss` adds to those of the updates before",
        "label": "clears `actor`, once more",
        "why": "backward() adds to .grad, and a step leaves it there. Each update applies the sum "
        "of all gradients so far, of which all but one belong to weights that are long gone. "
        "Seen in 3 of the traced updates.",
        "fix": "clear before each backward pass: self.critic_opt.zero_grad() in place of `self.actor_opt.zero_grad()`",
        "variables": ("critic.0.weight", "critic.0.bias", "critic.2.weight", "critic.2.bias"),
        "path": [(17, "adds to what is there"), (18, "applies the whole heap")],
    },
    "w109_second_critic_never_thawed": {
        "severity": "warning",
        "message": "`second` (4 variables) is given to the optimizer at line 9 but frozen",
        "label": "requires_grad=False from here on",
        "why": "It is frozen for another loss and not thawed behind it: from its next update on no "
        "gradient is computed, and the optimizer passes over it without a word.",
        "fix": "set requires_grad_(True) on it again behind the step of that other loss",
        "variables": ("second.0.weight", "second.0.bias", "second.2.weight", "second.2.bias"),
        "path": [(18, "frozen here"), (9, "and given to this optimizer")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
