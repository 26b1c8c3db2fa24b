"""Every rule on PyTorch programs: fires on the marked line, is quiet on the neighbour, and says it in these words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, assert_as_marked, only, programs, run, said

FOLDER = PROGRAMS / "torch"

# Faults of whygrad itself that are known. An entry whose program does what it should fails: take it off the list.
KNOWN: dict[str, str] = {}


# Wording that is known to be wrong. The messages below are how it should read.
def listed() -> list[Any]:
    return [
        pytest.param(
            p, id=p.stem, marks=pytest.mark.xfail(strict=True, reason=KNOWN[p.stem]) if p.stem in KNOWN else ()
        )
        for p in programs("torch")
    ]


@pytest.mark.parametrize("program", listed())
def test_program(program: Path) -> None:
    assert_as_marked(program)


def test_only_the_tower_that_is_cut_is_named() -> None:
    finding = only(run(FOLDER / "w102_one_tower.py"), "W102")
    assert finding.variables == ("model.text.0.weight", "model.text.0.bias", "model.text.2.weight", "model.text.2.bias")
    assert finding.message.startswith("`model.text` (4 variables) gets no gradient")


def test_network_of_an_agent_is_called_by_its_attribute() -> None:
    finding = only(run(FOLDER / "w102_actor_detached.py"), "W102")
    assert finding.variables == ("actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias")


def test_two_faults_are_told_apart() -> None:
    report = run(FOLDER / "two_faults_w102_w201.py")
    assert [f.variables[0] for f in report.findings if f.code == "W102"] == ["actor.0.weight"]
    assert [f.variables for f in report.findings if f.code == "W201"] == [("encoder.weight", "encoder.bias")]


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
    assert report.notes == (f"{other}:10: `# whygrad: ok W999` names no rule; `whygrad rules` lists them",)


LIBRARY = """
import torch
from torch import nn

def made(parameters):
    return torch.optim.Adam(parameters, lr=1e-3)

class Trainer:
    def __init__(self, warmup):
        self.net, self.weight, self.warmup = nn.Linear(4, 1), nn.Parameter(torch.zeros(())), warmup
        self.optimizers = [made(self.net.parameters()), made([self.weight])]

    def update(self, step):
        loss = self.weight.exp() * self.net(torch.randn(16, 4)).pow(2).mean()
        self.optimizers[0].zero_grad()
        loss.backward()
        self.optimizers[0].step()
        if step > self.warmup:
            self.weighed()

    def weighed(self):
        STEP
