"""What the rules say of copies, old Variables, plain objects and long loops in PyTorch programs, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "torch"

MESSAGES: dict[str, dict[str, Any]] = {
    "w206_clients_not_loaded": {
        "severity": "error",
        "message": "`server` (2 variables) keeps its first values: copies of it are trained, and what is computed "
        "from them is dropped",
        "label": "the new values end here",
        "why": "Each of 6 trainings began with the same values of `server`. A copy has variables of its own: training "
        "it changes nothing in the original.",
        "fix": "load the result back into `server` (load_state_dict), or train `server` itself",
        "variables": ("server.weight", "server.bias"),
        "path": [(18, "the copy is trained here"), (24, "and its new values end here")],
    },
    "w206_worker_trains_its_copy": {
        "severity": "error",
        "message": "`shared` (2 variables) keeps its first values: copies of it are trained, and nothing uses them "
        "afterwards",
        "label": "this trains a copy of `shared`",
        "why": "Each of 2 trainings began with the same values of `shared`. A copy has variables of its own: training "
        "it changes nothing in the original.",
        "fix": "load the result back into `shared` (load_state_dict), or train `shared` itself",
        "variables": ("shared.weight", "shared.bias"),
        "path": [(20, "the copy is trained here")],
    },
    "w206_functional_dropped": {
        "severity": "error",
        "message": "`net` (4 variables) keeps its first values: the update is computed and dropped",
        "label": "the new values are computed here, and nobody keeps them",
        "why": "The result is a new tensor. Binding it to a name, or changing a copy, leaves the variable as it was.",
        "fix": "keep `sgd(params, grads)` as the parameters of the next update, and write them into the network at "
        "the end (load_state_dict)",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(23, "computed and dropped")],
    },
    "w203_plain_object": {
        "severity": "error",
        "message": "what `FeedForward(width)` makes (4 variables) is used by `encoder` but not registered with it",
        "label": "layers in here are invisible to the model",
        "why": "`encoder` does not look into plain objects, so encoder.parameters() leaves these out: no optimizer "
        "gets them, no checkpoint saves them.",
        "fix": "make the class of this object an nn.Module (super().__init__() first), so that the model can look "
        "into it",
        "variables": ("parameter 4 (16x8)", "parameter 5 (16)", "parameter 6 (8x16)", "parameter 7 (8)"),
        "path": [(20, "made here")],
    },
    "w102_variable_of_loss": {
        "severity": "error",
        "message": "`model` (4 variables) gets no gradient from the loss at line 14",
        "label": "the gradient stops here: Variable(…) makes a new tensor that comes from nowhere",
        "why": "It keeps the numbers and forgets what they were computed from. Since PyTorch 0.4 a tensor has its "
        "gradient without it.",
        "fix": "use the tensor itself in place of `Variable(loss, requires_grad=True)`",
        "variables": ("model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"),
        "path": [(13, "the output of `model`"), (14, "the gradient stops here")],
    },
    "w201_best_copy_held": {
        "severity": "error",
        "message": "`model` (2 variables) gets a gradient that no optimizer applies",
        "label": "this optimizer does not hold `model`",
        "why": "The loss at line 18 depends on it and could train it, but no update ever reaches it: it keeps its "
        "first values.",
        "fix": "build it with model.parameters(): no loss uses what it holds now",
        "variables": ("model.weight", "model.bias"),
        "path": [(27, "made here"), (13, "left out here"), (18, "the loss, which gives them a gradient")],
    },
    "w201_loss_weights": {
        "severity": "error",
        "message": "`weighing.spread` gets a gradient that no optimizer applies",
        "label": "this optimizer does not hold `weighing`",
        "why": "The loss at line 22 depends on it and could train it, but no update ever reaches it: it keeps its "
        "first values.",
        "fix": "give it to the optimizer as well ([*weighing.parameters(), …]), or freeze it if it is not meant to "
        "learn",
        "variables": ("weighing.spread",),
        "path": [(17, "made here"), (18, "left out here"), (22, "the loss, which gives them a gradient")],
    },
    "w107_state_in_module": {
        "severity": "error",
        "message": "the backward pass at line 25 runs into a graph that is already used up",
        "label": "the result of the last update goes in again here, with its whole history",
        "why": "State that is carried from one update to the next still hangs on the graph that backward() has freed.",
        "fix": "cut it between updates: h = h.detach() (for an LSTM both parts); retain_graph=True only hides the "
        "error",
        "variables": (),
        "path": [(15, "computed here, before the first backward"), (15, "used again here, after it")],
    },
    "w101_log_prob_in_block": {
        "severity": "error",
        "message": "`mean` (2 variables) gets no gradient from the loss at line 19",
        "label": "not recorded: it runs under torch.no_grad(), opened at line 15",
        "why": "What runs under torch.no_grad() leaves no trace to differentiate, so the loss is a constant to "
        "everything before it.",
        "fix": "compute `mean(states)` outside torch.no_grad(); keep torch.no_grad() for targets, evaluation and "
        "acting",
        "variables": ("mean.weight", "mean.bias"),
        "path": [(16, "the gradient stops here"), (15, "recording is off from here"), (19, "the loss")],
    },
    "w501_frozen_between": {
        "severity": "warning",
        "message": "the loss at line 15 trains `critic` through its own target",
        "label": "this target carries a gradient into `critic`",
        "why": "The target is the number that the prediction should move to. With a gradient through it the loss also "
        "moves the target to the prediction, so that the values of the next states are fitted to those before "
        "them.",
        "fix": "stop the target: compute `rewards + 0.9 * critic(torch.cat([after, actor(after).detac…` under `with "
        "torch.no_grad():`, or detach() it",
        "variables": ("critic.0.weight", "critic.0.bias", "critic.2.weight", "critic.2.bias"),
        "path": [(14, "the target, with a gradient"), (15, "compared with the prediction"), (15, "the loss")],
    },
    "w404_one_step_too_far": {
        "severity": "error",
        "message": "the gradient of `net` is 3.9e+25 against weights of 4.7e+00, and the next one is not finite: a "
        "loop multiplies by the same weights 60 times",
        "label": "computed 60 times in a row with the same weights",
        "why": "`h @ self.again` multiplies by the same variable in every round, and the numbers grow each time.",
        "fix": "use a gated cell (LSTM, GRU) or orthogonal first weights, squash the state (tanh), stop the gradient "
        "every few rounds (truncated backpropagation), and clip the norm",
        "variables": ("net.read", "net.again", "net.out.weight", "net.out.bias"),
        "path": [(17, "multiplied again in every round"), (26, "the loss")],
    },
    "w403_long_loop": {
        "severity": "warning",
        "message": "`net.read.weight` gets almost no gradient from the loss at line 27: it shrinks 7e+19 times on its "
        "way",
        "label": "81 times tanh in a row",
        "why": "The gradient of `net.read` is 9.4e-24 for each weight, that of `net.out` 6.7e-04. Between them lie 81 "
        "times tanh, and each multiplies the gradient by its slope, which is below 1.",
        "fix": "use a gated cell (LSTM, GRU), orthogonal first weights, or a shorter way from the first rounds to the "
        "loss",
        "variables": ("net.read.weight",),
        "path": [(18, "the gradient shrinks here, round by round"), (27, "the loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
