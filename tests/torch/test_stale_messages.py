"""What is said of results and lists from before: computed once, listed once, asked for too late. Word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "torch"

MESSAGES: dict[str, dict[str, Any]] = {
    "w102_adapted_copy": {
        "severity": "error",
        "message": "`net` (4 variables) gets no gradient from the loss at line 20, which is computed with a copy",
        "label": "the gradient stops here: a copy of its own",
        "why": "A deep copy has the same numbers and is a network of its own: the gradient ends in it. The optimizer "
        "holds the original, and the copy is dropped.",
        "fix": "make the adapted parameters of the original, p - lr * g, and run it with them "
        "(torch.func.functional_call(model, params, x)); to use the copy's gradient as it is, hand it on: "
        "p.grad = copied.grad",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(16, "copied here, for this update"), (20, "the loss, computed with the copy")],
    },
    "w107_state_by_a_local_name": {
        "severity": "error",
        "message": "the backward pass at line 29 runs into a graph that is already used up",
        "label": "kept here for the next update, with its whole history",
        "why": "State that is carried from one update to the next still hangs on the graph that backward() has freed.",
        "fix": "cut it between updates: h = h.detach() (for an LSTM both parts); retain_graph=True only hides the "
        "error",
        "variables": (),
        "path": [(18, "computed here, before the first backward"), (18, "used again here, after it")],
    },
    "w201_group_used_up": {
        "severity": "error",
        "message": "`torch.optim.Adam(groups, lr=1e-3)` is given a group without parameters: its generator was used up "
        "before",
        "label": "one group of this is empty",
        "why": "parameters() returns a generator, which gives each parameter once. Whoever went through it first (a "
        "count, a print, another optimizer) left nothing over for this one.",
        "fix": "call parameters() again for each use, or keep a list: list(model.parameters())",
        "variables": (),
        "path": [(19, "gets an empty group")],
    },
    "w102_loss_asked_first": {
        "severity": "error",
        "message": "`log_alpha` never learns: `alpha_loss.requires_grad` at line 22 is False",
        "label": "the gradient stops here: .data returns the value as a constant",
        "why": ".data is there to stop a gradient: the answer is no each time, and what depends on it never runs.",
        "fix": "take .data away in `log_alpha.data`, or stop only the side that is meant to be a constant (the target)",
        "variables": ("log_alpha",),
        "path": [(16, "the gradient stops here"), (22, "asked here, and it is False")],
    },
    "w105_one_term_twice_on_a_line": {
        "severity": "warning",
        "message": "`critic.two` (4 variables) gets no gradient: the loss at line 23 has the term of another output "
        "twice",
        "label": "the same as before, once more",
        "why": "`F.mse_loss(q1, targets)` computes what was computed before; the output of `critic.two`, of the same "
        "shape, was computed at line 14 and dropped.",
        "fix": "use the output of `critic.two` in `F.mse_loss(q1, targets)`",
        "variables": ("critic.two.0.weight", "critic.two.0.bias", "critic.two.2.weight", "critic.two.2.bias"),
        "path": [(14, "computed here, and dropped"), (23, "the same term once more"), (23, "the loss")],
    },
    "w107_triangle_of_the_first_values": {
        "severity": "error",
        "message": "`torch.tril(self.raw)` is computed once: the loss at line 22 never sees what the updates make of "
        "`model.raw`",
        "label": "computed once, and used in every update",
        "why": "The gradient arrives and the step changes it, but every loss is computed from the result of the first "
        "time, as if there had been no update.",
        "fix": "compute `torch.tril(self.raw)` anew for each loss, in forward()",
        "variables": ("model.raw",),
        "path": [(12, "computed once, before the first update"), (22, "the loss")],
    },
    "w202_listed_before": {
        "severity": "error",
        "message": "the optimizer at line 22 was given 2 variables that the model no longer uses; `model.head` "
        "(2 variables) is trained by nobody",
        "label": "new variables, made after the old ones were listed",
        "why": "The list that the optimizer was given was made before a layer or a model was replaced.",
        "fix": "list the parameters after the last replacement, or give the optimizer model.parameters()",
        "variables": ("model.head.weight", "model.head.bias"),
        "path": [(22, "the optimizer took the old variables here"), (25, "the model got new variables here")],
    },
    "w401_state_always_cleared": {
        "severity": "warning",
        "message": "`net.cell.weight_hh` gets a gradient of exactly zero from the loss at line 24",
        "label": "all zeros",
        "why": "`1.0 - (begin >= 0).float()` is zero in every entry, and `h * keep.unsqueeze(1)` at line 15 "
        "multiplies by it. It was so in every update that was looked at.",
        "fix": "check what `1.0 - (begin >= 0).float()` is computed from: a difference of a thing with itself, a "
        "normalisation over one entry, a mask that is never true",
        "variables": ("net.cell.weight_hh",),
        "path": [(14, "the gradient becomes zero here"), (24, "the loss")],
    },
    "w504_row_laid_out": {
        "severity": "error",
        "message": "`values - targets` pairs every row of the batch with every row: (8, 1) against (8, 8)",
        "label": "(8, 1) against (8, 8) gives (8, 8)",
        "why": "Broadcasting makes a (8, 8) matrix of the two, and the loss at line 12 takes in all of it. Its "
        "gradient pulls each prediction to the mean of all 8 targets.",
        "fix": "do not lay the row out beside the column: .reshape(-1, 1) makes the plain row a column too, (8, 1)",
        "variables": ("critic.0.weight", "critic.0.bias", "critic.2.weight", "critic.2.bias"),
        "path": [(12, "every row meets every row"), (12, "the loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
