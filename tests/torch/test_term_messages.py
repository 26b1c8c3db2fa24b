"""What the rules say of terms that train nobody, graphs that were not kept, and mixed-up parameters, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "torch"

MESSAGES: dict[str, dict[str, Any]] = {
    "w101_checkpoint_frozen_input": {
        "severity": "error",
        "message": "`model.blocks` (2 variables) gets no gradient from the loss at line 38",
        "label": "not recorded: none of its inputs asks for a gradient, and the block runs under torch.no_grad()",
        "why": "A reentrant checkpoint runs its block unrecorded and runs it again in backward; it learns of the "
        "backward pass from its inputs alone. Where they are frozen, the block's own variables get nothing.",
        "fix": "give use_reentrant=False in `checkpoint(block, h, use_reentrant=True)`, or let its input ask for a "
        "gradient (requires_grad_())",
        "variables": ("model.blocks.0.adapter.weight", "model.blocks.1.adapter.weight"),
        "path": [(38, "the output of `model.blocks`"), (30, "the gradient stops here")],
    },
    "w101_slope_without_graph": {
        "severity": "error",
        "message": "`net` (4 variables) gets no gradient from the loss at line 19",
        "label": "not recorded: without create_graph=True the gradients that it returns are constants",
        "why": "A loss that is computed from a gradient needs the graph of that gradient, to differentiate it once "
        "more.",
        "fix": "give create_graph=True in `torch.autograd.grad(u, points, torch.ones_like(u))`",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(19, "the output of `net`"), (14, "the gradient stops here")],
    },
    "w101_penalty_is_a_number": {
        "severity": "warning",
        "message": "`critic` (4 variables) learns nothing from a term of the loss at line 20",
        "label": "not recorded: without create_graph=True the gradients that it returns are constants",
        "why": "A loss that is computed from a gradient needs the graph of that gradient, to differentiate it once "
        "more.",
        "fix": "give create_graph=True in `autograd.grad(score, mixed, torch.ones_like(score), retain_…`",
        "variables": ("critic.0.weight", "critic.0.bias", "critic.2.weight", "critic.2.bias"),
        "path": [(20, "the output of `critic`"), (14, "the gradient stops here")],
    },
    "w102_surrogate_is_a_number": {
        "severity": "warning",
        "message": "`actor` (4 variables) learns nothing from a term of the loss at line 22",
        "label": "the gradient stops here: .detach() returns the value as a constant",
        "why": "The term depends on these variables through .detach() alone: it is a number beside the loss.",
        "fix": "take .detach() away in `dist.log_prob(actions).detach()`, or stop only the side that is meant to be "
        "a constant (the target)",
        "variables": ("actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias"),
        "path": [(18, "the output of `actor`"), (19, "the gradient stops here"), (22, "the loss")],
    },
    "w105_old_policy_evaluates": {
        "severity": "error",
        "message": "`policy` (4 variables) gets no gradient: the loss at line 27 is computed with `policy_old` in its "
        "place",
        "label": "this runs `policy_old`, and `policy` is the one to be trained",
        "why": "`policy_old` is of the same build, and no gradient is asked for it; `policy` is never called for this "
        "loss.",
        "fix": "call `policy` in `self.policy_old.evaluate(states, actions)` while training",
        "variables": ("policy.body.0.weight", "policy.body.0.bias", "policy.body.2.weight", "policy.body.2.bias"),
        "path": [(26, "computed with `policy_old`"), (27, "the loss")],
    },
    "w303_clips_the_critic": {
        "severity": "error",
        "message": "`clip_grad_norm_(critic.parameters(), 1.0)` clips the gradients of `critic` (4 "
        "variables), and the step at line 22 applies those of `actor` (4 variables), which "
        "nobody clips",
        "label": "not the gradients that the step applies",
        "why": "What was clipped here is applied by no step: it was applied before, or it is cleared "
        "before the next one.",
        "fix": "give clip_grad_norm_ the parameters that `actor_optimizer.step()` updates: those of "
        "`actor` (4 variables)",
        "variables": ("actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias"),
        "path": [(20, "the gradient comes here"), (21, "clips others"), (22, "applied here, at its full size")],
    },
    "w401_custom_backward_of_zeros": {
        "severity": "error",
        "message": "`encoder` (2 variables) gets a gradient of exactly zero from the loss at line 23",
        "label": "the backward of Round returns zeros",
        "why": "What the backward of a custom autograd.Function returns is the gradient, and that of "
        "Round returns zeros for what came in. It was so in every update that was looked at.",
        "fix": "return the gradient in the backward of Round; for a step function the incoming one as it "
        "is (a straight-through estimator)",
        "variables": ("encoder.weight", "encoder.bias"),
        "path": [(22, "the gradient becomes zero here"), (23, "the loss")],
    },
    "w502_memory_handed_over": {
        "severity": "error",
        "message": "`target` (4 variables) lies in the memory of `online` (4 variables): assigning to "
        "`kept.data` copies nothing",
        "label": "one piece of memory for both from here on",
        "why": "Assigning to .data hands over the memory, not the numbers. Every step of the optimizer "
        "writes into it, so that the target moves with the online network.",
        "fix": "copy the numbers: target.data.copy_(online.data), or target.load_state_dict(online.state_dict())",
        "variables": ("online.0.weight", "online.0.bias", "online.2.weight", "online.2.bias"),
        "path": [(10, "one memory for both"), (21, "the loss")],
    },
    "w203_parameter_made_over": {
        "severity": "error",
        "message": "the parameter of `nn.Parameter(torch.randn(1, 8, size)) * 0.02` is used by `net` but "
        "not registered with it",
        "label": "keeps a result, not the parameter",
        "why": "`mul` returns a new tensor, computed from the parameter, and that is what the model "
        "keeps. Only an nn.Parameter itself is registered: net.parameters() leaves this one out, "
        "and what was computed from it stays as it is.",
        "fix": "assign the nn.Parameter itself, and convert what goes into it: nn.Parameter(torch.ones(n).to(device))",
        "variables": ("parameter 0 (1x8x8)",),
        "path": [(11, "made of a parameter here")],
    },
    "w401_ratio_to_itself": {
        "severity": "warning",
        "message": "the difference in `log_probs - log_probs` trains nothing: its two sides are the same, "
        "with the same gradient",
        "label": "a thing less itself: both sides carry the same gradient",
        "why": "Both sides are computed from `actor`, so that what the one side gives the other takes "
        "away. What is learned comes from the other terms of the loss alone. It was so in every "
        "one of 4 updates that were looked at.",
        "fix": "keep the side that is meant to stay (an old policy's) as a constant, from before the update: .detach()",
        "variables": ("actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias"),
        "path": [(15, "a thing less itself"), (17, "the loss")],
    },
    "w104_codebook_beside_a_commitment": {
        "severity": "warning",
        "message": "`encoder` (2 variables) learns nothing from a term of the loss at line 19",
        "label": "the gradient stops here: argmin returns an index, and an index has no derivative",
        "why": "Which entry is the largest does not change when an entry moves a little; its value does.",
        "fix": "hand the gradient past it (a straight-through estimator): code + (picked - code).detach() goes on",
        "variables": ("encoder.weight", "encoder.bias"),
        "path": [(14, "the output of `encoder`"), (16, "the gradient stops here"), (19, "the loss")],
    },
    "w104_silenced": {
        "severity": "error",
        "message": "`net` (4 variables) gets no gradient from the loss at line 11",
        "label": "the gradient stops here: argmax returns an index, and an index has no derivative",
        "why": "Which entry is the largest does not change when an entry moves a little; its value does.",
        "fix": "use the value, not its index, in place of `net(x).argmax(1)` (such as q.max(dim=1).values), or gather "
        "the entry that was taken. The requires_grad at line 12 only silences PyTorch's error; it trains nothing",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [
            (10, "the gradient stops here"),
            (11, "the loss"),
            (12, "silences the error, and trains nothing"),
        ],
    },
    "w104_spike_without_derivative": {
        "severity": "error",
        "message": "PyTorch cannot differentiate `torch.heaviside(voltage - 1.0, torch.zeros(()))`: there "
        "is no derivative of heaviside",
        "label": "heaviside has no derivative",
        "why": "The backward pass comes to this operation and has no rule for it. PyTorch refuses: "
        "derivative for aten::heaviside is not implemented",
        "fix": "replace `torch.heaviside(voltage - 1.0, torch.zeros(()))` by operations that have a "
        "derivative; for a step a surrogate: sigmoid(k * x) in the backward pass "
        "(torch.autograd.Function)",
        "variables": (),
        "path": [(13, "the gradient stops here"), (16, "the loss")],
    },
    "w303_step_still_scaled": {
        "severity": "error",
        "message": "`optimizer.step()` applies gradients that are still scaled to `net` (4 variables)",
        "label": "the gradients are still multiplied by the scale",
        "why": "scaler.scale(loss) multiplies every gradient by the scale, often 65536. scaler.step() "
        "divides by it before the optimizer steps; a step of the optimizer's own does not.",
        "fix": "call scaler.step(optimizer) and scaler.update() in place of `optimizer.step()`",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(13, "the scaled gradient comes here"), (14, "applied as it is")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