"""


@pytest.mark.parametrize(("step", "found"), [("self.optimizers[1].step()", []), ("pass", ["W201"])])
def test_an_optimizer_that_a_library_steps_later(
    step: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "site-packages" / f"later_{len(found)}.py"
    library.parent.mkdir()
    library.write_text(LIBRARY.replace("STEP", step))
    monkeypatch.syspath_prepend(library.parent)
    script = tmp_path / "script.py"
    script.write_text(
        f"from {library.stem} import Trainer\nt = Trainer(40)\nfor step in range(6):\n    t.update(step)\n"
    )
    assert [f.code for f in run(script).findings] == found


MESSAGES: dict[str, dict[str, Any]] = {
    "w101_q_in_target_block": {
        "severity": "error",
        "message": "`q_net` (4 variables) gets no gradient from the loss at line 21",
        "label": "not recorded: it runs under torch.no_grad(), opened at line 17",
        "why": (
            "What runs under torch.no_grad() leaves no trace to differentiate, so the loss is a constant to "
            "everything before it."
        ),
        "fix": (
            "compute `q_net(states)` outside torch.no_grad(); keep torch.no_grad() for targets, evaluation and acting"
        ),
        "variables": ("q_net.0.weight", "q_net.0.bias", "q_net.2.weight", "q_net.2.bias"),
        "path": [
            (20, "the gradient stops here"),
            (17, "recording is off from here"),
            (21, "the loss"),
        ],
    },
    "w101_left_off": {
        "severity": "error",
        "message": "`net` (4 variables) gets no gradient from the loss at line 18",
        "label": "gradients are switched off here, and never on again",
        "why": (
            "What runs under torch.set_grad_enabled(False) leaves no trace to differentiate, so the loss is a "
            "constant to everything before it."
        ),
        "fix": "use `with torch.no_grad():` around the part that needs no gradient, so that it ends by itself",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [
            (18, "the output of `net`"),
            (12, "recording is off from here"),
        ],
    },
    "w102_actor_detached": {
        "severity": "error",
        "message": "`actor` (4 variables) gets no gradient from the loss at line 24",
        "label": "the gradient stops here: .detach() returns the value as a constant",
        "why": (
            "Every way from these variables to the loss passes through .detach(), which is there to stop a gradient."
        ),
        "fix": (
            "take .detach() away in `self.actor(states).detach()`, or stop only the side that is meant to be "
            "a constant (the target)"
        ),
        "variables": ("actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias"),
        "path": [
            (22, "the gradient stops here"),
            (24, "the loss"),
        ],
    },
    "w102_code_data": {
        "severity": "error",
        "message": "`model.encoder` (4 variables) gets no gradient from the loss at line 22",
        "label": "the gradient stops here: .data returns the value as a constant",
        "why": ("Every way from these variables to the loss passes through .data, which is there to stop a gradient."),
        "fix": ("take .data away in `code.data`, or stop only the side that is meant to be a constant (the target)"),
        "variables": (
            "model.encoder.0.weight",
            "model.encoder.0.bias",
            "model.encoder.2.weight",
            "model.encoder.2.bias",
        ),
        "path": [
            (22, "the output of `model.encoder`"),
            (14, "the gradient stops here"),
        ],
    },
    "w103_log_probs_item": {
        "severity": "error",
        "message": "`policy` (4 variables) gets no gradient from the loss at line 18",
        "label": "the value leaves the framework here (.item()) and comes back at line 18 as a constant",
        "why": (
            "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to "
            "the framework."
        ),
        "fix": (
            "stay in the framework up to the loss: drop .item() in `dist.log_prob(action).item()` and use "
            "torch functions"
        ),
        "variables": ("policy.0.weight", "policy.0.bias", "policy.2.weight", "policy.2.bias"),
        "path": [
            (13, "the output of `policy`"),
            (15, "the gradient stops here"),
            (18, "comes back here, as a constant"),
        ],
    },
    "w103_numpy_physics": {
        "severity": "error",
        "message": "`controller` (4 variables) gets no gradient from the loss at line 16",
        "label": "the value leaves the framework here (.numpy()) and comes back at line 15 as a constant",
        "why": (
            "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to "
            "the framework."
        ),
        "fix": (
            "stay in the framework up to the loss: drop .detach() and .numpy() in `force.detach().numpy()` and use "
            "torch functions"
        ),
        "variables": ("controller.0.weight", "controller.0.bias", "controller.2.weight", "controller.2.bias"),
        "path": [
            (12, "the output of `controller`"),
            (13, "the gradient stops here"),
            (15, "comes back here, as a constant"),
            (16, "the loss"),
        ],
    },
    "w104_one_hot_action": {
        "severity": "error",
        "message": "`actor` (4 variables) gets no gradient from the loss at line 21",
        "label": "the gradient stops here: argmax returns an index, and an index has no derivative",
        "why": "Which entry is the largest does not change when an entry moves a little; its value does.",
        "fix": (
            "use the value, not its index, in place of `actor(states).argmax(dim=1)` (such as "
            "q.max(dim=1).values), or gather the entry that was taken"
        ),
        "variables": ("actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias"),
        "path": [
            (19, "the gradient stops here"),
            (21, "the loss"),
        ],
    },
    "w104_rounded_code": {
        "severity": "error",
        "message": "`encoder` (2 variables) gets no gradient from the loss at line 11",
        "label": "the gradient stops here: round is flat, its derivative is zero everywhere",
        "why": ("A step function changes nothing when its input moves a little, so nothing can be learned through it."),
        "fix": "use the value before it, or a straight-through estimator: x + (round(x) - x).detach()",
        "variables": ("encoder.weight", "encoder.bias"),
        "path": [
            (10, "the gradient stops here"),
            (11, "the loss"),
        ],
    },
    "w104_plain_sample": {
        "severity": "error",
        "message": "`mean` (2 variables) and `log_std` get no gradient from the loss at line 13",
        "label": "the gradient stops here: Normal.sample draws a number, and a draw has no derivative",
        "why": (
            "A plain sample is a constant to the gradient; the distribution's parameters are not reached through it."
        ),
        "fix": (
            "for a continuous distribution use the reparameterised sample, dist.rsample(); for a discrete "
            "one put -dist.log_prob(action) * advantage into the loss"
        ),
        "variables": ("mean.weight", "mean.bias", "log_std"),
        "path": [
            (12, "the gradient stops here"),
            (13, "the loss"),
        ],
    },
    "w104_hard_gate": {
        "severity": "error",
        "message": "`scores` (2 variables) gets no gradient from the loss at line 12",
        "label": "the gradient stops here: a comparison is true or false, and neither has a derivative",
        "why": ("A comparison returns bool; turning it into 0.0 and 1.0 afterwards does not bring the gradient back."),
        "fix": (
            "replace `scores(inputs) > 0.0` by something smooth: a sigmoid of the difference, or a margin "
            "(relu of the difference)"
        ),
        "variables": ("scores.weight", "scores.bias"),
        "path": [
            (11, "the gradient stops here"),
            (12, "the loss"),
        ],
    },
    "w105_value_loss_left_out": {
        "severity": "warning",
        "message": "`net.value_head` (2 variables) gets no gradient: its term at line 28 is not part of the loss",
        "label": "this loss leaves out the term computed at line 28",
        "why": "`F.mse_loss(values, returns)` was computed and dropped: the loss does not contain it.",
        "fix": "add the term at line 28 to the loss",
        "variables": ("net.value_head.weight", "net.value_head.bias"),
        "path": [
            (28, "a loss term for them, used by nothing"),
            (29, "the loss, put together without it"),
        ],
    },
    "w105_layer_never_called": {
        "severity": "warning",
        "message": "`net.conv3` (2 variables) gets no gradient: it was never computed before the loss at line 26",
        "label": "made here, and never used in the forward pass",
        "why": "It exists and the optimizer holds it, but the forward pass never uses it.",
        "fix": "use it in the forward pass, or remove it",
        "variables": ("net.conv3.weight", "net.conv3.bias"),
        "path": [
            (12, "made here, never called"),
            (26, "the loss"),
        ],
    },
    "w105_wrong_batch": {
        "severity": "error",
        "message": "`generator` (4 variables) gets no gradient: nothing made from it goes into the loss at line 21",
        "label": "the loss is computed from this, and nothing of `generator` goes into it",
        "why": (
            "The loss is computed from `discriminator(real)`; the output of `generator` was never computed for "
            "this loss."
        ),
        "fix": "let `discriminator(real)` use the output of `generator`, or leave it out of the optimizer",
        "variables": ("generator.0.weight", "generator.0.bias", "generator.2.weight", "generator.2.bias"),
        "path": [
            (20, "used in its place"),
            (21, "the loss"),
        ],
    },
    "w106_penalty_on_constant": {
        "severity": "error",
        "message": (
            "the gradient of `share * real + (1 - share) * fake` is asked for at line 12, and nothing tracks it"
        ),
        "label": "this tensor does not require a gradient when the loss is computed from it",
        "why": "autograd follows only tensors that required a gradient before they were used.",
        "fix": "call .requires_grad_() on `share * real + (1 - share) * fake` before the forward pass",
        "variables": (),
        "path": [
            (11, "made here"),
            (12, "its gradient is asked for here"),
        ],
    },
    "w106_grad_of_result": {
        "severity": "error",
        "message": (
            "the gradient of `torch.rand(1, 6, requires_grad=True) * 2 - 1` is asked for at line 11, and "
            "nothing tracks it"
        ),
        "label": "asked of a tensor that is no leaf: it is the result of an operation",
        "why": (
            "Only leaves keep a .grad. An operation on a leaf (`* 0.1`, `.to(device)`, `w - lr * g`) makes a "
            "new tensor."
        ),
        "fix": (
            "make the leaf last (`torch.randn(3, device=d).mul_(0.1).requires_grad_()`), update it in place "
            "under no_grad"
        ),
        "variables": (),
        "path": [
            (7, "made here"),
            (11, "its gradient is asked for here"),
        ],
    },
    "w107_hidden_carried": {
        "severity": "error",
        "message": "the backward pass at line 15 runs into a graph that is already used up",
        "label": "the result of the last update goes in again here, with its whole history",
        "why": (
            "State that is carried from one update to the next still hangs on the graph that backward() has freed."
        ),
        "fix": (
            "cut it between updates: h = h.detach() (for an LSTM both parts); retain_graph=True only hides the error"
        ),
        "variables": (),
        "path": [
            (12, "computed here, before the first backward"),
            (12, "used again here, after it"),
        ],
    },
    "w107_two_backwards": {
        "severity": "error",
        "message": "the same graph is backpropagated twice",
        "label": "this graph has been walked already",
        "why": "backward() frees what it needs as it goes; a second pass over the same operations finds nothing.",
        "fix": (
            "add the losses and call backward() once: (loss_1 + loss_2).backward(); retain_graph=True hides "
            "the error and keeps every old graph in memory"
        ),
        "variables": (),
        "path": [
            (14, "the graph was used up here"),
            (15, "and is walked again here"),
        ],
    },
    "w107_computed_once": {
        "severity": "error",
        "message": "the backward pass at line 14 runs into a graph that is already used up",
        "label": "computed once, and backpropagated in every update",
        "why": (
            "backward() frees the operations it has walked; this result is from before the first backward() "
            "and is used again."
        ),
        "fix": ("compute `torch.softmax(scores, dim=0)` anew in each update; retain_graph=True only hides the error"),
        "variables": (),
        "path": [
            (8, "computed here, before the first backward"),
            (11, "used again here, after it"),
        ],
    },
    "w108_step_between": {
        "severity": "error",
        "message": "the backward pass at line 19 needs a value that `critic_optimizer.step()` has overwritten",
        "label": "this step changes `critic` (4 variables) between the forward pass of a loss and its backward()",
        "why": (
            "The loss was computed with the old weights; an optimizer step writes new ones in place, and the "
            "backward pass through the network would mix the two."
        ),
        "fix": (
            "order it as: backward of one loss, its step, then compute the next loss anew; or call every "
            "backward() before the first step(). Detaching the critic's value in the actor loss, or an older "
            "PyTorch, only hides it: the actor would not learn"
        ),
        "variables": (),
        "path": [
            (17, "overwrites a value that the backward pass needs"),
            (19, "the backward pass"),
        ],
    },
    "w108_in_place_gate": {
        "severity": "error",
        "message": "the backward pass at line 23 needs a value that `gate += 0.5` has overwritten",
        "label": "this overwrites, in place, a value that the backward pass needs",
        "why": "Autograd kept the value for the backward pass; after the write it is another one.",
        "fix": (
            "use the out-of-place form in `gate += 0.5` (x = x + y, F.relu(x), torch.where), or write into a clone()"
        ),
        "variables": (),
        "path": [
            (13, "overwrites a value that the backward pass needs"),
            (23, "the backward pass"),
        ],
    },
    "w108_write_into_leaf": {
        "severity": "error",
        "message": "`table[0]` writes into a leaf that autograd is to differentiate",
        "label": "this writes into a leaf that requires a gradient",
        "why": "The old value of a leaf is needed for its gradient; an in-place write would lose it.",
        "fix": (
            "to update a parameter by hand, write under `with torch.no_grad():`; to compute with it, use the "
            "out-of-place form (x = x + 1, torch.where, torch.cat)"
        ),
        "variables": (),
        "path": [],
    },
    "w108_written_over_as_a_whole": {
        "severity": "error",
        "message": (
            "`net.encode` (2 variables) gets a gradient of exactly zero from the loss at line 27: `h[:]` writes over "
            "all that was computed from them"
        ),
        "label": "every entry is written over",
        "why": (
            "The write reaches every entry. Nothing of what was there before goes into the loss, so its gradient is "
            "zero, and no framework says a word."
        ),
        "fix": (
            "write to the entries that are meant (an index, a mask), combine the two values, or leave out what is "
            "computed in vain"
        ),
        "variables": ("net.encode.weight", "net.encode.bias"),
        "path": [
            (17, "computed here"),
            (18, "every entry is written over"),
            (27, "the loss"),
        ],
    },
    "w109_own_group": {
        "severity": "warning",
        "message": "`backbone` (2 variables) is given to the optimizer at line 12 but frozen",
        "label": "requires_grad=False from here on",
        "why": ("With requires_grad=False no gradient is computed, and the optimizer passes over it without a word."),
        "fix": ("set requires_grad_(True) on it, or do not give it to the optimizer if it is meant to stay as it is"),
        "variables": ("backbone.0.weight", "backbone.0.bias"),
        "path": [
            (10, "frozen here"),
            (12, "and given to this optimizer"),
        ],
    },
    "w201_critic_forgotten": {
        "severity": "error",
        "message": "`critic` (4 variables) gets a gradient that no optimizer applies",
        "label": "this optimizer does not hold `critic`",
        "why": (
            "The loss at line 18 depends on it and could train it, but no update ever reaches it: it keeps "
            "its first values."
        ),
        "fix": (
            "give it to the optimizer as well ([*critic.parameters(), …]), or freeze it if it is not meant to learn"
        ),
        "variables": ("critic.0.weight", "critic.0.bias", "critic.2.weight", "critic.2.bias"),
        "path": [
            (11, "made here"),
            (12, "left out here"),
            (18, "the loss, which gives them a gradient"),
        ],
    },
    "w202_head_replaced": {
        "severity": "error",
        "message": (
            "the optimizer at line 19 still holds 2 variables that the model no longer uses; `model.head` (2 "
            "variables) is trained by nobody"
        ),
        "label": "new variables, made after the optimizer was built",
        "why": (
            "An optimizer keeps the very tensors it was given. Replacing a layer or a model afterwards "
            "leaves it with the old ones."
        ),
        "fix": "build the optimizer after the model is complete: replaced, loaded, moved, wrapped",
        "variables": ("model.head.weight", "model.head.bias"),
        "path": [
            (19, "the optimizer took the old variables here"),
            (20, "the model got new variables here"),
        ],
    },
    "w203_layers_in_list": {
        "severity": "error",
        "message": (
            "`tower.hidden[0]`, `tower.hidden[1]` (4 of 8 variables of `tower`) are used by `tower` but not "
            "registered with it"
        ),
        "label": "layers in here are invisible to the model",
        "why": (
            "`tower` does not look into plain containers, so tower.parameters() leaves these out: no "
            "optimizer gets them, no checkpoint saves them."
        ),
        "fix": "keep layers in nn.ModuleList([...]) or nn.ModuleDict({...}), parameters in nn.ParameterList",
        "variables": (
            "tower.hidden[0].weight",
            "tower.hidden[0].bias",
            "tower.hidden[1].weight",
            "tower.hidden[1].bias",
        ),
        "path": [
            (10, "made here"),
        ],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
